#include "compiler/frontend/front_end.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "compiler/diagnostics.h"
#include "compiler/frontend/clang_invocation.h"
#include "compiler/frontend/input_file_system.h"
#include "compiler/invocation/front_end_options.h"
#include "compiler/invocation/invocation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include "targets/record.h"

namespace ingot::compiler {
namespace {

// Generates IR and runs no pass over it: optimising is a stage of its own.
class GenerateIr final : public clang::ASTFrontendAction {
 public:
  explicit GenerateIr(llvm::LLVMContext& context) : context_(context) {}

  std::unique_ptr<llvm::Module> TakeModule() { return std::move(module_); }

  const llvm::Module* module() const { return module_.get(); }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef input) override {
    std::unique_ptr<clang::CodeGenerator> generator =
        clang::CreateLLVMCodeGen(instance, input, context_);
    generator_ = generator.get();
    return generator;
  }

  void EndSourceFileAction() override {
    if (generator_ != nullptr) module_ = generator_->ReleaseModule();
  }

 private:
  llvm::LLVMContext& context_;
  clang::CodeGenerator* generator_ = nullptr;  // Clang's own
  std::unique_ptr<llvm::Module> module_;
};

class PrintPreprocessed final : public clang::PreprocessorFrontendAction {
 public:
  std::string TakeText() { return std::move(text_); }

 protected:
  void ExecuteAction() override {
    clang::CompilerInstance& instance = getCompilerInstance();
    llvm::raw_string_ostream stream(text_);
    clang::DoPrintPreprocessedInput(instance.getPreprocessor(), &stream,
                                    instance.getPreprocessorOutputOpts());
  }
  bool hasPCHSupport() const override { return false; }

 private:
  std::string text_;
};

llvm::FPOpFusion::FPOpFusionMode Contraction(const clang::LangOptions& options) {
  switch (options.getDefaultFPContractMode()) {
    case clang::LangOptions::FPM_Off:
    case clang::LangOptions::FPM_On:
      // The front end forms the fused operations of one expression itself.
      return llvm::FPOpFusion::Standard;
    case clang::LangOptions::FPM_Fast:
    case clang::LangOptions::FPM_FastHonorPragmas:
      return llvm::FPOpFusion::Fast;
  }
  return llvm::FPOpFusion::Standard;
}

CodeGenerationOptions OptionsOf(const clang::CompilerInstance& instance) {
  const clang::CodeGenOptions& options = instance.getCodeGenOpts();
  return {.function_sections = options.FunctionSections != 0,
          .data_sections = options.DataSections != 0,
          .unique_section_names = options.UniqueSectionNames != 0,
          .zeros_in_bss = options.NoZeroInitializedInBSS == 0,
          .use_init_array = options.UseInitArray != 0,
          .verbose_assembly = options.AsmVerbose != 0,
          .contraction = Contraction(instance.getLangOpts())};
}

// The line of the source that `location`, as Clang encodes it, is in.
std::optional<SourceLine> LineOf(uint64_t location, const clang::SourceManager& sources) {
  const clang::SourceLocation place =
      sources.getExpansionLoc(clang::SourceLocation::getFromRawEncoding(
          static_cast<clang::SourceLocation::UIntTy>(location)));
  const clang::PresumedLoc presumed = sources.getPresumedLoc(place);
  if (presumed.isInvalid()) return std::nullopt;
  SourceLine line{.place = absl::StrCat(presumed.getFilename(), ":", presumed.getLine(), ":",
                                        presumed.getColumn()),
                  .number = presumed.getLine(),
                  .column = presumed.getColumn()};
  const auto [file, offset] = sources.getDecomposedLoc(place);
  const llvm::StringRef text = sources.getBufferData(file);
  const std::size_t start = offset - (sources.getColumnNumber(file, offset) - 1);
  line.text = text.slice(start, text.find_first_of("\r\n", start)).str();
  return line;
}

// The lines of the source that the module's inline assembly comes from, by the numbers under which
// the code generator speaks of them.
SourceLines LinesOf(const llvm::Module& module, const clang::SourceManager& sources) {
  SourceLines lines;
  const unsigned kind = module.getContext().getMDKindID("srcloc");
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const llvm::MDNode* const cookies = instruction.getMetadata(kind);
      if (cookies == nullptr) continue;
      for (const llvm::MDOperand& cookie : cookies->operands()) {
        const auto* const number = llvm::mdconst::dyn_extract<llvm::ConstantInt>(cookie);
        if (number == nullptr) continue;
        std::optional<SourceLine> line = LineOf(number->getZExtValue(), sources);
        if (line.has_value()) lines.emplace(number->getZExtValue(), *std::move(line));
      }
    }
  }
  return lines;
}

