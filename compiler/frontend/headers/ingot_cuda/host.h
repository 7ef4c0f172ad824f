// As much of the host side as a source with both halves needs to be parsed for the device:
// kernel<<<grid, block>>>(…) in a host function. Nothing of it is compiled.
#ifndef INGOT_CUDA_HOST_H_
#define INGOT_CUDA_HOST_H_

#pragma GCC system_header

#include <stddef.h>

#include "vector_types.h"

typedef enum cudaError { cudaSuccess = 0 } cudaError_t;
typedef struct CUstream_st* cudaStream_t;

extern "C" {
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_memory = 0,
                                         cudaStream_t stream = nullptr);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_memory = 0,
                              cudaStream_t stream = nullptr);
}

#endif  // INGOT_CUDA_HOST_H_
