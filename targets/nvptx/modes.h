// What options say of a whole module: how exact floating point is, and how much debug information
// stays.

#ifndef INGOT_TARGETS_NVPTX_MODES_H_
#define INGOT_TARGETS_NVPTX_MODES_H_

#include "llvm/IR/Module.h"
#include "targets/kernel_options.h"

namespace ingot::targets {

// Sets the modes that `options` ask for, of every function.
void SetModes(llvm::Module& module, const KernelOptions& options);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_MODES_H_
