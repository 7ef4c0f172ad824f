// __nv_bfloat16 and __nv_bfloat162: the upper half of a float, our own text.
//
//   #include <cuda_bf16.h>
//   __global__ void scale(__nv_bfloat162* x, float a) { x[threadIdx.x] *= __float2bfloat162_rn(a);
//   }
//
// Arithmetic is Clang's __bf16: native instructions where the CPU has them, float in between
// elsewhere. Functions of one argument that the hardware lacks go through float and round once
// more.
#ifndef INGOT_CUDA_BF16_H_
#define INGOT_CUDA_BF16_H_

#pragma GCC system_header

#include "ingot_cuda.h"

// The bits.
struct __align__(2) __nv_bfloat16_raw {
  unsigned short x;
};
struct __align__(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __align__(2) __nv_bfloat16 {
  __bf16 __x;

  // NOLINTBEGIN(google-explicit-constructor): as CUDA has them.
  __nv_bfloat16() = default;
  __host__ __device__ constexpr __nv_bfloat16(float v) : __x(static_cast<__bf16>(v)) {}
  __host__ __device__ constexpr __nv_bfloat16(double v) : __x(static_cast<__bf16>(v)) {}
  __host__ __device__ constexpr __nv_bfloat16(int v) : __x(static_cast<__bf16>(v)) {}
  __host__ __device__ constexpr __nv_bfloat16(unsigned int v) : __x(static_cast<__bf16>(v)) {}
  __host__ __device__ constexpr __nv_bfloat16(long long v) : __x(static_cast<__bf16>(v)) {}
  __host__ __device__ constexpr __nv_bfloat16(unsigned long long v) : __x(static_cast<__bf16>(v)) {}
  __device__ __nv_bfloat16(__nv_bfloat16_raw v) : __x(__builtin_bit_cast(__bf16, v)) {}
  // By its bits: LLVM would fold a conversion into a comparison that ptxas rejects where subnormal
  // numbers are flushed.
  __host__ __device__ constexpr operator float() const {
    return __builtin_bit_cast(
        float, static_cast<unsigned int>(__builtin_bit_cast(unsigned short, __x)) << 16);
  }
  __device__ operator __nv_bfloat16_raw() const {
    return __builtin_bit_cast(__nv_bfloat16_raw, __x);
  }
  __host__ __device__ constexpr explicit operator bool() const {
    return static_cast<float>(*this) != 0.0F;
  }
  // NOLINTEND(google-explicit-constructor)
};

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  __host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high)
      : x(low), y(high) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as CUDA has it.
  __device__ __nv_bfloat162(__nv_bfloat162_raw v)
      : x(__builtin_bit_cast(__nv_bfloat16, v.x)), y(__builtin_bit_cast(__nv_bfloat16, v.y)) {}
  __device__ operator __nv_bfloat162_raw()
      const {  // NOLINT(google-explicit-constructor): as CUDA has it.
    return {__builtin_bit_cast(unsigned short, x), __builtin_bit_cast(unsigned short, y)};
  }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
// The value of the native type, as __nv_bfloat16.
__INGOT_DEVICE __nv_bfloat16 __ingot_bfloat16(__bf16 v) {
  return __builtin_bit_cast(__nv_bfloat16, v);
}

