// The names of headers that CUDA sources include without thinking.
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector_functions.h>
#include <vector_types.h>

#ifndef __CUDACC__
#error "__CUDACC__ tells sources that this is CUDA"
#endif

extern "C" __global__ void standard(float* f, std::uint64_t* u, std::size_t n) {
  assert(n > 0);
  f[0] = std::sqrt(f[1]) + std::fma(f[2], f[3], f[4]) + std::abs(f[5]) + FLT_MAX;
  u[0] = static_cast<std::uint64_t>(std::abs(INT_MIN + 1)) + DBL_DIG;
  void* memory = std::malloc(n);
  std::memset(memory, 0, n);
  std::printf("%p\n", memory);
  std::free(memory);
  std::nullptr_t nothing = nullptr;
  if (std::strlen("ingot") == 5 && nothing == nullptr) std::memcpy(u, f, sizeof *u);
}
