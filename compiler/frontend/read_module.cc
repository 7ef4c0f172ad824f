#include "compiler/frontend/read_module.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "llvm/AsmParser/LLParser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AutoUpgrade.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Type.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace ingot::compiler {
namespace {

using targets::TargetRecord;

std::string_view View(llvm::StringRef text) { return {text.data(), text.size()}; }
llvm::StringRef Ref(std::string_view text) { return {text.data(), text.size()}; }

// Whether an integer of more than 64 bits is anywhere in `type`.
bool HasWideInteger(const llvm::Type& type) {
  if (type.isIntegerTy()) return type.getIntegerBitWidth() > 64;
  return std::any_of(type.subtype_begin(), type.subtype_end(),
                     [](const llvm::Type* part) { return HasWideInteger(*part); });
}

// Whether the module has such integers, whose place in memory may have been computed already.
bool UsesWideIntegers(const llvm::Module& module) {
  const auto is_wide = [](const llvm::Value* value) { return HasWideInteger(*value->getType()); };
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (HasWideInteger(*variable.getValueType())) return true;
  }
  for (const llvm::Function& function : module) {
    if (HasWideInteger(*function.getFunctionType())) return true;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (is_wide(&instruction) || std::ranges::any_of(instruction.operand_values(), is_wide)) {
        return true;
      }
      const auto* const alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (alloca != nullptr && HasWideInteger(*alloca->getAllocatedType())) return true;
      const auto* const element = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
      if (element != nullptr && HasWideInteger(*element->getSourceElementType())) return true;
    }
  }
  return false;
}

// Decides about the triple and data layout that a module names. LLVM asks for the layout before it
// reads anything that depends on it; what was wrong then explains an error that comes later, so it
// is remembered and reported first.
class LayoutChooser {
 public:
  LayoutChooser(const TargetRecord& target, llvm::StringRef path) : target_(target), path_(path) {}

  // LLVM's data layout callback.
  std::optional<std::string> Choose(llvm::StringRef triple, llvm::StringRef layout) {
    if (!triple.empty() &&
        llvm::Triple(triple).getArch() != llvm::Triple(Ref(target_.architecture)).getArch()) {
      refusal_ = absl::InvalidArgumentError(absl::StrCat(
          View(path_), ": error: the module is for '", View(triple), "', but the target is '",
          target_.triple, "'; compile it with the matching --target, or remove its target triple"));
    } else if (!layout.empty() && llvm::UpgradeDataLayoutString(layout, Ref(target_.triple)) !=
                                      Ref(target_.data_layout)) {
      is_older_ = std::ranges::find(target_.older_data_layouts, View(layout)) !=
                  target_.older_data_layouts.end();
      refusal_ = absl::InvalidArgumentError(
          absl::StrCat(View(path_), ": error: the module's data layout is '", View(layout),
                       "', but that of target ", target_.name, " is '", target_.data_layout,
                       "'; generate the module with that layout, or with none"));
    }
    return std::string(target_.data_layout);
  }

  // Why `module`, which was parsed with the layout that Choose() gave, cannot be taken.
  absl::Status RefusalOf(const llvm::Module* module) const {
    if (is_older_ && module != nullptr && !UsesWideIntegers(*module)) return absl::OkStatus();
    return refusal_;
  }

 private:
  const TargetRecord& target_;
  llvm::StringRef path_;
  absl::Status refusal_;
  bool is_older_ = false;  // the module's layout is that of an older LLVM
};

std::unique_ptr<llvm::Module> ParseText(llvm::MemoryBufferRef input, llvm::StringRef module_name,
                                        LayoutChooser& layout, llvm::LLVMContext& context,
                                        absl::Status& error) {
  auto module = std::make_unique<llvm::Module>(module_name, context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(input), llvm::SMLoc());
  llvm::SMDiagnostic diagnostic;
  llvm::LLParser parser(input.getBuffer(), sources, diagnostic, module.get(), /*Index=*/nullptr,
                        context);
  // Upgrading debug info would verify the module and end the process if it is broken; that is for
  // the verify stage.
  const bool failed = parser.Run(
      /*UpgradeDebugInfo=*/false,
      [&](llvm::StringRef triple, llvm::StringRef text) { return layout.Choose(triple, text); });
  if (!failed) return module;
  std::string text;
  llvm::raw_string_ostream stream(text);
  diagnostic.print(/*ProgName=*/nullptr, stream, /*ShowColors=*/false);
  error = absl::InvalidArgumentError(absl::StripTrailingAsciiWhitespace(text));
  return nullptr;
}

std::unique_ptr<llvm::Module> ParseBitcode(llvm::MemoryBufferRef input, llvm::StringRef module_name,
                                           LayoutChooser& layout, llvm::LLVMContext& context,
                                           absl::Status& error) {
  const llvm::ParserCallbacks callbacks(
      [&](llvm::StringRef triple, llvm::StringRef text) { return layout.Choose(triple, text); });
  llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(input.getBuffer(), module_name), context, callbacks);
  if (module) return std::move(*module);
  error = absl::InvalidArgumentError(
      absl::StrCat(View(input.getBufferIdentifier()),
                   ": error: cannot read bitcode: ", llvm::toString(module.takeError())));
  return nullptr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::Module>> ReadModule(llvm::MemoryBufferRef input,
                                                         const TargetRecord& target,
                                                         llvm::LLVMContext& context) {
  const llvm::StringRef bytes = input.getBuffer();
  // The module's name is also the default of its source's name.
  const llvm::StringRef module_name = llvm::sys::path::filename(input.getBufferIdentifier());
  LayoutChooser layout(target, input.getBufferIdentifier());
  absl::Status error;
  std::unique_ptr<llvm::Module> module =
      llvm::isBitcode(bytes.bytes_begin(), bytes.bytes_end())
          ? ParseBitcode(input, module_name, layout, context, error)
          : ParseText(input, module_name, layout, context, error);
  if (absl::Status refusal = layout.RefusalOf(module.get()); !refusal.ok()) return refusal;
  if (module == nullptr) return error;
  // Another vendor or system of the same architecture is the same target.
  module->setTargetTriple(llvm::Triple(Ref(target.triple)));
  return module;
}

}  // namespace ingot::compiler
