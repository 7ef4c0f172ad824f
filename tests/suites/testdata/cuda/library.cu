// The functions that a runtime library provides: the PTX names them, and ptxas takes it as one part of a program.
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define UNARY(f)                                                                                                \
  f(acos) f(acosh) f(asin) f(asinh) f(atan) f(atanh) f(cbrt) f(cos) f(cosh) f(cospi) f(cyl_bessel_i0)           \
      f(cyl_bessel_i1) f(erf) f(erfc) f(erfcinv) f(erfcx) f(erfinv) f(exp) f(exp10) f(expm1) f(j0) f(j1)        \
          f(lgamma) f(log) f(log10) f(log1p) f(log2) f(logb) f(normcdf) f(normcdfinv) f(rcbrt) f(sin) f(sinh)   \
              f(sinpi) f(tan) f(tanh) f(tgamma) f(y0) f(y1)
#define BINARY(f) f(atan2) f(fmod) f(hypot) f(nextafter) f(pow) f(remainder) f(rhypot)

#define CALL_UNARY(name) \
  d[threadIdx.x] += name(d[1]); \
  f[threadIdx.x] += name##f(f[1]) + name(f[2]);
#define CALL_BINARY(name) \
  d[threadIdx.x] += name(d[1], d[2]); \
  f[threadIdx.x] += name##f(f[1], f[2]) + name(f[2], f[3]);

extern "C" __global__ void unary(double* d, float* f) { UNARY(CALL_UNARY) }
extern "C" __global__ void binary(double* d, float* f) { BINARY(CALL_BINARY) }

extern "C" __global__ void others(double* d, float* f, int* i) {
  d[0] = norm3d(d[1], d[2], d[3]) + norm4d(d[1], d[2], d[3], d[4]) + rnorm3d(d[1], d[2], d[3]) + rnorm4d(d[1], d[2], d[3], d[4]);
  f[0] = norm3df(f[1], f[2], f[3]) + norm4df(f[1], f[2], f[3], f[4]) + rnorm3df(f[1], f[2], f[3]) + rnorm4df(f[1], f[2], f[3], f[4]);
  sincos(d[0], &d[1], &d[2]);
  sincospi(d[0], &d[3], &d[4]);
  sincosf(f[0], &f[1], &f[2]);
  sincospif(f[0], &f[3], &f[4]);
  sincos(f[0], &f[5], &f[6]);
  sincospi(f[0], &f[7], &f[8]);
  d[5] = jn(2, d[1]) + yn(3, d[2]) + exp2(d[3]) + pow(d[1], 3) + powi(d[1], 4) + remquo(d[1], d[2], i) + static_cast<double>(ilogb(d[3]));
  f[5] = jnf(2, f[1]) + ynf(3, f[2]) + pow(f[1], 3) + powif(f[1], 4) + remquof(f[1], f[2], i) + static_cast<float>(ilogbf(f[3]) + ilogb(f[4]));
  d[6] = sin(i[1]) + exp(2) + atan2(f[1], d[1]) + std::pow(d[1], f[1]) + fmod(i[0], 3) + remquo(f[1], f[2], i) + jn(1, f[1]) + yn(1, f[1]) +
         norm3d(f[1], f[2], f[3]) + rnorm3d(f[1], f[2], f[3]) + norm4d(f[1], f[2], f[3], f[4]) + rnorm4d(f[1], f[2], f[3], f[4]);
}

extern "C" __global__ void halves(half* h, half2* p, nv_bfloat16* b, nv_bfloat162* q) {
  h[0] = hsin(h[1]) + hcos(h[2]);
  p[0] = h2sin(p[1]) + h2cos(p[2]);
  b[0] = hsin(b[1]) + hcos(b[2]);
  q[0] = h2sin(q[1]) + h2cos(q[2]);
}

// Clang must not turn these into intrinsics that the backend aborts on, however they are written.
extern "C" __global__ void mandelbrot(float* out) {
  const float angle = static_cast<float>(threadIdx.x) * 0.01F;
  float x = std::cos(angle);
  float y = std::sin(angle);
  for (int i = 0; i < 100 && x * x + y * y < 4.0F; ++i) {
    const float t = x * x - y * y + std::exp(-x);
    y = 2.0F * x * y + std::log(y * y + 1.0F);
    x = t;
  }
  out[threadIdx.x] = std::pow(x, 2.0F) + std::tanh(y) + std::sqrt(std::fabs(x));
}