FileSources WithSystemRoots(FileSources sources, const Invocation& invocation) {
  for (llvm::StringRef option : invocation.front_end_options) {
    if (option.consume_front("-isystem") || option.consume_front("-idirafter") ||
        option.consume_front(kCudaPathFlag)) {
      sources.system_roots.insert(option.str());
    }
  }
  return sources;
}

}  // namespace

FrontEnd::FrontEnd(const Invocation& invocation, const targets::TargetRecord& target,
                   llvm::MemoryBufferRef source, FileSources sources, bool color)
    : invocation_(invocation),
      target_(target),
      source_(source),
      color_(color),
      files_(llvm::makeIntrusiveRefCnt<InputFileSystem>(
          WithSystemRoots(std::move(sources), invocation), source)) {}

FrontEnd::~FrontEnd() = default;

absl::Status FrontEnd::Run(clang::FrontendAction& action,
                           const std::function<void(const clang::CompilerInstance&)>& after) {
  // Clang starts new stacks where this one ends, and has to know where that is.
  clang::noteBottomOfStack();
  absl::StatusOr<ClangInvocation> made =
      MakeClangInvocation(invocation_, target_, source_.getBufferIdentifier().str(), color_);
  if (!made.ok()) return made.status();
  text_ = std::move(made->warnings);

  llvm::raw_string_ostream stream(text_);
  stream.enable_colors(color_);  // a string is no terminal, which would mean none
  clang::CompilerInstance instance(made->invocation);
  instance.setVirtualFileSystem(files_);
  instance.createDiagnostics(
      new clang::TextDiagnosticPrinter(stream, instance.getDiagnosticOpts()));
  instance.setVerboseOutputStream(stream);
  const bool succeeded = instance.ExecuteAction(action);
  if (!succeeded || instance.getDiagnostics().hasErrorOccurred()) {
    return absl::InvalidArgumentError(
        text_.empty() ? absl::StrCat(std::string_view(source_.getBufferIdentifier()),
                                     ": error: Clang gave up without a word")
                      : std::move(text_));
  }
  if (after) after(instance);
  return absl::OkStatus();
}

absl::StatusOr<SourceModule> FrontEnd::Compile(llvm::LLVMContext& context) {
  GenerateIr action(context);
  SourceModule result;
  const auto note = [&](const clang::CompilerInstance& instance) {
    result.options = OptionsOf(instance);
    if (action.module() != nullptr) {
      result.lines = LinesOf(*action.module(), instance.getSourceManager());
    }
  };
  if (absl::Status status = Run(action, note); !status.ok()) return status;
  result.module = action.TakeModule();
  if (result.module == nullptr) {
    return absl::InternalError("Clang made no module and reported no error");
  }
  return result;
}

absl::StatusOr<std::string> FrontEnd::Preprocess() {
  PrintPreprocessed action;
  if (absl::Status status = Run(action); !status.ok()) return status;
  return action.TakeText();
}

absl::Status FrontEnd::Scan() {
  clang::PreprocessOnlyAction action;
  return Run(action);
}

}  // namespace ingot::compiler
