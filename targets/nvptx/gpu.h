// Which GPU, and which version of PTX, code is made for.
//
//   const Gpu gpu = GpuOf(machine, kNvptx64Target);  // {.sm = 90, .ptx = 87} for sm_90a with
//   +ptx87

#ifndef INGOT_TARGETS_NVPTX_GPU_H_
#define INGOT_TARGETS_NVPTX_GPU_H_

#include "llvm/Target/TargetMachine.h"
#include "targets/record.h"

namespace ingot::targets {

struct Gpu {
  int sm = 0;   // 90 for sm_90, sm_90a
  int ptx = 0;  // 87 for 8.7
};

Gpu GpuOf(const llvm::TargetMachine& machine, const TargetRecord& record);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_GPU_H_
