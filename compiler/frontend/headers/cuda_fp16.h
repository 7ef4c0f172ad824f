// __half and __half2: IEEE half precision, our own text.
//
//   #include <cuda_fp16.h>
//   __global__ void scale(__half2* x, float a) { x[threadIdx.x] *= __float2half2_rn(a); }
//
// Arithmetic is Clang's _Float16: native instructions where the CPU has them, float in between
// elsewhere. Functions of one argument that the hardware lacks go through float and round once
// more.
#ifndef INGOT_CUDA_FP16_H_
#define INGOT_CUDA_FP16_H_

#pragma GCC system_header

#include "ingot_cuda.h"

// The bits.
struct __align__(2) __half_raw {
  unsigned short x;
};
struct __align__(4) __half2_raw {
  unsigned short x, y;
};

struct __align__(2) __half {
  _Float16 __x;

  // NOLINTBEGIN(google-explicit-constructor): as CUDA has them.
  __half() = default;
  __host__ __device__ constexpr __half(float v) : __x(static_cast<_Float16>(v)) {}
  __host__ __device__ constexpr __half(double v) : __x(static_cast<_Float16>(v)) {}
  __host__ __device__ constexpr __half(int v) : __x(static_cast<_Float16>(v)) {}
  __host__ __device__ constexpr __half(unsigned int v) : __x(static_cast<_Float16>(v)) {}
  __host__ __device__ constexpr __half(long long v) : __x(static_cast<_Float16>(v)) {}
  __host__ __device__ constexpr __half(unsigned long long v) : __x(static_cast<_Float16>(v)) {}
  __device__ __half(__half_raw v) : __x(__builtin_bit_cast(_Float16, v)) {}
  __host__ __device__ constexpr operator float() const { return static_cast<float>(__x); }
  __device__ operator __half_raw() const { return __builtin_bit_cast(__half_raw, __x); }
  __host__ __device__ constexpr explicit operator bool() const {
    return static_cast<float>(__x) != 0.0F;
  }
  // NOLINTEND(google-explicit-constructor)
};

struct __align__(4) __half2 {
  __half x, y;

  __half2() = default;
  __host__ __device__ constexpr __half2(const __half& low, const __half& high) : x(low), y(high) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as CUDA has it.
  __device__ __half2(__half2_raw v)
      : x(__builtin_bit_cast(__half, v.x)), y(__builtin_bit_cast(__half, v.y)) {}
  __device__ operator __half2_raw() const {  // NOLINT(google-explicit-constructor): as CUDA has it.
    return {__builtin_bit_cast(unsigned short, x), __builtin_bit_cast(unsigned short, y)};
  }
};

typedef __half half;
typedef __half2 half2;
// The value of the native type, as __half.
__INGOT_DEVICE __half __ingot_half(_Float16 v) { return __builtin_bit_cast(__half, v); }

