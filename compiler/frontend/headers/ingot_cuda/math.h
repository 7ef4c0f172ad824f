// The math functions of C, C++ and CUDA.
//
// What the hardware has an instruction for, or a few, is here. Everything else is a call of
// __nv_NAME, a name of libdevice's, which a runtime library or libdevice itself resolves; without
// one ptxas reports the name. Clang's own sin, exp, … would not do: LLVM's NVPTX backend cannot
// lower the intrinsics it makes of them.
#ifndef INGOT_CUDA_MATH_H_
#define INGOT_CUDA_MATH_H_

#pragma GCC system_header

#include <limits.h>

#include "conversions.h"
#include "float_intrinsics.h"
#include "keywords.h"

#define __INGOT_LIBRARY __device__ __attribute__((const, nothrow))
#define __INGOT_LIBRARY_OUT __device__ __attribute__((nothrow))

// ---- What a runtime library resolves.

#define __INGOT_UNARY(name)                                           \
  extern "C" __INGOT_LIBRARY double __nv_##name(double);              \
  extern "C" __INGOT_LIBRARY float __nv_##name##f(float);             \
  __INGOT_DEVICE double name(double x) { return __nv_##name(x); }     \
  __INGOT_DEVICE float name##f(float x) { return __nv_##name##f(x); } \
  __INGOT_DEVICE float name(float x) { return name##f(x); }
#define __INGOT_BINARY(name)                                                      \
  extern "C" __INGOT_LIBRARY double __nv_##name(double, double);                  \
  extern "C" __INGOT_LIBRARY float __nv_##name##f(float, float);                  \
  __INGOT_DEVICE double name(double x, double y) { return __nv_##name(x, y); }    \
  __INGOT_DEVICE float name##f(float x, float y) { return __nv_##name##f(x, y); } \
  __INGOT_DEVICE float name(float x, float y) { return name##f(x, y); }
#define __INGOT_TERNARY(name)                                                                 \
  extern "C" __INGOT_LIBRARY double __nv_##name(double, double, double);                      \
  extern "C" __INGOT_LIBRARY float __nv_##name##f(float, float, float);                       \
  __INGOT_DEVICE double name(double x, double y, double z) { return __nv_##name(x, y, z); }   \
  __INGOT_DEVICE float name##f(float x, float y, float z) { return __nv_##name##f(x, y, z); } \
  __INGOT_DEVICE float name(float x, float y, float z) { return name##f(x, y, z); }
#define __INGOT_QUATERNARY(name)                                                 \
  extern "C" __INGOT_LIBRARY double __nv_##name(double, double, double, double); \
  extern "C" __INGOT_LIBRARY float __nv_##name##f(float, float, float, float);   \
  __INGOT_DEVICE double name(double x, double y, double z, double w) {           \
    return __nv_##name(x, y, z, w);                                              \
  }                                                                              \
  __INGOT_DEVICE float name##f(float x, float y, float z, float w) {             \
    return __nv_##name##f(x, y, z, w);                                           \
  }                                                                              \
  __INGOT_DEVICE float name(float x, float y, float z, float w) { return name##f(x, y, z, w); }
// Two results by pointer.
#define __INGOT_PAIR(name)                                                   \
  extern "C" __INGOT_LIBRARY_OUT void __nv_##name(double, double*, double*); \
  extern "C" __INGOT_LIBRARY_OUT void __nv_##name##f(float, float*, float*); \
  __INGOT_DEVICE void name(double x, double* first, double* second) {        \
    __nv_##name(x, first, second);                                           \
  }                                                                          \
  __INGOT_DEVICE void name##f(float x, float* first, float* second) {        \
    __nv_##name##f(x, first, second);                                        \
  }                                                                          \
  __INGOT_DEVICE void name(float x, float* first, float* second) { name##f(x, first, second); }
// An integer first or second.
#define __INGOT_ORDER(name)                                                     \
  extern "C" __INGOT_LIBRARY double __nv_##name(int, double);                   \
  extern "C" __INGOT_LIBRARY float __nv_##name##f(int, float);                  \
  __INGOT_DEVICE double name(int n, double x) { return __nv_##name(n, x); }     \
  __INGOT_DEVICE float name##f(int n, float x) { return __nv_##name##f(n, x); } \
  __INGOT_DEVICE float name(int n, float x) { return name##f(n, x); }

// The macro of Clang's -fgpu-approx-transcendentals, which -ffast-math implies: then the hardware's
// functions will do.
#ifdef __CLANG_GPU_APPROX_TRANSCENDENTALS__
#define __INGOT_FAST_UNARY(name)                                   \
  extern "C" __INGOT_LIBRARY double __nv_##name(double);           \
  __INGOT_DEVICE double name(double x) { return __nv_##name(x); }  \
  __INGOT_DEVICE float name##f(float x) { return __##name##f(x); } \
  __INGOT_DEVICE float name(float x) { return __##name##f(x); }
#else
#define __INGOT_FAST_UNARY(name) __INGOT_UNARY(name)
#endif
__INGOT_FAST_UNARY(sin)
__INGOT_FAST_UNARY(cos)
__INGOT_FAST_UNARY(tan)
__INGOT_FAST_UNARY(exp)
__INGOT_FAST_UNARY(exp10)
__INGOT_FAST_UNARY(log)
__INGOT_FAST_UNARY(log2)
__INGOT_FAST_UNARY(log10)
#undef __INGOT_FAST_UNARY

__INGOT_UNARY(acos)
__INGOT_UNARY(acosh)
__INGOT_UNARY(asin)
__INGOT_UNARY(asinh)
__INGOT_UNARY(atan)
__INGOT_UNARY(atanh)
__INGOT_UNARY(cbrt)
__INGOT_UNARY(cosh)
__INGOT_UNARY(cospi)
__INGOT_UNARY(cyl_bessel_i0)
__INGOT_UNARY(cyl_bessel_i1)
__INGOT_UNARY(erf)
__INGOT_UNARY(erfc)
__INGOT_UNARY(erfcinv)
__INGOT_UNARY(erfcx)
__INGOT_UNARY(erfinv)
__INGOT_UNARY(expm1)
__INGOT_UNARY(j0)
__INGOT_UNARY(j1)
__INGOT_UNARY(lgamma)
__INGOT_UNARY(log1p)
__INGOT_UNARY(logb)
__INGOT_UNARY(normcdf)
__INGOT_UNARY(normcdfinv)
__INGOT_UNARY(rcbrt)
__INGOT_UNARY(sinh)
__INGOT_UNARY(sinpi)
__INGOT_UNARY(tanh)
__INGOT_UNARY(tgamma)
__INGOT_UNARY(y0)
__INGOT_UNARY(y1)
__INGOT_BINARY(atan2)
__INGOT_BINARY(fmod)
__INGOT_BINARY(hypot)
__INGOT_BINARY(nextafter)
__INGOT_BINARY(remainder)
__INGOT_BINARY(rhypot)
__INGOT_TERNARY(norm3d)
__INGOT_TERNARY(rnorm3d)
__INGOT_QUATERNARY(norm4d)
__INGOT_QUATERNARY(rnorm4d)
__INGOT_PAIR(sincospi)
__INGOT_ORDER(jn)
__INGOT_ORDER(yn)

extern "C" __INGOT_LIBRARY double __nv_exp2(double);
__INGOT_DEVICE double exp2(double x) { return __nv_exp2(x); }
// The instruction itself is within two units of the last place, which is what CUDA promises.
__INGOT_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
__INGOT_DEVICE float exp2(float x) { return exp2f(x); }

extern "C" __INGOT_LIBRARY double __nv_pow(double, double);
extern "C" __INGOT_LIBRARY double __nv_powi(double, int);
extern "C" __INGOT_LIBRARY float __nv_powif(float, int);
__INGOT_DEVICE double pow(double x, double y) { return __nv_pow(x, y); }
__INGOT_DEVICE double pow(double x, int y) { return __nv_powi(x, y); }
__INGOT_DEVICE float pow(float x, int y) { return __nv_powif(x, y); }
__INGOT_DEVICE double powi(double x, int y) { return __nv_powi(x, y); }
__INGOT_DEVICE float powif(float x, int y) { return __nv_powif(x, y); }

extern "C" __INGOT_LIBRARY_OUT void __nv_sincos(double, double*, double*);
__INGOT_DEVICE void sincos(double x, double* sine, double* cosine) { __nv_sincos(x, sine, cosine); }
#ifdef __CLANG_GPU_APPROX_TRANSCENDENTALS__
__INGOT_DEVICE float powf(float x, float y) { return __powf(x, y); }
__INGOT_DEVICE void sincosf(float x, float* sine, float* cosine) { __sincosf(x, sine, cosine); }
#else
extern "C" __INGOT_LIBRARY float __nv_powf(float, float);
extern "C" __INGOT_LIBRARY_OUT void __nv_sincosf(float, float*, float*);
__INGOT_DEVICE float powf(float x, float y) { return __nv_powf(x, y); }
__INGOT_DEVICE void sincosf(float x, float* sine, float* cosine) { __nv_sincosf(x, sine, cosine); }
#endif
__INGOT_DEVICE float pow(float x, float y) { return powf(x, y); }
__INGOT_DEVICE void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }

extern "C" __INGOT_LIBRARY int __nv_ilogb(double);
extern "C" __INGOT_LIBRARY int __nv_ilogbf(float);
__INGOT_DEVICE int ilogb(double x) { return __nv_ilogb(x); }
__INGOT_DEVICE int ilogbf(float x) { return __nv_ilogbf(x); }
__INGOT_DEVICE int ilogb(float x) { return __nv_ilogbf(x); }

extern "C" __INGOT_LIBRARY_OUT double __nv_remquo(double, double, int*);
extern "C" __INGOT_LIBRARY_OUT float __nv_remquof(float, float, int*);
__INGOT_DEVICE double remquo(double x, double y, int* quotient) {
  return __nv_remquo(x, y, quotient);
}
__INGOT_DEVICE float remquof(float x, float y, int* quotient) {
  return __nv_remquof(x, y, quotient);
}
__INGOT_DEVICE float remquo(float x, float y, int* quotient) {
  return __nv_remquof(x, y, quotient);
}

#undef __INGOT_ORDER
#undef __INGOT_PAIR
#undef __INGOT_QUATERNARY
#undef __INGOT_TERNARY
#undef __INGOT_BINARY
#undef __INGOT_UNARY
#undef __INGOT_LIBRARY
#undef __INGOT_LIBRARY_OUT

// ---- What LLVM lowers to instructions.

#define __INGOT_UNARY(name)                                                \
  __INGOT_DEVICE double name(double x) { return __builtin_##name(x); }     \
  __INGOT_DEVICE float name##f(float x) { return __builtin_##name##f(x); } \
  __INGOT_DEVICE float name(float x) { return __builtin_##name##f(x); }
__INGOT_UNARY(ceil)
__INGOT_UNARY(fabs)
__INGOT_UNARY(floor)
__INGOT_UNARY(nearbyint)
__INGOT_UNARY(rint)
__INGOT_UNARY(round)
__INGOT_UNARY(roundeven)
__INGOT_UNARY(trunc)
#undef __INGOT_UNARY
#define __INGOT_BINARY(name)                                                           \
  __INGOT_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }    \
  __INGOT_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  __INGOT_DEVICE float name(float x, float y) { return __builtin_##name##f(x, y); }
__INGOT_BINARY(copysign)
__INGOT_BINARY(fmax)
__INGOT_BINARY(fmin)
#undef __INGOT_BINARY

__INGOT_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }
__INGOT_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
__INGOT_DEVICE float sqrt(float x) { return sqrtf(x); }
__INGOT_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
__INGOT_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
__INGOT_DEVICE float rsqrt(float x) { return rsqrtf(x); }
__INGOT_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__INGOT_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__INGOT_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__INGOT_DEVICE double fdim(double x, double y) { return x <= y ? 0.0 : x - y; }
__INGOT_DEVICE float fdimf(float x, float y) { return x <= y ? 0.0F : x - y; }
__INGOT_DEVICE float fdim(float x, float y) { return fdimf(x, y); }
__INGOT_DEVICE float fdividef(float x, float y) { return x / y; }
__INGOT_DEVICE double fdivide(double x, double y) { return x / y; }

__INGOT_DEVICE double ldexp(double x, int exponent) { return __builtin_ldexp(x, exponent); }
__INGOT_DEVICE float ldexpf(float x, int exponent) { return __builtin_ldexpf(x, exponent); }
__INGOT_DEVICE float ldexp(float x, int exponent) { return __builtin_ldexpf(x, exponent); }
__INGOT_DEVICE double scalbn(double x, int exponent) { return __builtin_ldexp(x, exponent); }
__INGOT_DEVICE float scalbnf(float x, int exponent) { return __builtin_ldexpf(x, exponent); }
__INGOT_DEVICE float scalbn(float x, int exponent) { return __builtin_ldexpf(x, exponent); }
// Far outside of any exponent's range the end of int's is as good.
__INGOT_DEVICE int __ingot_exponent(long exponent) {
  return static_cast<int>(exponent > INT_MAX ? INT_MAX : exponent < INT_MIN ? INT_MIN : exponent);
}
__INGOT_DEVICE double scalbln(double x, long exponent) {
  return __builtin_ldexp(x, __ingot_exponent(exponent));
}
__INGOT_DEVICE float scalblnf(float x, long exponent) {
  return __builtin_ldexpf(x, __ingot_exponent(exponent));
}
__INGOT_DEVICE float scalbln(float x, long exponent) { return scalblnf(x, exponent); }
__INGOT_DEVICE double frexp(double x, int* exponent) { return __builtin_frexp(x, exponent); }
__INGOT_DEVICE float frexpf(float x, int* exponent) { return __builtin_frexpf(x, exponent); }
__INGOT_DEVICE float frexp(float x, int* exponent) { return __builtin_frexpf(x, exponent); }
__INGOT_DEVICE double modf(double x, double* whole) {
  *whole = __builtin_trunc(x);
  return __builtin_copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x);
}
__INGOT_DEVICE float modff(float x, float* whole) {
  *whole = __builtin_truncf(x);
  return __builtin_copysignf(__builtin_isinf(x) ? 0.0F : x - *whole, x);
}
__INGOT_DEVICE float modf(float x, float* whole) { return modff(x, whole); }

__INGOT_DEVICE long lrint(double x) { return __nvvm_d2ll_rn(x); }
__INGOT_DEVICE long lrintf(float x) { return __nvvm_f2ll_rn(x); }
__INGOT_DEVICE long lrint(float x) { return lrintf(x); }
__INGOT_DEVICE long long llrint(double x) { return __nvvm_d2ll_rn(x); }
__INGOT_DEVICE long long llrintf(float x) { return __nvvm_f2ll_rn(x); }
__INGOT_DEVICE long long llrint(float x) { return llrintf(x); }
__INGOT_DEVICE long lround(double x) { return __nvvm_d2ll_rz(__builtin_round(x)); }
__INGOT_DEVICE long lroundf(float x) { return __nvvm_f2ll_rz(__builtin_roundf(x)); }
__INGOT_DEVICE long lround(float x) { return lroundf(x); }
__INGOT_DEVICE long long llround(double x) { return __nvvm_d2ll_rz(__builtin_round(x)); }
__INGOT_DEVICE long long llroundf(float x) { return __nvvm_f2ll_rz(__builtin_roundf(x)); }
__INGOT_DEVICE long long llround(float x) { return llroundf(x); }

__INGOT_DEVICE double nan(const char*) { return __builtin_nan(""); }
__INGOT_DEVICE float nanf(const char*) { return __builtin_nanf(""); }

// C's macros of these names would hide the functions.
#undef isfinite
#undef isinf
#undef isnan
#undef isnormal
#undef signbit
#define __INGOT_CLASSIFY(name)                                       \
  __INGOT_DEVICE bool name(double x) { return __builtin_##name(x); } \
  __INGOT_DEVICE bool name(float x) { return __builtin_##name(x); }
__INGOT_CLASSIFY(isfinite)
__INGOT_CLASSIFY(isinf)
__INGOT_CLASSIFY(isnan)
__INGOT_CLASSIFY(isnormal)
__INGOT_CLASSIFY(signbit)
#undef __INGOT_CLASSIFY
__INGOT_DEVICE int __isnan(double x) { return __builtin_isnan(x); }
__INGOT_DEVICE int __isnanf(float x) { return __builtin_isnan(x); }
__INGOT_DEVICE int __isinf(double x) { return __builtin_isinf(x); }
__INGOT_DEVICE int __isinff(float x) { return __builtin_isinf(x); }
__INGOT_DEVICE int __finite(double x) { return __builtin_isfinite(x); }
__INGOT_DEVICE int __finitef(float x) { return __builtin_isfinite(x); }
__INGOT_DEVICE int __signbit(double x) { return __builtin_signbit(x); }
__INGOT_DEVICE int __signbitf(float x) { return __builtin_signbit(x); }

// Integers. The least of them has no absolute value and stays as it is.
__INGOT_DEVICE int abs(int x) { return __builtin_elementwise_abs(x); }
__INGOT_DEVICE long abs(long x) { return __builtin_elementwise_abs(x); }
__INGOT_DEVICE long long abs(long long x) { return __builtin_elementwise_abs(x); }
__INGOT_DEVICE double abs(double x) { return __builtin_fabs(x); }
__INGOT_DEVICE float abs(float x) { return __builtin_fabsf(x); }
__INGOT_DEVICE long labs(long x) { return abs(x); }
__INGOT_DEVICE long long llabs(long long x) { return abs(x); }

#define __INGOT_EXTREMES(result, first, second)                                      \
  __INGOT_DEVICE constexpr result min(first x, second y) {                           \
    return static_cast<result>(x) < static_cast<result>(y) ? static_cast<result>(x)  \
                                                           : static_cast<result>(y); \
  }                                                                                  \
  __INGOT_DEVICE constexpr result max(first x, second y) {                           \
    return static_cast<result>(x) < static_cast<result>(y) ? static_cast<result>(y)  \
                                                           : static_cast<result>(x); \
  }
__INGOT_EXTREMES(int, int, int)
__INGOT_EXTREMES(unsigned int, unsigned int, unsigned int)
__INGOT_EXTREMES(unsigned int, unsigned int, int)
__INGOT_EXTREMES(unsigned int, int, unsigned int)
__INGOT_EXTREMES(long, long, long)
__INGOT_EXTREMES(unsigned long, unsigned long, unsigned long)
__INGOT_EXTREMES(unsigned long, unsigned long, long)
__INGOT_EXTREMES(unsigned long, long, unsigned long)
__INGOT_EXTREMES(long long, long long, long long)
__INGOT_EXTREMES(unsigned long long, unsigned long long, unsigned long long)
__INGOT_EXTREMES(unsigned long long, unsigned long long, long long)
__INGOT_EXTREMES(unsigned long long, long long, unsigned long long)
#undef __INGOT_EXTREMES
// As fmin and fmax: what is not a number loses.
__INGOT_DEVICE float min(float x, float y) { return __builtin_fminf(x, y); }
__INGOT_DEVICE float max(float x, float y) { return __builtin_fmaxf(x, y); }
__INGOT_DEVICE double min(double x, double y) { return __builtin_fmin(x, y); }
__INGOT_DEVICE double max(double x, double y) { return __builtin_fmax(x, y); }
__INGOT_DEVICE double min(float x, double y) { return __builtin_fmin(x, y); }
__INGOT_DEVICE double max(float x, double y) { return __builtin_fmax(x, y); }
__INGOT_DEVICE double min(double x, float y) { return __builtin_fmin(x, y); }
__INGOT_DEVICE double max(double x, float y) { return __builtin_fmax(x, y); }
__INGOT_DEVICE unsigned int umin(unsigned int x, unsigned int y) { return min(x, y); }
__INGOT_DEVICE unsigned int umax(unsigned int x, unsigned int y) { return max(x, y); }
__INGOT_DEVICE long long llmin(long long x, long long y) { return min(x, y); }
__INGOT_DEVICE long long llmax(long long x, long long y) { return max(x, y); }
__INGOT_DEVICE unsigned long long ullmin(unsigned long long x, unsigned long long y) {
  return min(x, y);
}
__INGOT_DEVICE unsigned long long ullmax(unsigned long long x, unsigned long long y) {
  return max(x, y);
}

// ---- C++: an integer counts as double; of two arguments, float only if both are.

template <typename T, bool kIntegral = __is_integral(T)>
struct __ingot_if_integral {};
template <typename T>
struct __ingot_if_integral<T, true> {
  typedef double type;
};
// No result for a pair that has an overload of its own, nor for anything but numbers.
template <typename T, typename U,
          bool kMixed = __is_arithmetic(T) && __is_arithmetic(U) &&
                        !(__is_same(T, float) && __is_same(U, float)) &&
                        !(__is_same(T, double) && __is_same(U, double))>
struct __ingot_if_mixed {};
template <typename T, typename U>
struct __ingot_if_mixed<T, U, true> {
  typedef double type;
};

#define __INGOT_INTEGRAL(name)                                     \
  template <typename T>                                            \
  __INGOT_DEVICE typename __ingot_if_integral<T>::type name(T x) { \
    return name(static_cast<double>(x));                           \
  }
__INGOT_INTEGRAL(acos)
__INGOT_INTEGRAL(acosh)
__INGOT_INTEGRAL(asin)
__INGOT_INTEGRAL(asinh)
__INGOT_INTEGRAL(atan)
__INGOT_INTEGRAL(atanh)
__INGOT_INTEGRAL(cbrt)
__INGOT_INTEGRAL(ceil)
__INGOT_INTEGRAL(cos)
__INGOT_INTEGRAL(cosh)
__INGOT_INTEGRAL(erf)
__INGOT_INTEGRAL(erfc)
__INGOT_INTEGRAL(exp)
__INGOT_INTEGRAL(exp2)
__INGOT_INTEGRAL(expm1)
__INGOT_INTEGRAL(fabs)
__INGOT_INTEGRAL(floor)
__INGOT_INTEGRAL(lgamma)
__INGOT_INTEGRAL(log)
__INGOT_INTEGRAL(log10)
__INGOT_INTEGRAL(log1p)
__INGOT_INTEGRAL(log2)
__INGOT_INTEGRAL(logb)
__INGOT_INTEGRAL(nearbyint)
__INGOT_INTEGRAL(rint)
__INGOT_INTEGRAL(round)
__INGOT_INTEGRAL(rsqrt)
__INGOT_INTEGRAL(sin)
__INGOT_INTEGRAL(sinh)
__INGOT_INTEGRAL(sqrt)
__INGOT_INTEGRAL(tan)
__INGOT_INTEGRAL(tanh)
__INGOT_INTEGRAL(tgamma)
__INGOT_INTEGRAL(trunc)
#undef __INGOT_INTEGRAL

#define __INGOT_MIXED(name)                                             \
  template <typename T, typename U>                                     \
  __INGOT_DEVICE typename __ingot_if_mixed<T, U>::type name(T x, U y) { \
    return name(static_cast<double>(x), static_cast<double>(y));        \
  }
__INGOT_MIXED(atan2)
__INGOT_MIXED(copysign)
__INGOT_MIXED(fdim)
__INGOT_MIXED(fmax)
__INGOT_MIXED(fmin)
__INGOT_MIXED(fmod)
__INGOT_MIXED(hypot)
__INGOT_MIXED(nextafter)
__INGOT_MIXED(pow)
__INGOT_MIXED(remainder)
#undef __INGOT_MIXED

#ifndef HUGE_VAL
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#endif
#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

#endif  // INGOT_CUDA_MATH_H_
