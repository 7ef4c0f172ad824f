// Integer and bit intrinsics, conversions, and integers of every width.
#include <stddef.h>
#include <stdint.h>

extern "C" __global__ void bits(const int* i, const long long* l, int* out, unsigned* u, unsigned long long* w) {
  const unsigned x = static_cast<unsigned>(i[3]);
  const unsigned y = static_cast<unsigned>(i[4]);
  const unsigned long long wide = static_cast<unsigned long long>(l[3]);
  *out++ = __clz(i[0]);
  *out++ = __clzll(l[0]);
  *out++ = __popc(x);
  *out++ = __popcll(wide);
  *out++ = __ffs(i[1]);
  *out++ = __ffsll(l[1]);
  *out++ = __mul24(i[0], i[1]);
  *out++ = __mulhi(i[0], i[1]);
  *out++ = __hadd(i[0], i[1]);
  *out++ = __rhadd(i[0], i[1]);
  *u++ = __brev(x);
  *u++ = __fns(x, 3, 2);
  *u++ = __byte_perm(x, y, 0x5140);
  *u++ = __byte_perm(x, y, y);
  *u++ = __umul24(x, y);
  *u++ = __umulhi(x, y);
  *u++ = __sad(i[0], i[1], x);
  *u++ = __usad(x, y, 3);
  *u++ = __uhadd(x, y);
  *u++ = __urhadd(x, y);
  *u++ = __funnelshift_l(x, y, 5);
  *u++ = __funnelshift_lc(x, y, x);
  *u++ = __funnelshift_r(x, y, y);
  *u++ = __funnelshift_rc(x, y, 40);
  *w++ = __brevll(wide);
  *w++ = __umul64hi(wide, wide + 1);
  *w++ = static_cast<unsigned long long>(__mul64hi(l[0], l[1]));
}

#define ROUND(kind, from, to) (static_cast<to>(kind##_rn(from)) + kind##_rz(from) + kind##_ru(from) + kind##_rd(from))

extern "C" __global__ void conversions(float* f, double* d, int* i, unsigned* u, long long* l, unsigned long long* w) {
  i[0] = ROUND(__float2int, f[0], int);
  i[1] = ROUND(__double2int, d[0], int);
  u[0] = ROUND(__float2uint, f[0], unsigned);
  u[1] = ROUND(__double2uint, d[0], unsigned);
  l[0] = ROUND(__float2ll, f[0], long long);
  l[1] = ROUND(__double2ll, d[0], long long);
  w[0] = ROUND(__float2ull, f[0], unsigned long long);
  w[1] = ROUND(__double2ull, d[0], unsigned long long);
  f[1] = ROUND(__double2float, d[0], float);
  f[2] = ROUND(__int2float, i[2], float);
  f[3] = ROUND(__uint2float, u[2], float);
  f[4] = ROUND(__ll2float, l[2], float);
  f[5] = ROUND(__ull2float, w[2], float);
  d[1] = ROUND(__ll2double, l[2], double);
  d[2] = ROUND(__ull2double, w[2], double);
  d[3] = __int2double_rn(i[2]) + __uint2double_rn(u[2]);
  f[6] = __int_as_float(__float_as_int(f[7]) ^ 1) + __uint_as_float(__float_as_uint(f[8]) & 0x7fffffffU);
  d[4] = __longlong_as_double(__double_as_longlong(d[5]) ^ 1);
  d[6] = __hiloint2double(__double2hiint(d[7]), __double2loint(d[8]));
}

template <typename T>
__device__ T mix(T a, T b) {
  return static_cast<T>((a * b + a / (b == 0 ? T(1) : b)) ^ (a % T(7)));
}

extern "C" __global__ void widths(int8_t* a, uint8_t* b, int16_t* c, uint16_t* d, int32_t* e, uint32_t* f, int64_t* g, uint64_t* h,
                                  size_t* s, ptrdiff_t* p, uintptr_t* q) {
  a[2] = mix(a[0], a[1]);
  b[2] = mix(b[0], b[1]);
  c[2] = mix(c[0], c[1]);
  d[2] = mix(d[0], d[1]);
  e[2] = mix(e[0], e[1]);
  f[2] = mix(f[0], f[1]);
  g[2] = mix(g[0], g[1]);
  h[2] = mix(h[0], h[1]);
  s[2] = mix(s[0], s[1]);
  p[2] = e - reinterpret_cast<int32_t*>(f);
  *q = reinterpret_cast<uintptr_t>(q);
  static_assert(INT32_MAX == INT_MAX && SIZE_MAX == ULLONG_MAX && CHAR_BIT == 8, "the limits are there too");
}

extern "C" __global__ void extremes(int* i, unsigned* u, long* l, unsigned long* ul, long long* ll, unsigned long long* ull) {
  i[2] = min(i[0], i[1]) + max(i[0], 3) + abs(i[2]);
  u[2] = min(u[0], u[1]) + max(u[0], i[3]) + min(i[4], u[3]) + max(threadIdx.x, 3U) + umin(u[1], u[2]) + umax(u[3], u[4]);
  l[2] = min(l[0], l[1]) + max(l[0], l[3]) + labs(l[4]) + abs(l[5]);
  ul[2] = min(ul[0], ul[1]) + max(ul[0], l[3]) + min(l[1], ul[4]);
  ll[2] = llmin(ll[0], ll[1]) + llmax(ll[0], ll[3]) + llabs(ll[4]) + abs(ll[5]);
  ull[2] = ullmin(ull[0], ull[1]) + ullmax(ull[0], ull[3]) + max(ull[1], ll[3]) + min(ll[1], ull[4]);
}
