#include "compiler/compile.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compiler/emit/emit.h"
#include "compiler/frontend/assemble.h"
#include "compiler/frontend/front_end.h"
#include "compiler/frontend/read_module.h"
#include "compiler/invocation/language.h"
#include "compiler/optimize/optimize.h"
#include "compiler/validate/validate.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "targets/backend.h"
#include "targets/backends.h"
#include "targets/finding.h"

namespace ingot::compiler {
namespace {

llvm::CodeGenOptLevel CodeGenLevel(OptLevel level) {
  switch (level) {
    case OptLevel::kO0:
      return llvm::CodeGenOptLevel::None;
    case OptLevel::kO1:
      return llvm::CodeGenOptLevel::Less;
    case OptLevel::kO2:
    case OptLevel::kOs:
    case OptLevel::kOz:
      return llvm::CodeGenOptLevel::Default;
    case OptLevel::kO3:
      return llvm::CodeGenOptLevel::Aggressive;
  }
  return llvm::CodeGenOptLevel::Default;
}

// One compilation on its way.
class Compilation {
 public:
  Compilation(const Invocation& invocation, llvm::MemoryBufferRef input,
              const CompileObserver& observer, const SourceSettings& settings)
      : invocation_(invocation),
        input_(input),
        path_(input.getBufferIdentifier().str()),
        observer_(observer),
        settings_(settings) {}

  absl::StatusOr<CompileOutput> Run() {
    Enter(Stage::kParse);
    if (!invocation_.emit || !invocation_.language) {
      return absl::InvalidArgumentError("the invocation is not resolved");
    }
    absl::StatusOr<const targets::Backend*> backend = targets::FindBackend(invocation_.target);
    if (!backend.ok()) return backend.status();
    backend_ = *backend;
    if (!UsesFrontEnd(*invocation_.language)) {
      if (absl::Status status = MakeMachine({}); !status.ok()) return status;
      return CompileModule(ReadModule(input_, backend_->record(), UseContext()));
    }
    FrontEnd front_end(invocation_, backend_->record(), input_, settings_.files, settings_.color);
    absl::StatusOr<CompileOutput> output = CompileSource(front_end);
    if (observer_.dependencies) observer_.dependencies(front_end.dependencies());
    return output;
  }

 private:
  void Enter(Stage stage) const {
    if (observer_.enter_stage) observer_.enter_stage(stage);
  }

  // `text` ends with a newline, if it is not empty.
  void Warn(std::string_view text) const {
    if (!text.empty() && observer_.warning) observer_.warning(absl::StripSuffix(text, "\n"));
  }

  llvm::LLVMContext& UseContext() {
    diagnostics_ = &DiagnosticCollector::InstallIn(context_, path_, observer_.warning);
    return context_;
  }

  absl::Status MakeMachine(const CodeGenerationOptions& options) {
    absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> machine =
        backend_->CreateTargetMachine({.cpu = invocation_.cpu,
                                       .features = invocation_.features,
                                       .level = CodeGenLevel(invocation_.opt)});
    if (!machine.ok()) return machine.status();
    machine_ = *std::move(machine);
    if (*invocation_.language == Language::kIr) return absl::OkStatus();
    llvm::TargetOptions& target = machine_->Options;
    target.FunctionSections = options.function_sections;
    target.DataSections = options.data_sections;
    target.UniqueSectionNames = options.unique_section_names;
    target.NoZerosInBSS = !options.zeros_in_bss;
    target.UseInitArray = options.use_init_array;
    target.AllowFPOpFusion = options.contraction;
    target.MCOptions.AsmVerbose = options.verbose_assembly;
    return absl::OkStatus();
  }

  absl::StatusOr<CompileOutput> CompileSource(FrontEnd& front_end) {
    const bool is_assembly = *invocation_.language == Language::kAssembler ||
                             *invocation_.language == Language::kAssemblerWithCpp;
    if (settings_.scan && !is_assembly) {
      if (absl::Status status = front_end.Scan(); !status.ok()) return status;
      return CompileOutput();
    }
    if (is_assembly) return AssembleSource(front_end);
    if (*invocation_.emit == targets::EmitKind::kPreprocessed) return PreprocessSource(front_end);
    absl::StatusOr<SourceModule> source = front_end.Compile(UseContext());
    if (!source.ok()) return source.status();
    Warn(front_end.warnings());
    diagnostics_->SetSourceLines(std::move(source->lines));
    if (absl::Status status = MakeMachine(source->options); !status.ok()) return status;
    return CompileModule(std::move(source->module));
  }

  absl::StatusOr<CompileOutput> PreprocessSource(FrontEnd& front_end) {
    absl::StatusOr<std::string> text = front_end.Preprocess();
    if (!text.ok()) return text.status();
    Warn(front_end.warnings());
    return CompileOutput{.bytes = {text->begin(), text->end()}};
  }

  // Warnings, in Clang's words, about options that do nothing for assembly: a build passes the same
  // ones to all of its sources. The preprocessor takes those of its own, and the assembler -I.
  std::string UnusedByAssembler() const {
    const bool preprocessed = *invocation_.language == Language::kAssemblerWithCpp;
    std::string warnings;
    for (const std::string_view option : invocation_.front_end_options) {
      if (option == "-w" || option == "-Qunused-arguments" ||
          option == "-Wno-unused-command-line-argument") {
        return {};
      }
      const bool is_used = preprocessed || absl::StartsWith(option, "-g") ||
                           absl::StartsWith(option, "-I") || absl::StartsWith(option, "-W");
      if (is_used) continue;
      absl::StrAppend(&warnings, "warning: argument unused during compilation: '", option,
                      "' [-Wunused-command-line-argument]\n");
    }
    return warnings;
  }

