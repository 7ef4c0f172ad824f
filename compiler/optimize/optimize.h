// Runs LLVM's standard optimisation pipeline on a module.
//
//   Optimize(*module, *machine, OptLevel::kO2);

#ifndef INGOT_COMPILER_OPTIMIZE_OPTIMIZE_H_
#define INGOT_COMPILER_OPTIMIZE_OPTIMIZE_H_

#include "compiler/invocation/invocation.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace ingot::compiler {

// Optimises `module` for `machine`. kO0 runs only what code generation needs (inlining of
// always_inline functions, for one). kOs and kOz also mark each function as to be kept small, so
// that code generation prefers size as well; functions marked optnone stay as they are at every
// level. `module` must be well formed. Errors that passes report go to the context's diagnostic
// handler.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine, OptLevel level);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_OPTIMIZE_OPTIMIZE_H_
