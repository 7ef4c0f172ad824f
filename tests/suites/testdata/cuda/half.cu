// __half, __nv_bfloat16 and their pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static_assert(sizeof(__half) == 2 && sizeof(__half2) == 4 && alignof(__half2) == 4, "CUDA's layout");
static_assert(sizeof(nv_bfloat16) == 2 && sizeof(nv_bfloat162) == 4 && alignof(nv_bfloat162) == 4, "CUDA's layout");

template <typename T>
__device__ T operators(T a, T b, T c) {
  T r = a + b * c - a / b;
  r += a;
  r -= b;
  r *= c;
  r /= a;
  r = -r + (+b);
  return r;
}

template <typename T>
__device__ bool comparisons(T a, T b) {
  return a == b || a != b || a < b || a <= b || a > b || a >= b || __heq(a, b) || __hne(a, b) || __hlt(a, b) || __hle(a, b) ||
         __hgt(a, b) || __hge(a, b) || __hequ(a, b) || __hneu(a, b) || __hltu(a, b) || __hleu(a, b) || __hgtu(a, b) || __hgeu(a, b) ||
         __hisnan(a) || __hisinf(b);
}

template <typename T>
__device__ T functions(T a, T b, T c) {
  T r = __hadd(a, b) + __hsub(a, b) + __hmul(a, b) + __hdiv(a, b) + __hfma(a, b, c) + __hneg(a) + __habs(b);
  r += __hadd_rn(a, b) + __hsub_rn(a, b) + __hmul_rn(a, b);
  r += __hadd_sat(a, b) + __hsub_sat(a, b) + __hmul_sat(a, b) + __hfma_sat(a, b, c) + __hfma_relu(a, b, c);
  r += __hmin(a, b) + __hmax(a, c) + hceil(a) + hfloor(b) + hrint(c) + htrunc(a) + hsqrt(a) + hrsqrt(b) + hrcp(c);
  r += hexp(a) + hexp2(b) + hexp10(c) + hlog(a) + hlog2(b) + hlog10(c);
  if (r) ++r;
  --r;
  r++;
  r--;
  return comparisons(a, b) ? r : c;
}

template <typename T>
__device__ T pairs(T a, T b, T c) {
  T r = __hadd2(a, b) + __hsub2(a, b) + __hmul2(a, b) + __h2div(a, b) + __hfma2(a, b, c) + __hneg2(a) + __habs2(b);
  r += __hadd2_rn(a, b) + __hsub2_rn(a, b) + __hmul2_rn(a, b) + __hmin2(a, b) + __hmax2(a, b);
  r += __heq2(a, b) + __hne2(a, b) + __hlt2(a, b) + __hle2(a, b) + __hgt2(a, b) + __hge2(a, b);
  r += h2ceil(a) + h2floor(a) + h2rint(a) + h2trunc(a) + h2sqrt(a) + h2rsqrt(a) + h2rcp(a) + h2exp(a) + h2exp2(a) + h2exp10(a) + h2log(a) +
       h2log2(a) + h2log10(a) + __lowhigh2highlow(b);
  return __hbeq2(a, b) || __hbne2(a, b) || __hblt2(a, b) || __hble2(a, b) || __hbgt2(a, b) || __hbge2(a, b) ? r : operators(a, b, c);
}

template <typename T>
__device__ T lanes(T v) {
  return __shfl_sync(0xffffffffU, v, 3) + __shfl_up_sync(0xffffffffU, v, 1) + __shfl_down_sync(0xffffffffU, v, 2) +
         __shfl_xor_sync(0xffffffffU, v, 16);
}

template <typename T, typename T2>
__global__ void arithmetic(T* x, T2* p) {
  x[0] = operators(x[1], x[2], x[3]);
  x[4] = functions(x[1], x[2], x[3]);
  x[5] = lanes(x[6]);
  p[0] = operators(p[1], p[2], p[3]);
  p[4] = pairs(p[1], p[2], p[3]);
  p[5] = lanes(p[6]);
  __stcs(x + 7, __ldg(x + 8));
  __stcs(p + 7, __ldcg(p + 8));
}
template __global__ void arithmetic<__half, __half2>(__half*, __half2*);
template __global__ void arithmetic<__nv_bfloat16, __nv_bfloat162>(__nv_bfloat16*, __nv_bfloat162*);