// ---- Conversions. __bf16 rounds to nearest; of the other modes, PTX has each only for some types
// and CPUs, so they step from the nearest value to its neighbour where that lies on the wrong side.
__INGOT_DEVICE __nv_bfloat16 __float2bfloat16(float v) {
  return __ingot_bfloat16(static_cast<__bf16>(v));
}
__INGOT_DEVICE __nv_bfloat16 __float2bfloat16_rn(float v) { return __float2bfloat16(v); }
__INGOT_DEVICE __nv_bfloat16 __double2bfloat16(double v) {
  return __ingot_bfloat16(static_cast<__bf16>(v));
}
__INGOT_DEVICE float __bfloat162float(__nv_bfloat16 v) { return static_cast<float>(v); }
__INGOT_DEVICE unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) {
  return __builtin_bit_cast(unsigned short, v);
}
__INGOT_DEVICE short __bfloat16_as_short(__nv_bfloat16 v) { return __builtin_bit_cast(short, v); }
__INGOT_DEVICE __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) {
  return __builtin_bit_cast(__nv_bfloat16, v);
}
__INGOT_DEVICE __nv_bfloat16 __short_as_bfloat16(short v) {
  return __builtin_bit_cast(__nv_bfloat16, v);
}
// Towards zero, up and down.
__INGOT_DEVICE __nv_bfloat16 __float2bfloat16_rz(float v) {
  const __nv_bfloat16 nearest = __float2bfloat16(v);
  // One step towards zero is the next smaller number in sign and magnitude, and infinity's
  // neighbour is the largest number.
  if (!(__builtin_fabsf(static_cast<float>(nearest)) > __builtin_fabsf(v))) return nearest;
  return __ushort_as_bfloat16(static_cast<unsigned short>(__bfloat16_as_ushort(nearest) - 1U));
}
__INGOT_DEVICE __nv_bfloat16 __float2bfloat16_ru(float v) {
  const __nv_bfloat16 nearest = __float2bfloat16(v);
  if (!(static_cast<float>(nearest) < v)) return nearest;
  const unsigned int bits = __bfloat16_as_ushort(nearest);
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits & 0x8000U ? bits - 1U : bits + 1U));
}
__INGOT_DEVICE __nv_bfloat16 __float2bfloat16_rd(float v) {
  const __nv_bfloat16 up = __float2bfloat16_ru(-v);
  return __ingot_bfloat16(-up.__x);
}
// Integers of more than float's digits: cut off towards zero, with the last bit set if anything was
// lost, so that the rounding that follows sees it. LLVM by itself would round twice below sm_90.
__INGOT_DEVICE __nv_bfloat16 __ingot_round_odd(float cut, bool lost) {
  return __float2bfloat16(__uint_as_float(__float_as_uint(cut) | (lost ? 1U : 0U)));
}
__INGOT_DEVICE __nv_bfloat16 __int2bfloat16_rn(int v) {
  const float cut = __int2float_rz(v);
  return __ingot_round_odd(cut, __float2int_rz(cut) != v);
}
__INGOT_DEVICE __nv_bfloat16 __uint2bfloat16_rn(unsigned int v) {
  const float cut = __uint2float_rz(v);
  return __ingot_round_odd(cut, __float2uint_rz(cut) != v);
}
__INGOT_DEVICE __nv_bfloat16 __ll2bfloat16_rn(long long v) {
  const float cut = __ll2float_rz(v);
  return __ingot_round_odd(cut, __float2ll_rz(cut) != v);
}
__INGOT_DEVICE __nv_bfloat16 __ull2bfloat16_rn(unsigned long long v) {
  const float cut = __ull2float_rz(v);
  return __ingot_round_odd(cut, __float2ull_rz(cut) != v);
}
__INGOT_DEVICE __nv_bfloat16 __short2bfloat16_rn(short v) {
  return __ingot_bfloat16(static_cast<__bf16>(v));
}
__INGOT_DEVICE __nv_bfloat16 __ushort2bfloat16_rn(unsigned short v) {
  return __ingot_bfloat16(static_cast<__bf16>(v));
}
__INGOT_DEVICE int __bfloat162int_rn(__nv_bfloat16 v) {
  return __float2int_rn(__bfloat162float(v));
}
__INGOT_DEVICE int __bfloat162int_rz(__nv_bfloat16 v) {
  return __float2int_rz(__bfloat162float(v));
}
__INGOT_DEVICE int __bfloat162int_ru(__nv_bfloat16 v) {
  return __float2int_ru(__bfloat162float(v));
}
__INGOT_DEVICE int __bfloat162int_rd(__nv_bfloat16 v) {
  return __float2int_rd(__bfloat162float(v));
}
__INGOT_DEVICE unsigned int __bfloat162uint_rn(__nv_bfloat16 v) {
  return __float2uint_rn(__bfloat162float(v));
}
__INGOT_DEVICE unsigned int __bfloat162uint_rz(__nv_bfloat16 v) {
  return __float2uint_rz(__bfloat162float(v));
}
__INGOT_DEVICE unsigned int __bfloat162uint_ru(__nv_bfloat16 v) {
  return __float2uint_ru(__bfloat162float(v));
}
__INGOT_DEVICE unsigned int __bfloat162uint_rd(__nv_bfloat16 v) {
  return __float2uint_rd(__bfloat162float(v));
}
__INGOT_DEVICE long long __bfloat162ll_rn(__nv_bfloat16 v) {
  return __float2ll_rn(__bfloat162float(v));
}
__INGOT_DEVICE long long __bfloat162ll_rz(__nv_bfloat16 v) {
  return __float2ll_rz(__bfloat162float(v));
}
__INGOT_DEVICE long long __bfloat162ll_ru(__nv_bfloat16 v) {
  return __float2ll_ru(__bfloat162float(v));
}
__INGOT_DEVICE long long __bfloat162ll_rd(__nv_bfloat16 v) {
  return __float2ll_rd(__bfloat162float(v));
}
__INGOT_DEVICE unsigned long long __bfloat162ull_rn(__nv_bfloat16 v) {
  return __float2ull_rn(__bfloat162float(v));
}
__INGOT_DEVICE unsigned long long __bfloat162ull_rz(__nv_bfloat16 v) {
  return __float2ull_rz(__bfloat162float(v));
}
__INGOT_DEVICE unsigned long long __bfloat162ull_ru(__nv_bfloat16 v) {
  return __float2ull_ru(__bfloat162float(v));
}
__INGOT_DEVICE unsigned long long __bfloat162ull_rd(__nv_bfloat16 v) {
  return __float2ull_rd(__bfloat162float(v));
}

