// What is wrong with a module before code is generated for it: what LLVM's code generator would
// abort on, and what it would make PTX of that ptxas refuses.
//
//   Findings findings;
//   CheckModule(module, {.sm = 80, .ptx = 70}, options, findings);
//
// The module is an optimised one: code that is gone cannot be wrong.

#ifndef INGOT_TARGETS_NVPTX_CHECK_MODULE_H_
#define INGOT_TARGETS_NVPTX_CHECK_MODULE_H_

#include "llvm/IR/Module.h"
#include "targets/finding.h"
#include "targets/kernel_options.h"
#include "targets/nvptx/gpu.h"

namespace ingot::targets {

// Appends what is found, the module's variables first, then function by function.
void CheckModule(const llvm::Module& module, const Gpu& gpu, const KernelOptions& options,
                 Findings& findings);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_CHECK_MODULE_H_
