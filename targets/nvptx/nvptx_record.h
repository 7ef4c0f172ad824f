// The record of NVIDIA GPUs: every CPU that LLVM 22 knows, with the PTX version that it emits for
// it by default.

#ifndef INGOT_TARGETS_NVPTX_NVPTX_RECORD_H_
#define INGOT_TARGETS_NVPTX_NVPTX_RECORD_H_

#include "targets/record.h"

namespace ingot::targets {

// 64-bit PTX for CUDA drivers. CPU fact: "ptx", the default PTX ISA version, as in "7.8".
extern const TargetRecord kNvptx64Target;

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_NVPTX_RECORD_H_
