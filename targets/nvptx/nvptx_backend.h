// The backend of NVIDIA GPUs: LLVM's NVPTX code generator, which writes PTX.

#ifndef INGOT_TARGETS_NVPTX_NVPTX_BACKEND_H_
#define INGOT_TARGETS_NVPTX_NVPTX_BACKEND_H_

#include "targets/backend.h"

namespace ingot::targets {

// The one instance; lives for the whole process.
const Backend& Nvptx64Backend();

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_NVPTX_BACKEND_H_
