// Which functions of a module are kernels that stay, and what the options say about them.
//
//   Findings findings;
//   PrepareKernels(module, options, findings);
//   // now only the entries, and what they use, are left to be compiled
//
// A module is taken whole: what no kernel reaches is gone, as is a kernel that was not asked for.
// Variables that are visible stay, since a host program looks them up by name; so does everything
// in a module without kernels, which is a library, and everything where the output is relocatable.

#ifndef INGOT_TARGETS_NVPTX_KERNELS_H_
#define INGOT_TARGETS_NVPTX_KERNELS_H_

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "targets/finding.h"
#include "targets/kernel_options.h"

namespace ingot::targets {

// Whether `function` is a kernel: LLVM turns older ways to say so into the calling convention when
// it reads a module.
bool IsKernel(const llvm::Function& function);

// Chooses the entries and gives them their launch bounds, as attributes that LLVM's code generator
// knows. Findings: an entry that is not there.
void PrepareKernels(llvm::Module& module, const KernelOptions& options, Findings& findings);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_KERNELS_H_