// ---- Conversions. _Float16 rounds to nearest; of the other modes, PTX has each only for some
// types and CPUs, so they step from the nearest value to its neighbour where that lies on the wrong
// side.
__INGOT_DEVICE __half __float2half(float v) { return __ingot_half(static_cast<_Float16>(v)); }
__INGOT_DEVICE __half __float2half_rn(float v) { return __float2half(v); }
__INGOT_DEVICE __half __double2half(double v) { return __ingot_half(static_cast<_Float16>(v)); }
__INGOT_DEVICE float __half2float(__half v) { return static_cast<float>(v.__x); }
__INGOT_DEVICE unsigned short __half_as_ushort(__half v) {
  return __builtin_bit_cast(unsigned short, v);
}
__INGOT_DEVICE short __half_as_short(__half v) { return __builtin_bit_cast(short, v); }
__INGOT_DEVICE __half __ushort_as_half(unsigned short v) { return __builtin_bit_cast(__half, v); }
__INGOT_DEVICE __half __short_as_half(short v) { return __builtin_bit_cast(__half, v); }
// Towards zero, up and down.
__INGOT_DEVICE __half __float2half_rz(float v) {
  const __half nearest = __float2half(v);
  // One step towards zero is the next smaller number in sign and magnitude, and infinity's
  // neighbour is the largest number.
  if (!(__builtin_fabsf(static_cast<float>(nearest.__x)) > __builtin_fabsf(v))) return nearest;
  return __ushort_as_half(static_cast<unsigned short>(__half_as_ushort(nearest) - 1U));
}
__INGOT_DEVICE __half __float2half_ru(float v) {
  const __half nearest = __float2half(v);
  if (!(static_cast<float>(nearest.__x) < v)) return nearest;
  const unsigned int bits = __half_as_ushort(nearest);
  return __ushort_as_half(static_cast<unsigned short>(bits & 0x8000U ? bits - 1U : bits + 1U));
}
__INGOT_DEVICE __half __float2half_rd(float v) {
  const __half up = __float2half_ru(-v);
  return __ingot_half(-up.__x);
}
__INGOT_DEVICE __half __int2half_rn(int v) { return __ingot_half(static_cast<_Float16>(v)); }
__INGOT_DEVICE __half __uint2half_rn(unsigned int v) {
  return __ingot_half(static_cast<_Float16>(v));
}
__INGOT_DEVICE __half __short2half_rn(short v) { return __ingot_half(static_cast<_Float16>(v)); }
__INGOT_DEVICE __half __ushort2half_rn(unsigned short v) {
  return __ingot_half(static_cast<_Float16>(v));
}
__INGOT_DEVICE __half __ll2half_rn(long long v) { return __ingot_half(static_cast<_Float16>(v)); }
__INGOT_DEVICE __half __ull2half_rn(unsigned long long v) {
  return __ingot_half(static_cast<_Float16>(v));
}
__INGOT_DEVICE int __half2int_rn(__half v) { return __float2int_rn(__half2float(v)); }
__INGOT_DEVICE int __half2int_rz(__half v) { return __float2int_rz(__half2float(v)); }
__INGOT_DEVICE int __half2int_ru(__half v) { return __float2int_ru(__half2float(v)); }
__INGOT_DEVICE int __half2int_rd(__half v) { return __float2int_rd(__half2float(v)); }
__INGOT_DEVICE unsigned int __half2uint_rn(__half v) { return __float2uint_rn(__half2float(v)); }
__INGOT_DEVICE unsigned int __half2uint_rz(__half v) { return __float2uint_rz(__half2float(v)); }
__INGOT_DEVICE unsigned int __half2uint_ru(__half v) { return __float2uint_ru(__half2float(v)); }
__INGOT_DEVICE unsigned int __half2uint_rd(__half v) { return __float2uint_rd(__half2float(v)); }
__INGOT_DEVICE long long __half2ll_rn(__half v) { return __float2ll_rn(__half2float(v)); }
__INGOT_DEVICE long long __half2ll_rz(__half v) { return __float2ll_rz(__half2float(v)); }
__INGOT_DEVICE long long __half2ll_ru(__half v) { return __float2ll_ru(__half2float(v)); }
__INGOT_DEVICE long long __half2ll_rd(__half v) { return __float2ll_rd(__half2float(v)); }
__INGOT_DEVICE unsigned long long __half2ull_rn(__half v) {
  return __float2ull_rn(__half2float(v));
}
__INGOT_DEVICE unsigned long long __half2ull_rz(__half v) {
  return __float2ull_rz(__half2float(v));
}
__INGOT_DEVICE unsigned long long __half2ull_ru(__half v) {
  return __float2ull_ru(__half2float(v));
}
__INGOT_DEVICE unsigned long long __half2ull_rd(__half v) {
  return __float2ull_rd(__half2float(v));
}