__INGOT_DEVICE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}
__INGOT_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return __nv_bfloat162(v, v); }
__INGOT_DEVICE __nv_bfloat162 __float2bfloat162_rn(float v) {
  return __bfloat162bfloat162(__float2bfloat16(v));
}
__INGOT_DEVICE __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return __nv_bfloat162(__float2bfloat16(low), __float2bfloat16(high));
}
__INGOT_DEVICE __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return __floats2bfloat162_rn(v.x, v.y);
}
__INGOT_DEVICE float2 __bfloat1622float2(__nv_bfloat162 v) {
  return make_float2(__bfloat162float(v.x), __bfloat162float(v.y));
}
__INGOT_DEVICE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
__INGOT_DEVICE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
__INGOT_DEVICE float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
__INGOT_DEVICE float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }
__INGOT_DEVICE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
__INGOT_DEVICE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) {
  return __nv_bfloat162(v.y, v.y);
}
__INGOT_DEVICE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) {
  return __nv_bfloat162(v.y, v.x);
}
__INGOT_DEVICE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 v, __nv_bfloat162 w) {
  return __nv_bfloat162(v.x, w.x);
}
__INGOT_DEVICE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 v, __nv_bfloat162 w) {
  return __nv_bfloat162(v.y, w.y);
}
__INGOT_DEVICE __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}

// ---- Arithmetic, each for one number and for two at once. The _rn forms are never joined into a
// fused multiplication, which the backend does to plain ones whatever the source says.
#define __INGOT_BFLOAT16_OPERATION(name, name2, op)                                       \
  __INGOT_DEVICE __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                   \
    return __ingot_bfloat16(a.__x op b.__x);                                              \
  }                                                                                       \
  __INGOT_DEVICE __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b) {               \
    return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                \
  }                                                                                       \
  __INGOT_DEVICE __nv_bfloat16 operator op(__nv_bfloat16 a, __nv_bfloat16 b) {            \
    return name(a, b);                                                                    \
  }                                                                                       \
  __INGOT_DEVICE __nv_bfloat162 operator op(__nv_bfloat162 a, __nv_bfloat162 b) {         \
    return name2(a, b);                                                                   \
  }                                                                                       \
  __INGOT_DEVICE __nv_bfloat16& operator op## = (__nv_bfloat16 & a, __nv_bfloat16 b) {    \
    return a = name(a, b);                                                                \
  }                                                                                       \
  __INGOT_DEVICE __nv_bfloat162& operator op## = (__nv_bfloat162 & a, __nv_bfloat162 b) { \
    return a = name2(a, b);                                                               \
  }
__INGOT_BFLOAT16_OPERATION(__hadd, __hadd2, +)
__INGOT_BFLOAT16_OPERATION(__hsub, __hsub2, -)
__INGOT_BFLOAT16_OPERATION(__hmul, __hmul2, *)
__INGOT_BFLOAT16_OPERATION(__hdiv, __h2div, /)
#undef __INGOT_BFLOAT16_OPERATION

// A float has more than twice the digits, so rounding to float first changes no result.
#define __INGOT_BFLOAT16_UNFUSED(name, name2, float_name)                          \
  __INGOT_DEVICE __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {            \
    return __float2bfloat16(float_name(__bfloat162float(a), __bfloat162float(b))); \
  }                                                                                \
  __INGOT_DEVICE __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b) {        \
    return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                         \
  }
__INGOT_BFLOAT16_UNFUSED(__hadd_rn, __hadd2_rn, __fadd_rn)
__INGOT_BFLOAT16_UNFUSED(__hsub_rn, __hsub2_rn, __fsub_rn)
__INGOT_BFLOAT16_UNFUSED(__hmul_rn, __hmul2_rn, __fmul_rn)
#undef __INGOT_BFLOAT16_UNFUSED

