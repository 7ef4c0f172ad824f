// The device side of CUDA C++ for NVPTX, without a CUDA toolkit: what nvcc declares before the
// first line of a source. The compile tool includes it before every CUDA source; nothing has to be
// named.
//
//   __global__ void scale(float* x, float a, int n) {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n) x[i] *= a;
//   }
//
// It needs C++14 or later and Clang's own CUDA support, and includes nothing but Clang's resource
// headers. README.md beside it lists what it offers, what it leaves to a runtime library, and what
// it refuses.
#ifndef INGOT_CUDA_H_
#define INGOT_CUDA_H_

#pragma GCC system_header

#ifndef __CUDA__
#error "ingot_cuda.h is for CUDA sources: compile with -x cuda"
#endif
#ifndef __CUDA_ARCH__
#error "ingot_cuda.h is for device code only: there is no host compilation"
#endif
#if __cplusplus < 201402L
#error "CUDA sources need -std=c++14 or later"
#endif

// Sources test this one to know that the CUDA keywords work.
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
// And this one tells that the header is ours.
#define __INGOT_CUDA__ 1

// What <cuda_runtime.h> brings in on every platform.
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

// clang-format off: the order matters, each part uses those above it.
#include "ingot_cuda/keywords.h"
#include "ingot_cuda/vector_types.h"
#include "ingot_cuda/builtin_variables.h"
#include "ingot_cuda/synchronization.h"
#include "ingot_cuda/memory.h"
#include "ingot_cuda/conversions.h"
#include "ingot_cuda/integer.h"
#include "ingot_cuda/float_intrinsics.h"
#include "ingot_cuda/math.h"
#include "ingot_cuda/atomics.h"
#include "ingot_cuda/warp.h"
#include "ingot_cuda/cluster.h"
#include "ingot_cuda/host.h"
// clang-format on

#endif  // INGOT_CUDA_H_