extern "C" __global__ void half_conversions(half* h, half2* p, float* f, double* d, int* i, unsigned* u, long long* l, unsigned long long* w) {
  h[0] = __float2half(f[0]) + __float2half_rn(f[1]) + __float2half_rz(f[2]) + __float2half_ru(f[3]) + __float2half_rd(f[4]) +
         __double2half(d[0]) + __int2half_rn(i[0]) + __uint2half_rn(u[0]) + __short2half_rn(static_cast<short>(i[1])) +
         __ushort2half_rn(static_cast<unsigned short>(u[1])) + __ll2half_rn(l[0]) + __ull2half_rn(w[0]);
  i[2] = __half2int_rn(h[1]) + __half2int_rz(h[1]) + __half2int_ru(h[1]) + __half2int_rd(h[1]) + __half_as_short(h[2]);
  u[2] = __half2uint_rn(h[1]) + __half2uint_rz(h[1]) + __half2uint_ru(h[1]) + __half2uint_rd(h[1]) + __half_as_ushort(h[2]);
  l[1] = __half2ll_rn(h[1]) + __half2ll_rz(h[1]) + __half2ll_ru(h[1]) + __half2ll_rd(h[1]);
  w[1] = __half2ull_rn(h[1]) + __half2ull_rz(h[1]) + __half2ull_ru(h[1]) + __half2ull_rd(h[1]);
  h[3] = __ushort_as_half(0x3c00) + __short_as_half(1);
  f[5] = __half2float(h[4]) + __low2float(p[0]) + __high2float(p[0]) + __half22float2(p[1]).x;
  p[2] = __halves2half2(h[5], h[6]) + __half2half2(h[7]) + __float2half2_rn(f[6]) + __floats2half2_rn(f[7], f[8]) +
         __float22half2_rn(make_float2(f[9], f[10])) + make_half2(h[8], h[9]);
  p[3] = __low2half2(p[4]) + __high2half2(p[4]) + __lows2half2(p[5], p[6]) + __highs2half2(p[5], p[6]);
  h[10] = __low2half(p[7]) + __high2half(p[7]);
  const __half_raw raw = h[11];
  const __half2_raw raw2 = p[8];
  h[12] = __half(raw);
  p[9] = __half2(raw2);
  h[13] = 1.5;
  h[14] = 3;
}

extern "C" __global__ void bfloat16_conversions(nv_bfloat16* h, nv_bfloat162* p, float* f, double* d, int* i, unsigned* u, long long* l,
                                                unsigned long long* w) {
  h[0] = __float2bfloat16(f[0]) + __float2bfloat16_rn(f[1]) + __float2bfloat16_rz(f[2]) + __float2bfloat16_ru(f[3]) +
         __float2bfloat16_rd(f[4]) + __double2bfloat16(d[0]) + __int2bfloat16_rn(i[0]) + __uint2bfloat16_rn(u[0]) +
         __short2bfloat16_rn(static_cast<short>(i[1])) + __ushort2bfloat16_rn(static_cast<unsigned short>(u[1])) + __ll2bfloat16_rn(l[0]) +
         __ull2bfloat16_rn(w[0]);
  i[2] = __bfloat162int_rn(h[1]) + __bfloat162int_rz(h[1]) + __bfloat162int_ru(h[1]) + __bfloat162int_rd(h[1]) + __bfloat16_as_short(h[2]);
  u[2] = __bfloat162uint_rn(h[1]) + __bfloat162uint_rz(h[1]) + __bfloat162uint_ru(h[1]) + __bfloat162uint_rd(h[1]) + __bfloat16_as_ushort(h[2]);
  l[1] = __bfloat162ll_rn(h[1]) + __bfloat162ll_rz(h[1]) + __bfloat162ll_ru(h[1]) + __bfloat162ll_rd(h[1]);
  w[1] = __bfloat162ull_rn(h[1]) + __bfloat162ull_rz(h[1]) + __bfloat162ull_ru(h[1]) + __bfloat162ull_rd(h[1]);
  h[3] = __ushort_as_bfloat16(0x3f80) + __short_as_bfloat16(1);
  f[5] = __bfloat162float(h[4]) + __low2float(p[0]) + __high2float(p[0]) + __bfloat1622float2(p[1]).y;
  p[2] = __halves2bfloat162(h[5], h[6]) + __bfloat162bfloat162(h[7]) + __float2bfloat162_rn(f[6]) + __floats2bfloat162_rn(f[7], f[8]) +
         __float22bfloat162_rn(make_float2(f[9], f[10])) + make_bfloat162(h[8], h[9]);
  p[3] = __low2bfloat162(p[4]) + __high2bfloat162(p[4]) + __lows2bfloat162(p[5], p[6]) + __highs2bfloat162(p[5], p[6]);
  h[10] = __low2bfloat16(p[7]) + __high2bfloat16(p[7]);
  const __nv_bfloat16_raw raw = h[11];
  const __nv_bfloat162_raw raw2 = p[8];
  h[12] = nv_bfloat16(raw);
  p[9] = nv_bfloat162(raw2);
}

#if __CUDA_ARCH__ >= 600
extern "C" __global__ void pair_sum(half2* p) { p[1] = atomicAdd(p, p[2]); }
#endif
#if __CUDA_ARCH__ >= 700
extern "C" __global__ void half_sum(half* h) { h[1] = atomicAdd(h, h[2]); }
#endif
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void bfloat16_sum(nv_bfloat16* h, nv_bfloat162* p) {
  h[1] = atomicAdd(h, h[2]);
  p[1] = atomicAdd(p, p[2]);
}
#endif

// Constants are numbers at compile time.
static_assert(static_cast<float>(__half(1.5F)) == 1.5F && static_cast<float>(nv_bfloat16(-3)) == -3.0F, "exact");
