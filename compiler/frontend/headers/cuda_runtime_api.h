// A name that CUDA sources include. All that it would bring is there already.
#ifndef INGOT_CUDA_RUNTIME_API_H_
#define INGOT_CUDA_RUNTIME_API_H_

#pragma GCC system_header

#include "ingot_cuda.h"

#endif  // INGOT_CUDA_RUNTIME_API_H_
