#include "targets/nvptx/modes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/FMF.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Casting.h"
#include "targets/kernel_options.h"

namespace ingot::targets {
namespace {

void SetDebugLevel(llvm::Module& module, DebugLevel level) {
  switch (level) {
    case DebugLevel::kAsIs:
      break;
    case DebugLevel::kNone:
      llvm::StripDebugInfo(module);
      break;
    case DebugLevel::kLineTables:
      llvm::stripNonLineTableDebugInfo(module);
      break;
  }
}

void SetDenormals(llvm::Module& module, Denormals denormals) {
  if (denormals == Denormals::kAsIs) return;
  const bool flush = denormals == Denormals::kFlush;
  const llvm::StringRef mode = flush ? "preserve-sign,preserve-sign" : "ieee,ieee";
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) function.addFnAttr("denormal-fp-math-f32", mode);
  }
  // What __nvvm_reflect("__CUDA_FTZ") answers (NVPTXUsage, "Reflection Parameters").
  module.setModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", flush ? 1 : 0);
}

void SetFastMath(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (llvm::isa<llvm::FPMathOperator>(instruction)) instruction.setFast(true);
    }
  }
}

}  // namespace

void SetModes(llvm::Module& module, const KernelOptions& options) {
  SetDebugLevel(module, options.debug_level);
  SetDenormals(module, options.denormals);
  if (options.fast_math) SetFastMath(module);
}

}  // namespace ingot::targets
