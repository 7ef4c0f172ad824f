// Functions of a host's C library that a GPU has under another name or as an instruction: printf,
// abort, exit and what assert calls.
//
//   DefineHostFunctions(module);  // `declare i32 @printf(ptr, ...)` now has a body

#ifndef INGOT_TARGETS_NVPTX_HOST_FUNCTIONS_H_
#define INGOT_TARGETS_NVPTX_HOST_FUNCTIONS_H_

#include "llvm/IR/Module.h"

namespace ingot::targets {

// Gives those of them a definition that the module declares with the types of C, uses, and does not
// define.
void DefineHostFunctions(llvm::Module& module);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_HOST_FUNCTIONS_H_