  // What assembly includes is known only when it is assembled: so for a scan, too.
  absl::StatusOr<CompileOutput> AssembleSource(FrontEnd& front_end) {
    if (*invocation_.emit == targets::EmitKind::kPreprocessed) return PreprocessSource(front_end);
    if (*invocation_.emit != targets::EmitKind::kObj) {
      return absl::InvalidArgumentError(
          absl::StrCat(path_,
                       ": error: assembly can only become an object file (--emit=obj) or "
                       "preprocessed text, not '",
                       targets::EmitKindName(*invocation_.emit), "'"));
    }
    std::string text = std::string(std::string_view(input_.getBuffer()));
    if (*invocation_.language == Language::kAssemblerWithCpp) {
      absl::StatusOr<std::string> preprocessed = front_end.Preprocess();
      if (!preprocessed.ok()) return preprocessed.status();
      text = *std::move(preprocessed);
    }
    if (absl::Status status = MakeMachine({}); !status.ok()) return status;
    Enter(Stage::kCodegen);
    const AssemblySettings settings =
        AssemblySettingsOf(invocation_.front_end_options, front_end.files());
    CompileOutput output;
    std::string warnings = absl::StrCat(UnusedByAssembler(), front_end.warnings());
    if (absl::Status status = Assemble(llvm::MemoryBufferRef(text, path_), *machine_, settings,
                                       warnings, output.bytes);
        !status.ok()) {
      return status;
    }
    Warn(warnings);
    return output;
  }

  // Checks, optimises and emits what the front end gave.
  absl::StatusOr<CompileOutput> CompileModule(
      absl::StatusOr<std::unique_ptr<llvm::Module>> module) {
    if (absl::Status errors = diagnostics_->TakeErrors(); !errors.ok()) return errors;
    if (!module.ok()) return module.status();

    Enter(Stage::kVerify);
    if (absl::Status status = Validate(**module, path_); !status.ok()) return status;
    if (absl::Status errors = diagnostics_->TakeErrors(); !errors.ok()) return errors;

    if (absl::Status status = Find([&](targets::Findings& findings) {
          backend_->Prepare(**module, invocation_.kernels, findings);
        });
        !status.ok()) {
      return status;
    }

    if (*invocation_.emit == targets::EmitKind::kRawLl) return Emit(**module);

    Enter(Stage::kOptimize);
    Optimize(**module, *machine_, invocation_.opt);
    if (absl::Status errors = diagnostics_->TakeErrors(); !errors.ok()) return errors;

    if (backend_->FileType(*invocation_.emit)) {
      Enter(Stage::kLower);
      backend_->Lower(**module);
      if (absl::Status status = Find([&](targets::Findings& findings) {
            backend_->Check(**module, *machine_, invocation_.kernels, findings);
          });
          !status.ok()) {
        return status;
      }
    }

    Enter(Stage::kCodegen);
    return Emit(**module);
  }

  // What `look` finds: its errors, after LLVM's own; warnings are told.
  absl::Status Find(absl::FunctionRef<void(targets::Findings&)> look) const {
    targets::Findings findings;
    look(findings);
    if (absl::Status errors = diagnostics_->TakeErrors(); !errors.ok()) return errors;
    std::string warnings;
    absl::Status status = targets::FindingsStatus(findings, path_, warnings);
    Warn(warnings);
    return status;
  }

  absl::StatusOr<CompileOutput> Emit(llvm::Module& module) {
    CompileOutput output;
    if (*invocation_.emit == targets::EmitKind::kBc) {
      EmitBitcode(module, output.bytes);
      return output;
    }
    if (*invocation_.emit == targets::EmitKind::kLl ||
        *invocation_.emit == targets::EmitKind::kRawLl) {
      EmitIrText(module, output.bytes);
      return output;
    }
    const std::optional<llvm::CodeGenFileType> type = backend_->FileType(*invocation_.emit);
    if (!type) {
      return absl::InvalidArgumentError(
          absl::StrCat("target ", backend_->record().name, " cannot emit '",
                       targets::EmitKindName(*invocation_.emit), "'"));
    }
    if (absl::Status status = EmitMachineCode(module, *machine_, *type, output.bytes);
        !status.ok()) {
      return status;
    }
    // Code generation does not stop at an error, so its output means nothing after one.
    if (absl::Status errors = diagnostics_->TakeErrors(); !errors.ok()) return errors;
    return output;
  }

  const Invocation& invocation_;
  const llvm::MemoryBufferRef input_;
  const std::string path_;
  const CompileObserver& observer_;
  const SourceSettings& settings_;
  const targets::Backend* backend_ = nullptr;
  llvm::LLVMContext context_;
  DiagnosticCollector* diagnostics_ = nullptr;  // of the context
  std::unique_ptr<llvm::TargetMachine> machine_;
};

}  // namespace

absl::StatusOr<CompileOutput> Compile(const Invocation& invocation, llvm::MemoryBufferRef input,
                                      const CompileObserver& observer,
                                      const SourceSettings& settings) {
  return Compilation(invocation, input, observer, settings).Run();
}

}  // namespace ingot::compiler
