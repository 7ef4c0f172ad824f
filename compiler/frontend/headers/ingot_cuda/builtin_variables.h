// threadIdx, blockIdx, blockDim, gridDim and warpSize. Each use of a member reads the special
// register, which costs nothing to repeat and needs no memory; a copy as uint3 or dim3 is an
// ordinary value.
#ifndef INGOT_CUDA_BUILTIN_VARIABLES_H_
#define INGOT_CUDA_BUILTIN_VARIABLES_H_

#pragma GCC system_header

#include "keywords.h"
#include "vector_types.h"

#define __INGOT_REGISTERS(name)                                                     \
  struct __ingot_##name##_registers {                                               \
    __INGOT_DEVICE unsigned int __x() { return __nvvm_read_ptx_sreg_##name##_x(); } \
    __INGOT_DEVICE unsigned int __y() { return __nvvm_read_ptx_sreg_##name##_y(); } \
    __INGOT_DEVICE unsigned int __z() { return __nvvm_read_ptx_sreg_##name##_z(); } \
  }

__INGOT_REGISTERS(tid);
__INGOT_REGISTERS(ctaid);
__INGOT_REGISTERS(ntid);
__INGOT_REGISTERS(nctaid);
#undef __INGOT_REGISTERS

template <typename Source>
struct __ingot_coordinates {
  __INGOT_DEVICE unsigned int __get_x() { return Source::__x(); }
  __INGOT_DEVICE unsigned int __get_y() { return Source::__y(); }
  __INGOT_DEVICE unsigned int __get_z() { return Source::__z(); }
  __declspec(property(get = __get_x)) unsigned int x;
  __declspec(property(get = __get_y)) unsigned int y;
  __declspec(property(get = __get_z)) unsigned int z;
  // NOLINTNEXTLINE(google-explicit-constructor): as CUDA has it.
  __device__ __forceinline__ operator uint3() const {
    return {Source::__x(), Source::__y(), Source::__z()};
  }
};

static __device__ constexpr __ingot_coordinates<__ingot_tid_registers> threadIdx{};
static __device__ constexpr __ingot_coordinates<__ingot_ctaid_registers> blockIdx{};
static __device__ constexpr __ingot_coordinates<__ingot_ntid_registers> blockDim{};
static __device__ constexpr __ingot_coordinates<__ingot_nctaid_registers> gridDim{};

// Thirty-two on every GPU so far, and code that sizes arrays by it needs a constant.
static __device__ constexpr int warpSize = 32;

#endif  // INGOT_CUDA_BUILTIN_VARIABLES_H_