__INGOT_DEVICE __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
__INGOT_DEVICE __half2 __half2half2(__half v) { return __half2(v, v); }
__INGOT_DEVICE __half2 __float2half2_rn(float v) { return __half2half2(__float2half(v)); }
__INGOT_DEVICE __half2 __floats2half2_rn(float low, float high) {
  return __half2(__float2half(low), __float2half(high));
}
__INGOT_DEVICE __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
__INGOT_DEVICE float2 __half22float2(__half2 v) {
  return make_float2(__half2float(v.x), __half2float(v.y));
}
__INGOT_DEVICE __half __low2half(__half2 v) { return v.x; }
__INGOT_DEVICE __half __high2half(__half2 v) { return v.y; }
__INGOT_DEVICE float __low2float(__half2 v) { return __half2float(v.x); }
__INGOT_DEVICE float __high2float(__half2 v) { return __half2float(v.y); }
__INGOT_DEVICE __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
__INGOT_DEVICE __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
__INGOT_DEVICE __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
__INGOT_DEVICE __half2 __lows2half2(__half2 v, __half2 w) { return __half2(v.x, w.x); }
__INGOT_DEVICE __half2 __highs2half2(__half2 v, __half2 w) { return __half2(v.y, w.y); }
__INGOT_DEVICE __half2 make_half2(__half low, __half high) { return __half2(low, high); }

// ---- Arithmetic, each for one number and for two at once. The _rn forms are never joined into a
// fused multiplication, which the backend does to plain ones whatever the source says.
#define __INGOT_HALF_OPERATION(name, name2, op)                                            \
  __INGOT_DEVICE __half name(__half a, __half b) { return __ingot_half(a.__x op b.__x); }  \
  __INGOT_DEVICE __half2 name2(__half2 a, __half2 b) {                                     \
    return __half2(name(a.x, b.x), name(a.y, b.y));                                        \
  }                                                                                        \
  __INGOT_DEVICE __half operator op(__half a, __half b) { return name(a, b); }             \
  __INGOT_DEVICE __half2 operator op(__half2 a, __half2 b) { return name2(a, b); }         \
  __INGOT_DEVICE __half& operator op## = (__half & a, __half b) { return a = name(a, b); } \
  __INGOT_DEVICE __half2& operator op## = (__half2 & a, __half2 b) { return a = name2(a, b); }
__INGOT_HALF_OPERATION(__hadd, __hadd2, +)
__INGOT_HALF_OPERATION(__hsub, __hsub2, -)
__INGOT_HALF_OPERATION(__hmul, __hmul2, *)
__INGOT_HALF_OPERATION(__hdiv, __h2div, /)
#undef __INGOT_HALF_OPERATION

// A float has more than twice the digits, so rounding to float first changes no result.
#define __INGOT_HALF_UNFUSED(name, name2, float_name)                  \
  __INGOT_DEVICE __half name(__half a, __half b) {                     \
    return __float2half(float_name(__half2float(a), __half2float(b))); \
  }                                                                    \
  __INGOT_DEVICE __half2 name2(__half2 a, __half2 b) {                 \
    return __half2(name(a.x, b.x), name(a.y, b.y));                    \
  }
__INGOT_HALF_UNFUSED(__hadd_rn, __hadd2_rn, __fadd_rn)
__INGOT_HALF_UNFUSED(__hsub_rn, __hsub2_rn, __fsub_rn)
__INGOT_HALF_UNFUSED(__hmul_rn, __hmul2_rn, __fmul_rn)
#undef __INGOT_HALF_UNFUSED

