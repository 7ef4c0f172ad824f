#include "compiler/compile.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/emit/emit.h"
#include "compiler/frontend/read_module.h"
#include "compiler/optimize/optimize.h"
#include "compiler/validate/validate.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "targets/backend.h"
#include "targets/backends.h"

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

}  // namespace

absl::StatusOr<CompileOutput> Compile(const Invocation& invocation, llvm::MemoryBufferRef input,
                                      const CompileObserver& observer) {
  const auto enter = [&](Stage stage) {
    if (observer.enter_stage) observer.enter_stage(stage);
  };
  enter(Stage::kParse);
  if (!invocation.emit) return absl::InvalidArgumentError("the invocation is not resolved");
  absl::StatusOr<const targets::Backend*> backend = targets::FindBackend(invocation.target);
  if (!backend.ok()) return backend.status();
  absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> machine =
      (*backend)->CreateTargetMachine({.cpu = invocation.cpu,
                                       .features = invocation.features,
                                       .level = CodeGenLevel(invocation.opt)});
  if (!machine.ok()) return machine.status();

  const std::string path = input.getBufferIdentifier().str();
  llvm::LLVMContext context;
  DiagnosticCollector& diagnostics =
      DiagnosticCollector::InstallIn(context, path, observer.warning);
  absl::StatusOr<std::unique_ptr<llvm::Module>> module =
      ReadModule(input, (*backend)->record(), context);
  if (absl::Status errors = diagnostics.TakeErrors(); !errors.ok()) return errors;
  if (!module.ok()) return module.status();

  enter(Stage::kVerify);
  if (absl::Status status = Validate(**module, path); !status.ok()) return status;
  if (absl::Status errors = diagnostics.TakeErrors(); !errors.ok()) return errors;

  enter(Stage::kOptimize);
  Optimize(**module, **machine, invocation.opt);
  if (absl::Status errors = diagnostics.TakeErrors(); !errors.ok()) return errors;

  enter(Stage::kCodegen);
  CompileOutput output;
  if (*invocation.emit == targets::EmitKind::kBc) {
    EmitBitcode(**module, output.bytes);
    return output;
  }
  const std::optional<llvm::CodeGenFileType> type = (*backend)->FileType(*invocation.emit);
  if (!type) {
    return absl::InvalidArgumentError(absl::StrCat("target ", (*backend)->record().name,
                                                   " cannot emit '",
                                                   targets::EmitKindName(*invocation.emit), "'"));
  }
  if (absl::Status status = EmitMachineCode(**module, **machine, *type, output.bytes);
      !status.ok()) {
    return status;
  }
  // Code generation does not stop at an error, so its output means nothing after one.
  if (absl::Status errors = diagnostics.TakeErrors(); !errors.ok()) return errors;
  return output;
}

}  // namespace ingot::compiler
