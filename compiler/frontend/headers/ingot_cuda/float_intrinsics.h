// Arithmetic with a rounding mode, never joined into other operations; and the fast, inexact
// functions of the hardware.
#ifndef INGOT_CUDA_FLOAT_INTRINSICS_H_
#define INGOT_CUDA_FLOAT_INTRINSICS_H_

#pragma GCC system_header

#include "keywords.h"

// One line per rounding mode, since CUDA and PTX name them differently.
#define __INGOT_ROUNDED(cuda, ptx)                                                                \
  __INGOT_DEVICE float __fadd_##cuda(float x, float y) { return __nvvm_add_##ptx##_f(x, y); }     \
  __INGOT_DEVICE float __fsub_##cuda(float x, float y) { return __nvvm_add_##ptx##_f(x, -y); }    \
  __INGOT_DEVICE float __fmul_##cuda(float x, float y) { return __nvvm_mul_##ptx##_f(x, y); }     \
  __INGOT_DEVICE float __fmaf_##cuda(float x, float y, float z) {                                 \
    return __nvvm_fma_##ptx##_f(x, y, z);                                                         \
  }                                                                                               \
  __INGOT_DEVICE float __fdiv_##cuda(float x, float y) { return __nvvm_div_##ptx##_f(x, y); }     \
  __INGOT_DEVICE float __frcp_##cuda(float x) { return __nvvm_rcp_##ptx##_f(x); }                 \
  __INGOT_DEVICE float __fsqrt_##cuda(float x) { return __nvvm_sqrt_##ptx##_f(x); }               \
  __INGOT_DEVICE double __dadd_##cuda(double x, double y) { return __nvvm_add_##ptx##_d(x, y); }  \
  __INGOT_DEVICE double __dsub_##cuda(double x, double y) { return __nvvm_add_##ptx##_d(x, -y); } \
  __INGOT_DEVICE double __dmul_##cuda(double x, double y) { return __nvvm_mul_##ptx##_d(x, y); }  \
  __INGOT_DEVICE double __fma_##cuda(double x, double y, double z) {                              \
    return __nvvm_fma_##ptx##_d(x, y, z);                                                         \
  }                                                                                               \
  __INGOT_DEVICE double __ddiv_##cuda(double x, double y) { return __nvvm_div_##ptx##_d(x, y); }  \
  __INGOT_DEVICE double __drcp_##cuda(double x) { return __nvvm_rcp_##ptx##_d(x); }               \
  __INGOT_DEVICE double __dsqrt_##cuda(double x) { return __nvvm_sqrt_##ptx##_d(x); }
__INGOT_ROUNDED(rn, rn)
__INGOT_ROUNDED(rz, rz)
__INGOT_ROUNDED(ru, rp)
__INGOT_ROUNDED(rd, rm)
#undef __INGOT_ROUNDED

// By way of double, whose two roundings are far below half a unit of the result.
__INGOT_DEVICE float __frsqrt_rn(float x) {
  return __nvvm_d2f_rn(__nvvm_rcp_rn_d(__nvvm_sqrt_rn_d(x)));
}

__INGOT_DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
// Into [0, 1]; NaN becomes 0.
__INGOT_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }

__INGOT_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
__INGOT_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
__INGOT_DEVICE void __sincosf(float x, float* sine, float* cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
__INGOT_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
__INGOT_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
// ln 2 and log10 2.
__INGOT_DEVICE float __logf(float x) { return __log2f(x) * 0x1.62e43p-1F; }
__INGOT_DEVICE float __log10f(float x) { return __log2f(x) * 0x1.344136p-2F; }
// log2 e and log2 10.
__INGOT_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0F); }
__INGOT_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 0x1.a934fp+1F); }
__INGOT_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __log2f(x)); }
#if __CUDA_ARCH__ >= 750
__INGOT_PTX_7_0 __INGOT_DEVICE float __tanhf(float x) {
  float result;
  __asm__("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
#endif

#endif  // INGOT_CUDA_FLOAT_INTRINSICS_H_