__INGOT_DEVICE __half operator+(__half v) { return v; }
__INGOT_DEVICE __half2 operator+(__half2 v) { return v; }
__INGOT_DEVICE __half __hneg(__half v) { return __ingot_half(-v.__x); }
__INGOT_DEVICE __half2 __hneg2(__half2 v) { return __half2(__hneg(v.x), __hneg(v.y)); }
__INGOT_DEVICE __half operator-(__half v) { return __hneg(v); }
__INGOT_DEVICE __half2 operator-(__half2 v) { return __hneg2(v); }
__INGOT_DEVICE __half& operator++(__half& v) { return v += __half(1.0F); }
__INGOT_DEVICE __half& operator--(__half& v) { return v -= __half(1.0F); }
__INGOT_DEVICE __half operator++(__half& v, int) {
  const __half old = v;
  ++v;
  return old;
}
__INGOT_DEVICE __half operator--(__half& v, int) {
  const __half old = v;
  --v;
  return old;
}
__INGOT_DEVICE __half __habs(__half v) { return __ushort_as_half(__half_as_ushort(v) & 0x7fffU); }
__INGOT_DEVICE __half2 __habs2(__half2 v) { return __half2(__habs(v.x), __habs(v.y)); }
__INGOT_DEVICE __half __hfma(__half a, __half b, __half c) {
  return __ingot_half(__builtin_elementwise_fma(a.__x, b.__x, c.__x));
}
__INGOT_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
// Into [0, 1]; NaN becomes 0.
__INGOT_DEVICE __half __ingot_saturated(__half v) {
  return __float2half(__saturatef(__half2float(v)));
}
__INGOT_DEVICE __half __hadd_sat(__half a, __half b) { return __ingot_saturated(a + b); }
__INGOT_DEVICE __half __hsub_sat(__half a, __half b) { return __ingot_saturated(a - b); }
__INGOT_DEVICE __half __hmul_sat(__half a, __half b) { return __ingot_saturated(a * b); }
__INGOT_DEVICE __half __hfma_sat(__half a, __half b, __half c) {
  return __ingot_saturated(__hfma(a, b, c));
}
__INGOT_DEVICE __half __hfma_relu(__half a, __half b, __half c) {
  const __half v = __hfma(a, b, c);
  return v.__x < static_cast<_Float16>(0.0F) ? __half(0.0F) : v;
}

