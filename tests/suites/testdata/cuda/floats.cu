// Float intrinsics and the math functions that need no library.
#include <math_constants.h>

#define EVERY_MODE(m)                                                                                                     \
  extern "C" __global__ void rounded_##m(float* f, double* d) {                                                           \
    f[0] = __fadd_##m(f[1], f[2]) * __fsub_##m(f[3], f[4]);                                                               \
    f[5] = __fmul_##m(f[1], f[2]) + __fdiv_##m(f[3], f[4]);                                                               \
    f[6] = __fmaf_##m(f[1], f[2], f[3]) + __frcp_##m(f[4]) + __fsqrt_##m(f[5]);                                           \
    d[0] = __dadd_##m(d[1], d[2]) * __dsub_##m(d[3], d[4]);                                                               \
    d[5] = __dmul_##m(d[1], d[2]) + __ddiv_##m(d[3], d[4]);                                                               \
    d[6] = __fma_##m(d[1], d[2], d[3]) + __drcp_##m(d[4]) + __dsqrt_##m(d[5]);                                            \
  }
EVERY_MODE(rn)
EVERY_MODE(rz)
EVERY_MODE(ru)
EVERY_MODE(rd)

// Not joined with the addition: the product is rounded first, as two-product algorithms need.
extern "C" __global__ void two_product(const float* in, float* out) {
  const float product = __fmul_rn(in[0], in[1]);
  out[0] = product;
  out[1] = __fmaf_rn(in[0], in[1], -product);
  out[2] = product + in[2];
}

extern "C" __global__ void fast(float* f) {
  float s;
  float c;
  __sincosf(f[0], &s, &c);
  f[1] = s + c + __sinf(f[2]) + __cosf(f[3]) + __tanf(f[4]);
  f[5] = __expf(f[6]) + __exp10f(f[7]) + __logf(f[8]) + __log2f(f[9]) + __log10f(f[10]) + __powf(f[11], f[12]);
  f[13] = __fdividef(f[14], f[15]) + __saturatef(f[16]) + __frsqrt_rn(f[17]) + fdividef(f[18], f[19]) + exp2f(f[20]);
#if __CUDA_ARCH__ >= 750
  f[21] = __tanhf(f[22]);
#endif
}

extern "C" __global__ void singles(float* f, int* i, long* l, long long* ll) {
  f[0] = sqrtf(f[1]) + rsqrtf(f[2]) + fabsf(f[3]) + floorf(f[4]) + ceilf(f[5]) + truncf(f[6]) + rintf(f[7]) + nearbyintf(f[8]) +
         roundf(f[9]) + roundevenf(f[10]);
  f[11] = fminf(f[12], f[13]) + fmaxf(f[14], f[15]) + copysignf(f[16], f[17]) + fdimf(f[18], f[19]) + fmaf(f[20], f[21], f[22]);
  f[23] = ldexpf(f[24], i[0]) + scalbnf(f[25], i[1]) + scalblnf(f[26], l[0]) + frexpf(f[27], &i[2]) + modff(f[28], &f[29]);
  l[1] = lrintf(f[30]) + lroundf(f[31]);
  ll[0] = llrintf(f[32]) + llroundf(f[33]);
  i[3] = isnan(f[34]) + isinf(f[35]) + isfinite(f[36]) + signbit(f[37]) + isnormal(f[38]);
  i[4] = __isnanf(f[39]) + __isinff(f[40]) + __finitef(f[41]) + __signbitf(f[42]);
  f[43] = nanf("") + CUDART_INF_F + NAN + INFINITY + HUGE_VALF + CUDART_PI_F + min(f[44], f[45]) + max(f[46], f[47]);
}

extern "C" __global__ void doubles(double* d, int* i, long* l, long long* ll) {
  d[0] = sqrt(d[1]) + rsqrt(d[2]) + fabs(d[3]) + floor(d[4]) + ceil(d[5]) + trunc(d[6]) + rint(d[7]) + nearbyint(d[8]) + round(d[9]) +
         roundeven(d[10]);
  d[11] = fmin(d[12], d[13]) + fmax(d[14], d[15]) + copysign(d[16], d[17]) + fdim(d[18], d[19]) + fma(d[20], d[21], d[22]);
  d[23] = ldexp(d[24], i[0]) + scalbn(d[25], i[1]) + scalbln(d[26], l[0]) + frexp(d[27], &i[2]) + modf(d[28], &d[29]);
  l[1] = lrint(d[30]) + lround(d[31]);
  ll[0] = llrint(d[32]) + llround(d[33]);
  i[3] = isnan(d[34]) + isinf(d[35]) + isfinite(d[36]) + signbit(d[37]) + isnormal(d[38]);
  i[4] = __isnan(d[39]) + __isinf(d[40]) + __finite(d[41]) + __signbit(d[42]);
  d[43] = nan("") + CUDART_INF + HUGE_VAL + CUDART_PI + M_E + fdivide(d[44], d[45]) + min(d[46], d[47]) + max(d[48], d[49]);
}

// C++ picks by type: float stays float, an integer counts as double.
template <typename T, typename U>
struct Same {
  static constexpr bool value = false;
};
template <typename T>
struct Same<T, T> {
  static constexpr bool value = true;
};
static_assert(Same<decltype(sqrt(1.0F)), float>::value && Same<decltype(sqrt(2)), double>::value, "");
static_assert(Same<decltype(fmax(1.0F, 1.0F)), float>::value && Same<decltype(fmax(1.0F, 2)), double>::value, "");
static_assert(Same<decltype(pow(2.0F, 2.0)), double>::value && Same<decltype(atan2(1, 1)), double>::value, "");
static_assert(Same<decltype(abs(-1.0F)), float>::value && Same<decltype(max(1.0F, 1.0)), double>::value, "");
static_assert(Same<decltype(sin(1.0F)), float>::value && Same<decltype(sin(1ULL)), double>::value, "");

extern "C" __global__ void overloads(float* f, double* d, int n) {
  f[0] = sqrt(f[1]) + rsqrt(f[2]) + fabs(f[3]) + floor(f[4]) + ceil(f[5]) + trunc(f[6]) + rint(f[7]) + nearbyint(f[8]) + round(f[9]) +
         roundeven(f[10]) + fmin(f[1], f[2]) + fmax(f[1], f[2]) + copysign(f[1], f[2]) + fdim(f[1], f[2]) + fma(f[1], f[2], f[3]) +
         ldexp(f[1], n) + scalbn(f[1], n) + scalbln(f[1], n) + frexp(f[1], &n) + modf(f[1], &f[2]) + abs(f[3]) + exp2(f[4]);
  d[0] = sqrt(n) + floor(n) + fmin(f[0], d[1]) + fmax(1, d[2]) + static_cast<double>(lrint(f[0]) + llrint(f[1]) + lround(f[2]) + llround(f[3])) +
         min(f[0], d[1]) + max(d[1], f[2]) + min(d[1], f[2]) + max(f[0], d[2]) + abs(d[3]);
}