__INGOT_DEVICE __nv_bfloat16 operator+(__nv_bfloat16 v) { return v; }
__INGOT_DEVICE __nv_bfloat162 operator+(__nv_bfloat162 v) { return v; }
__INGOT_DEVICE __nv_bfloat16 __hneg(__nv_bfloat16 v) { return __ingot_bfloat16(-v.__x); }
__INGOT_DEVICE __nv_bfloat162 __hneg2(__nv_bfloat162 v) {
  return __nv_bfloat162(__hneg(v.x), __hneg(v.y));
}
__INGOT_DEVICE __nv_bfloat16 operator-(__nv_bfloat16 v) { return __hneg(v); }
__INGOT_DEVICE __nv_bfloat162 operator-(__nv_bfloat162 v) { return __hneg2(v); }
__INGOT_DEVICE __nv_bfloat16& operator++(__nv_bfloat16& v) { return v += __nv_bfloat16(1.0F); }
__INGOT_DEVICE __nv_bfloat16& operator--(__nv_bfloat16& v) { return v -= __nv_bfloat16(1.0F); }
__INGOT_DEVICE __nv_bfloat16 operator++(__nv_bfloat16& v, int) {
  const __nv_bfloat16 old = v;
  ++v;
  return old;
}
__INGOT_DEVICE __nv_bfloat16 operator--(__nv_bfloat16& v, int) {
  const __nv_bfloat16 old = v;
  --v;
  return old;
}
__INGOT_DEVICE __nv_bfloat16 __habs(__nv_bfloat16 v) {
  return __ushort_as_bfloat16(__bfloat16_as_ushort(v) & 0x7fffU);
}
__INGOT_DEVICE __nv_bfloat162 __habs2(__nv_bfloat162 v) {
  return __nv_bfloat162(__habs(v.x), __habs(v.y));
}
__INGOT_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __ingot_bfloat16(__builtin_elementwise_fma(a.__x, b.__x, c.__x));
}
__INGOT_DEVICE __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
// Into [0, 1]; NaN becomes 0.
__INGOT_DEVICE __nv_bfloat16 __ingot_saturated(__nv_bfloat16 v) {
  return __float2bfloat16(__saturatef(__bfloat162float(v)));
}
__INGOT_DEVICE __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __ingot_saturated(a + b);
}
__INGOT_DEVICE __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __ingot_saturated(a - b);
}
__INGOT_DEVICE __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __ingot_saturated(a * b);
}
__INGOT_DEVICE __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __ingot_saturated(__hfma(a, b, c));
}
__INGOT_DEVICE __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  const __nv_bfloat16 v = __hfma(a, b, c);
  return static_cast<float>(v) < 0.0F ? __nv_bfloat16(0.0F) : v;
}

// ---- Comparisons: false if either is not a number, with u true. The operators are those of float.
__INGOT_DEVICE bool __ingot_unordered(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __builtin_isunordered(static_cast<float>(a), static_cast<float>(b));
}
#define __INGOT_BFLOAT16_COMPARISON(name, op)                                      \
  __INGOT_DEVICE bool operator op(__nv_bfloat16 a, __nv_bfloat16 b) {              \
    return static_cast<float>(a) op static_cast<float>(b);                         \
  }                                                                                \
  __INGOT_DEVICE bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {                \
    return !__ingot_unordered(a, b) && a op b;                                     \
  }                                                                                \
  __INGOT_DEVICE bool __h##name##u(__nv_bfloat16 a, __nv_bfloat16 b) {             \
    return __ingot_unordered(a, b) || a op b;                                      \
  }                                                                                \
  __INGOT_DEVICE __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { \
    return __nv_bfloat162(__nv_bfloat16(__h##name(a.x, b.x) ? 1.0F : 0.0F),        \
                          __nv_bfloat16(__h##name(a.y, b.y) ? 1.0F : 0.0F));       \
  }                                                                                \
  __INGOT_DEVICE bool __hb##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {          \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                             \
  }                                                                                \
  __INGOT_DEVICE bool operator op(__nv_bfloat162 a, __nv_bfloat162 b) {            \
    return __hb##name##2(a, b);                                                    \
  }
__INGOT_BFLOAT16_COMPARISON(eq, ==)
__INGOT_BFLOAT16_COMPARISON(ne, !=)
__INGOT_BFLOAT16_COMPARISON(lt, <)
__INGOT_BFLOAT16_COMPARISON(le, <=)
__INGOT_BFLOAT16_COMPARISON(gt, >)
__INGOT_BFLOAT16_COMPARISON(ge, >=)
#undef __INGOT_BFLOAT16_COMPARISON
__INGOT_DEVICE bool __hisnan(__nv_bfloat16 v) { return __ingot_unordered(v, v); }
__INGOT_DEVICE int __hisinf(__nv_bfloat16 v) {
  const float f = __bfloat162float(v);
  return __builtin_isinf(f) ? (f < 0.0F ? -1 : 1) : 0;
}
__INGOT_DEVICE __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __float2bfloat16(__builtin_fminf(__bfloat162float(a), __bfloat162float(b)));
}
__INGOT_DEVICE __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __float2bfloat16(__builtin_fmaxf(__bfloat162float(a), __bfloat162float(b)));
}
__INGOT_DEVICE __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
__INGOT_DEVICE __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}