// ---- Comparisons: false if either is not a number, with u true. The operators are those of float.
__INGOT_DEVICE bool __ingot_unordered(__half a, __half b) {
  return __builtin_isunordered(static_cast<float>(a), static_cast<float>(b));
}
#define __INGOT_HALF_COMPARISON(name, op)                                                          \
  __INGOT_DEVICE bool operator op(__half a, __half b) {                                            \
    return static_cast<float>(a) op static_cast<float>(b);                                         \
  }                                                                                                \
  __INGOT_DEVICE bool __h##name(__half a, __half b) { return !__ingot_unordered(a, b) && a op b; } \
  __INGOT_DEVICE bool __h##name##u(__half a, __half b) {                                           \
    return __ingot_unordered(a, b) || a op b;                                                      \
  }                                                                                                \
  __INGOT_DEVICE __half2 __h##name##2(__half2 a, __half2 b) {                                      \
    return __half2(__half(__h##name(a.x, b.x) ? 1.0F : 0.0F),                                      \
                   __half(__h##name(a.y, b.y) ? 1.0F : 0.0F));                                     \
  }                                                                                                \
  __INGOT_DEVICE bool __hb##name##2(__half2 a, __half2 b) {                                        \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                             \
  }                                                                                                \
  __INGOT_DEVICE bool operator op(__half2 a, __half2 b) { return __hb##name##2(a, b); }
__INGOT_HALF_COMPARISON(eq, ==)
__INGOT_HALF_COMPARISON(ne, !=)
__INGOT_HALF_COMPARISON(lt, <)
__INGOT_HALF_COMPARISON(le, <=)
__INGOT_HALF_COMPARISON(gt, >)
__INGOT_HALF_COMPARISON(ge, >=)
#undef __INGOT_HALF_COMPARISON
__INGOT_DEVICE bool __hisnan(__half v) { return __ingot_unordered(v, v); }
__INGOT_DEVICE int __hisinf(__half v) {
  const float f = __half2float(v);
  return __builtin_isinf(f) ? (f < 0.0F ? -1 : 1) : 0;
}
__INGOT_DEVICE __half __hmin(__half a, __half b) {
  return __float2half(__builtin_fminf(__half2float(a), __half2float(b)));
}
__INGOT_DEVICE __half __hmax(__half a, __half b) {
  return __float2half(__builtin_fmaxf(__half2float(a), __half2float(b)));
}
__INGOT_DEVICE __half2 __hmin2(__half2 a, __half2 b) {
  return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
__INGOT_DEVICE __half2 __hmax2(__half2 a, __half2 b) {
  return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}

// ---- Functions, by way of float.
#define __INGOT_HALF_FUNCTION(name, expression) \
  __INGOT_DEVICE __half h##name(__half v) {     \
    const float f = __half2float(v);            \
    return __float2half(expression);            \
  }                                             \
  __INGOT_DEVICE __half2 h2##name(__half2 v) { return __half2(h##name(v.x), h##name(v.y)); }
__INGOT_HALF_FUNCTION(ceil, __builtin_ceilf(f))
__INGOT_HALF_FUNCTION(floor, __builtin_floorf(f))
__INGOT_HALF_FUNCTION(rint, __builtin_rintf(f))
__INGOT_HALF_FUNCTION(trunc, __builtin_truncf(f))
__INGOT_HALF_FUNCTION(sqrt, __builtin_sqrtf(f))
__INGOT_HALF_FUNCTION(rsqrt, __nvvm_rsqrt_approx_f(f))
__INGOT_HALF_FUNCTION(rcp, __frcp_rn(f))
__INGOT_HALF_FUNCTION(exp, __expf(f))
__INGOT_HALF_FUNCTION(exp2, __nvvm_ex2_approx_f(f))
__INGOT_HALF_FUNCTION(exp10, __exp10f(f))
__INGOT_HALF_FUNCTION(log, __logf(f))
__INGOT_HALF_FUNCTION(log2, __log2f(f))
__INGOT_HALF_FUNCTION(log10, __log10f(f))
__INGOT_HALF_FUNCTION(sin, sinf(f))
__INGOT_HALF_FUNCTION(cos, cosf(f))
#undef __INGOT_HALF_FUNCTION

// ---- Shuffles and atomics. __ldg and its like take these types as any other.
#define __INGOT_HALF_SHUFFLE(name, lane)                                                      \
  __INGOT_DEVICE __half name(unsigned int mask, __half v, lane which, int width = 32) {       \
    return __ushort_as_half(static_cast<unsigned short>(                                      \
        name(mask, static_cast<unsigned int>(__half_as_ushort(v)), which, width)));           \
  }                                                                                           \
  __INGOT_DEVICE __half2 name(unsigned int mask, __half2 v, lane which, int width = 32) {     \
    return __builtin_bit_cast(__half2,                                                        \
                              name(mask, __builtin_bit_cast(unsigned int, v), which, width)); \
  }
__INGOT_HALF_SHUFFLE(__shfl_sync, int)
__INGOT_HALF_SHUFFLE(__shfl_up_sync, unsigned int)
__INGOT_HALF_SHUFFLE(__shfl_down_sync, unsigned int)
__INGOT_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef __INGOT_HALF_SHUFFLE

#if __CUDA_ARCH__ >= 600
// The two elements are added one by one; the pair is not one atomic access.
__INGOT_PTX_6_2 __INGOT_DEVICE __half2 atomicAdd(__half2* address, __half2 value) {
  unsigned int old;
  __asm__ volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                   : "=r"(old)
                   : "l"(address), "r"(__builtin_bit_cast(unsigned int, value))
                   : "memory");
  return __builtin_bit_cast(__half2, old);
}
#endif
#if __CUDA_ARCH__ >= 700
__INGOT_PTX_6_3 __INGOT_DEVICE __half atomicAdd(__half* address, __half value) {
  unsigned short old;
  __asm__ volatile("atom.add.noftz.f16 %0, [%1], %2;"
                   : "=h"(old)
                   : "l"(address), "h"(__half_as_ushort(value))
                   : "memory");
  return __ushort_as_half(old);
}
#endif

#endif  // INGOT_CUDA_FP16_H_
