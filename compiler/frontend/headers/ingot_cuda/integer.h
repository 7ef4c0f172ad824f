// Integer and bit intrinsics.
#ifndef INGOT_CUDA_INTEGER_H_
#define INGOT_CUDA_INTEGER_H_

#pragma GCC system_header

#include "keywords.h"
#include "vector_types.h"

// The number of leading zeros, all of them for zero.
__INGOT_DEVICE int __clz(int x) { return __builtin_clzg(static_cast<unsigned int>(x), 32); }
__INGOT_DEVICE int __clzll(long long x) {
  return __builtin_clzg(static_cast<unsigned long long>(x), 64);
}
__INGOT_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
__INGOT_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
// The position of the lowest set bit, counted from one; zero if there is none.
__INGOT_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
__INGOT_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
__INGOT_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__INGOT_DEVICE unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
// The position of the offset-th set bit of mask from base on.
__INGOT_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  return __nvvm_fns(mask, base, offset);
}

// Four of the eight bytes of y:x, each named by a hexadecimal digit of selector.
__INGOT_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  // Bit 3 of a digit would mean a sign in PTX; CUDA looks at the lower three only.
  return __nvvm_prmt(x, y, selector & 0x7777U);
}

__INGOT_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
__INGOT_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) {
  return __nvvm_mul24_ui(x, y);
}
// The upper half of a product.
__INGOT_DEVICE int __mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
__INGOT_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) {
  return __nvvm_mulhi_ui(x, y);
}
__INGOT_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
__INGOT_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return __nvvm_mulhi_ull(x, y);
}

// |x - y| + z.
__INGOT_DEVICE unsigned int __sad(int x, int y, unsigned int z) {
  return (x > y ? static_cast<unsigned int>(x) - static_cast<unsigned int>(y)
                : static_cast<unsigned int>(y) - static_cast<unsigned int>(x)) +
         z;
}
__INGOT_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return (x > y ? x - y : y - x) + z;
}

// Averages that cannot overflow, rounded down, and (r) up.
__INGOT_DEVICE int __hadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
__INGOT_DEVICE int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
__INGOT_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y) >> 1);
}
__INGOT_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

// high:low shifted; the upper word of a left shift, the lower one of a right shift. Without c the
// count is taken modulo 32.
__INGOT_DEVICE unsigned int __funnelshift_l(unsigned int low, unsigned int high,
                                            unsigned int shift) {
  unsigned int result;
  __asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}
__INGOT_DEVICE unsigned int __funnelshift_lc(unsigned int low, unsigned int high,
                                             unsigned int shift) {
  unsigned int result;
  __asm__("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}
__INGOT_DEVICE unsigned int __funnelshift_r(unsigned int low, unsigned int high,
                                            unsigned int shift) {
  unsigned int result;
  __asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}
__INGOT_DEVICE unsigned int __funnelshift_rc(unsigned int low, unsigned int high,
                                             unsigned int shift) {
  unsigned int result;
  __asm__("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));
  return result;
}

#if __CUDA_ARCH__ >= 610
// Products of four bytes each, or of two half words with two of four bytes, summed up with c.
__INGOT_DEVICE int __dp4a(int a, int b, int c) {
  int result;
  __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
__INGOT_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int result;
  __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
__INGOT_DEVICE int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__INGOT_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
#define __INGOT_DP2A(half)                                                                         \
  __INGOT_DEVICE int __dp2a_##half(int a, int b, int c) {                                          \
    int result;                                                                                    \
    __asm__("dp2a." #half ".s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));     \
    return result;                                                                                 \
  }                                                                                                \
  __INGOT_DEVICE unsigned int __dp2a_##half(unsigned int a, unsigned int b, unsigned int c) {      \
    unsigned int result;                                                                           \
    __asm__("dp2a." #half ".u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));     \
    return result;                                                                                 \
  }                                                                                                \
  __INGOT_DEVICE int __dp2a_##half(short2 a, char4 b, int c) {                                     \
    return __dp2a_##half(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);               \
  }                                                                                                \
  __INGOT_DEVICE unsigned int __dp2a_##half(ushort2 a, uchar4 b, unsigned int c) {                 \
    return __dp2a_##half(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), \
                         c);                                                                       \
  }
__INGOT_DP2A(lo)
__INGOT_DP2A(hi)
#undef __INGOT_DP2A
#endif

#endif  // INGOT_CUDA_INTEGER_H_