// ---- Functions, by way of float.
#define __INGOT_BFLOAT16_FUNCTION(name, expression)          \
  __INGOT_DEVICE __nv_bfloat16 h##name(__nv_bfloat16 v) {    \
    const float f = __bfloat162float(v);                     \
    return __float2bfloat16(expression);                     \
  }                                                          \
  __INGOT_DEVICE __nv_bfloat162 h2##name(__nv_bfloat162 v) { \
    return __nv_bfloat162(h##name(v.x), h##name(v.y));       \
  }
__INGOT_BFLOAT16_FUNCTION(ceil, __builtin_ceilf(f))
__INGOT_BFLOAT16_FUNCTION(floor, __builtin_floorf(f))
__INGOT_BFLOAT16_FUNCTION(rint, __builtin_rintf(f))
__INGOT_BFLOAT16_FUNCTION(trunc, __builtin_truncf(f))
__INGOT_BFLOAT16_FUNCTION(sqrt, __builtin_sqrtf(f))
__INGOT_BFLOAT16_FUNCTION(rsqrt, __nvvm_rsqrt_approx_f(f))
__INGOT_BFLOAT16_FUNCTION(rcp, __frcp_rn(f))
__INGOT_BFLOAT16_FUNCTION(exp, __expf(f))
__INGOT_BFLOAT16_FUNCTION(exp2, __nvvm_ex2_approx_f(f))
__INGOT_BFLOAT16_FUNCTION(exp10, __exp10f(f))
__INGOT_BFLOAT16_FUNCTION(log, __logf(f))
__INGOT_BFLOAT16_FUNCTION(log2, __log2f(f))
__INGOT_BFLOAT16_FUNCTION(log10, __log10f(f))
__INGOT_BFLOAT16_FUNCTION(sin, sinf(f))
__INGOT_BFLOAT16_FUNCTION(cos, cosf(f))
#undef __INGOT_BFLOAT16_FUNCTION

// ---- Shuffles and atomics. __ldg and its like take these types as any other.
#define __INGOT_BFLOAT16_SHUFFLE(name, lane)                                                  \
  __INGOT_DEVICE __nv_bfloat16 name(unsigned int mask, __nv_bfloat16 v, lane which,           \
                                    int width = 32) {                                         \
    return __ushort_as_bfloat16(static_cast<unsigned short>(                                  \
        name(mask, static_cast<unsigned int>(__bfloat16_as_ushort(v)), which, width)));       \
  }                                                                                           \
  __INGOT_DEVICE __nv_bfloat162 name(unsigned int mask, __nv_bfloat162 v, lane which,         \
                                     int width = 32) {                                        \
    return __builtin_bit_cast(__nv_bfloat162,                                                 \
                              name(mask, __builtin_bit_cast(unsigned int, v), which, width)); \
  }
__INGOT_BFLOAT16_SHUFFLE(__shfl_sync, int)
__INGOT_BFLOAT16_SHUFFLE(__shfl_up_sync, unsigned int)
__INGOT_BFLOAT16_SHUFFLE(__shfl_down_sync, unsigned int)
__INGOT_BFLOAT16_SHUFFLE(__shfl_xor_sync, int)
#undef __INGOT_BFLOAT16_SHUFFLE

#if __CUDA_ARCH__ >= 900
// The two elements are added one by one; the pair is not one atomic access.
__INGOT_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
  unsigned int old;
  __asm__ volatile("atom.add.noftz.bf16x2 %0, [%1], %2;"
                   : "=r"(old)
                   : "l"(address), "r"(__builtin_bit_cast(unsigned int, value))
                   : "memory");
  return __builtin_bit_cast(__nv_bfloat162, old);
}
#endif
#if __CUDA_ARCH__ >= 900
__INGOT_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
  unsigned short old;
  __asm__ volatile("atom.add.noftz.bf16 %0, [%1], %2;"
                   : "=h"(old)
                   : "l"(address), "h"(__bfloat16_as_ushort(value))
                   : "memory");
  return __ushort_as_bfloat16(old);
}
#endif

#endif  // INGOT_CUDA_BF16_H_
