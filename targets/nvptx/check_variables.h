// What is wrong with a module's variables: their address spaces, initialisers and types.

#ifndef INGOT_TARGETS_NVPTX_CHECK_VARIABLES_H_
#define INGOT_TARGETS_NVPTX_CHECK_VARIABLES_H_

#include "llvm/IR/Module.h"
#include "targets/finding.h"
#include "targets/nvptx/gpu.h"

namespace ingot::targets {

void CheckVariables(const llvm::Module& module, const Gpu& gpu, Findings& findings);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_CHECK_VARIABLES_H_
