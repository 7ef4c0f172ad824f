// The keywords of CUDA C++. Clang knows most of them as attributes.
#ifndef INGOT_CUDA_KEYWORDS_H_
#define INGOT_CUDA_KEYWORDS_H_

#pragma GCC system_header

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __grid_constant__ __attribute__((grid_constant))

// (maxThreadsPerBlock, minBlocksPerMultiprocessor, maxBlocksPerCluster); the last two may be left
// out.
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

// __noinline__ and __restrict__ are keywords of Clang's; a macro would break
// __attribute__((__noinline__)).
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __nv_pure__ __attribute__((pure))

// Refused: there is nobody to move a managed variable's pages, and Clang 22 would drop the other
// three without a word. _Pragma takes one literal, so these lines are long.
// clang-format off
#define __managed__ _Pragma("GCC error \"__managed__ variables are not supported: use __device__ and copy\"")
#define __cluster_dims__(...) _Pragma("GCC error \"__cluster_dims__ is not supported: give the size when launching, and its limit as the third argument of __launch_bounds__\"")
#define __maxnreg__(...) _Pragma("GCC error \"__maxnreg__ is not supported: use __launch_bounds__ or an option of ptxas\"")
#define __block_size__(...) _Pragma("GCC error \"__block_size__ is not supported: use __launch_bounds__\"")
// clang-format on

// What inline PTX needs of the PTX ISA. Clang itself checks its builtins; for the text of an asm
// statement nobody does before ptxas, so the compile tool says which version it is going to write:
// 63 is 6.3.
#ifndef __INGOT_PTX_VERSION__
#define __INGOT_PTX_VERSION__ 999
#endif
#if __INGOT_PTX_VERSION__ < 62
#define __INGOT_PTX_6_2 \
  __attribute__((unavailable("it needs PTX ISA 6.2: compile with --features=+ptx62 or later")))
#else
#define __INGOT_PTX_6_2
#endif
#if __INGOT_PTX_VERSION__ < 63
#define __INGOT_PTX_6_3 \
  __attribute__((unavailable("it needs PTX ISA 6.3: compile with --features=+ptx63 or later")))
#else
#define __INGOT_PTX_6_3
#endif
#if __INGOT_PTX_VERSION__ < 70
#define __INGOT_PTX_7_0 \
  __attribute__((unavailable("it needs PTX ISA 7.0: compile with --features=+ptx70 or later")))
#else
#define __INGOT_PTX_7_0
#endif
#if __INGOT_PTX_VERSION__ < 77
#define __INGOT_PTX_7_7 \
  __attribute__((unavailable("it needs PTX ISA 7.7: compile with --features=+ptx77 or later")))
#else
#define __INGOT_PTX_7_7
#endif
#if __INGOT_PTX_VERSION__ < 81
#define __INGOT_PTX_8_1 \
  __attribute__((unavailable("it needs PTX ISA 8.1: compile with --features=+ptx81 or later")))
#else
#define __INGOT_PTX_8_1
#endif
#if __INGOT_PTX_VERSION__ < 83
#define __INGOT_PTX_8_3 \
  __attribute__((unavailable("it needs PTX ISA 8.3: compile with --features=+ptx83 or later")))
#else
#define __INGOT_PTX_8_3
#endif
#if __INGOT_PTX_VERSION__ < 84
#define __INGOT_PTX_8_4 \
  __attribute__((unavailable("it needs PTX ISA 8.4: compile with --features=+ptx84 or later")))
#else
#define __INGOT_PTX_8_4
#endif

// How the functions of this header are declared.
#define __INGOT_DEVICE static __inline__ __attribute__((always_inline, device))
#define __INGOT_HOST_DEVICE static __inline__ __attribute__((always_inline, host, device))

#endif  // INGOT_CUDA_KEYWORDS_H_
