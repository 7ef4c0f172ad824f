// Atomic functions. All are relaxed, as in CUDA: order other accesses by __threadfence. Without a
// suffix they are atomic among the threads of the device, with _block of the block, with _system of
// all devices and the host.
#ifndef INGOT_CUDA_ATOMICS_H_
#define INGOT_CUDA_ATOMICS_H_

#pragma GCC system_header

#include "conversions.h"
#include "keywords.h"
#include "vector_types.h"

// Of the device. LLVM knows these, finds out which memory they touch, and leaves out a result that
// nobody reads. What it makes of a relaxed operation is the plain instruction, whose scope is the
// device.
#define __INGOT_ATOMIC(name, operation, type)                                                    \
  __INGOT_DEVICE type name(type* address, type value) {                                          \
    return __scoped_atomic_##operation(address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); \
  }
__INGOT_ATOMIC(atomicAdd, fetch_add, int)
__INGOT_ATOMIC(atomicAdd, fetch_add, unsigned int)
__INGOT_ATOMIC(atomicAdd, fetch_add, unsigned long long)
__INGOT_ATOMIC(atomicAdd, fetch_add, float)
#if __CUDA_ARCH__ >= 600
__INGOT_ATOMIC(atomicAdd, fetch_add, double)
#endif
__INGOT_ATOMIC(atomicSub, fetch_sub, int)
__INGOT_ATOMIC(atomicSub, fetch_sub, unsigned int)
__INGOT_ATOMIC(atomicExch, exchange_n, int)
__INGOT_ATOMIC(atomicExch, exchange_n, unsigned int)
__INGOT_ATOMIC(atomicExch, exchange_n, unsigned long long)
__INGOT_ATOMIC(atomicMin, fetch_min, int)
__INGOT_ATOMIC(atomicMin, fetch_min, unsigned int)
__INGOT_ATOMIC(atomicMin, fetch_min, long long)
__INGOT_ATOMIC(atomicMin, fetch_min, unsigned long long)
__INGOT_ATOMIC(atomicMax, fetch_max, int)
__INGOT_ATOMIC(atomicMax, fetch_max, unsigned int)
__INGOT_ATOMIC(atomicMax, fetch_max, long long)
__INGOT_ATOMIC(atomicMax, fetch_max, unsigned long long)
__INGOT_ATOMIC(atomicInc, fetch_uinc, unsigned int)
__INGOT_ATOMIC(atomicDec, fetch_udec, unsigned int)
__INGOT_ATOMIC(atomicAnd, fetch_and, int)
__INGOT_ATOMIC(atomicAnd, fetch_and, unsigned int)
__INGOT_ATOMIC(atomicAnd, fetch_and, unsigned long long)
__INGOT_ATOMIC(atomicOr, fetch_or, int)
__INGOT_ATOMIC(atomicOr, fetch_or, unsigned int)
__INGOT_ATOMIC(atomicOr, fetch_or, unsigned long long)
__INGOT_ATOMIC(atomicXor, fetch_xor, int)
__INGOT_ATOMIC(atomicXor, fetch_xor, unsigned int)
__INGOT_ATOMIC(atomicXor, fetch_xor, unsigned long long)
#undef __INGOT_ATOMIC
__INGOT_DEVICE float atomicExch(float* address, float value) {
  return __uint_as_float(
      atomicExch(reinterpret_cast<unsigned int*>(address), __float_as_uint(value)));
}

// As text, where Clang 22 gives something else than CUDA promises: its compare-and-swap has the
// scope of the system, its operations of a given scope lose it, and the builtins that keep it take
// an unsigned maximum for a signed one.
#define __INGOT_ATOMIC_PTX(name, ptx, type, constraint) \
  __INGOT_DEVICE type name(type* address, type value) { \
    type old;                                           \
    __asm__ volatile("atom." ptx " %0, [%1], %2;"       \
                     : "=" constraint(old)              \
                     : "l"(address), constraint(value)  \
                     : "memory");                       \
    return old;                                         \
  }
#define __INGOT_CAS_PTX(since, name, ptx, type, constraint)                 \
  since __INGOT_DEVICE type name(type* address, type compare, type value) { \
    type old;                                                               \
    __asm__ volatile("atom." ptx " %0, [%1], %2, %3;"                       \
                     : "=" constraint(old)                                  \
                     : "l"(address), constraint(compare), constraint(value) \
                     : "memory");                                           \
    return old;                                                             \
  }
#define __INGOT_CAS_SCOPE(suffix, scope)                                   \
  __INGOT_CAS_PTX(, atomicCAS##suffix, scope "cas.b32", int, "r")          \
  __INGOT_CAS_PTX(, atomicCAS##suffix, scope "cas.b32", unsigned int, "r") \
  __INGOT_CAS_PTX(, atomicCAS##suffix, scope "cas.b64", unsigned long long, "l")
__INGOT_CAS_SCOPE(, "")

#if __CUDA_ARCH__ >= 600
#define __INGOT_ATOMIC_SCOPE(suffix, scope)                                                     \
  __INGOT_ATOMIC_PTX(atomicAdd##suffix, scope "add.s32", int, "r")                              \
  __INGOT_ATOMIC_PTX(atomicAdd##suffix, scope "add.u32", unsigned int, "r")                     \
  __INGOT_ATOMIC_PTX(atomicAdd##suffix, scope "add.u64", unsigned long long, "l")               \
  __INGOT_ATOMIC_PTX(atomicAdd##suffix, scope "add.f32", float, "f")                            \
  __INGOT_ATOMIC_PTX(atomicAdd##suffix, scope "add.f64", double, "d")                           \
  __INGOT_ATOMIC_PTX(atomicExch##suffix, scope "exch.b32", int, "r")                            \
  __INGOT_ATOMIC_PTX(atomicExch##suffix, scope "exch.b32", unsigned int, "r")                   \
  __INGOT_ATOMIC_PTX(atomicExch##suffix, scope "exch.b64", unsigned long long, "l")             \
  __INGOT_ATOMIC_PTX(atomicExch##suffix, scope "exch.b32", float, "f")                          \
  __INGOT_ATOMIC_PTX(atomicMin##suffix, scope "min.s32", int, "r")                              \
  __INGOT_ATOMIC_PTX(atomicMin##suffix, scope "min.u32", unsigned int, "r")                     \
  __INGOT_ATOMIC_PTX(atomicMin##suffix, scope "min.s64", long long, "l")                        \
  __INGOT_ATOMIC_PTX(atomicMin##suffix, scope "min.u64", unsigned long long, "l")               \
  __INGOT_ATOMIC_PTX(atomicMax##suffix, scope "max.s32", int, "r")                              \
  __INGOT_ATOMIC_PTX(atomicMax##suffix, scope "max.u32", unsigned int, "r")                     \
  __INGOT_ATOMIC_PTX(atomicMax##suffix, scope "max.s64", long long, "l")                        \
  __INGOT_ATOMIC_PTX(atomicMax##suffix, scope "max.u64", unsigned long long, "l")               \
  __INGOT_ATOMIC_PTX(atomicInc##suffix, scope "inc.u32", unsigned int, "r")                     \
  __INGOT_ATOMIC_PTX(atomicDec##suffix, scope "dec.u32", unsigned int, "r")                     \
  __INGOT_ATOMIC_PTX(atomicAnd##suffix, scope "and.b32", int, "r")                              \
  __INGOT_ATOMIC_PTX(atomicAnd##suffix, scope "and.b32", unsigned int, "r")                     \
  __INGOT_ATOMIC_PTX(atomicAnd##suffix, scope "and.b64", unsigned long long, "l")               \
  __INGOT_ATOMIC_PTX(atomicOr##suffix, scope "or.b32", int, "r")                                \
  __INGOT_ATOMIC_PTX(atomicOr##suffix, scope "or.b32", unsigned int, "r")                       \
  __INGOT_ATOMIC_PTX(atomicOr##suffix, scope "or.b64", unsigned long long, "l")                 \
  __INGOT_ATOMIC_PTX(atomicXor##suffix, scope "xor.b32", int, "r")                              \
  __INGOT_ATOMIC_PTX(atomicXor##suffix, scope "xor.b32", unsigned int, "r")                     \
  __INGOT_ATOMIC_PTX(atomicXor##suffix, scope "xor.b64", unsigned long long, "l")               \
  __INGOT_DEVICE int atomicSub##suffix(int* address, int value) {                               \
    return atomicAdd##suffix(address, static_cast<int>(0U - static_cast<unsigned int>(value))); \
  }                                                                                             \
  __INGOT_DEVICE unsigned int atomicSub##suffix(unsigned int* address, unsigned int value) {    \
    return atomicAdd##suffix(address, 0U - value);                                              \
  }                                                                                             \
  __INGOT_CAS_SCOPE(suffix, scope)
__INGOT_ATOMIC_SCOPE(_block, "cta.")
__INGOT_ATOMIC_SCOPE(_system, "sys.")
#undef __INGOT_ATOMIC_SCOPE
#endif

#if __CUDA_ARCH__ >= 700
__INGOT_CAS_PTX(__INGOT_PTX_6_3, atomicCAS, "cas.b16", unsigned short, "h")
__INGOT_CAS_PTX(__INGOT_PTX_6_3, atomicCAS_block, "cta.cas.b16", unsigned short, "h")
__INGOT_CAS_PTX(__INGOT_PTX_6_3, atomicCAS_system, "sys.cas.b16", unsigned short, "h")
#endif

#if __CUDA_ARCH__ >= 900
// Types of 16 bytes, aligned to 16.
#define __INGOT_128_BITS(since, suffix, scope)                                                 \
  template <typename T>                                                                        \
  since __INGOT_DEVICE T atomicExch##suffix(T* address, T value) {                             \
    static_assert(sizeof(T) == 16 && alignof(T) == 16,                                         \
                  "atomicExch needs 4, 8 or 16 bytes, aligned");                               \
    struct __align__(16) Halves {                                                              \
      unsigned long long low, high;                                                            \
    } in = __builtin_bit_cast(Halves, value), out;                                             \
    __asm__ volatile("{ .reg .b128 in, out; mov.b128 in, {%3, %4}; atom." scope                \
                     "exch.b128 out, [%2], in; mov.b128 {%0, %1}, out; }"                      \
                     : "=l"(out.low), "=l"(out.high)                                           \
                     : "l"(address), "l"(in.low), "l"(in.high)                                 \
                     : "memory");                                                              \
    return __builtin_bit_cast(T, out);                                                         \
  }                                                                                            \
  template <typename T>                                                                        \
  since __INGOT_DEVICE T atomicCAS##suffix(T* address, T compare, T value) {                   \
    static_assert(sizeof(T) == 16 && alignof(T) == 16,                                         \
                  "atomicCAS needs 2, 4, 8 or 16 bytes, aligned");                             \
    struct __align__(16) Halves {                                                              \
      unsigned long long low, high;                                                            \
    } from = __builtin_bit_cast(Halves, compare), to = __builtin_bit_cast(Halves, value), out; \
    __asm__ volatile(                                                                          \
        "{ .reg .b128 from, to, out; mov.b128 from, {%3, %4}; mov.b128 to, {%5, %6}; "         \
        "atom." scope "cas.b128 out, [%2], from, to; mov.b128 {%0, %1}, out; }"                \
        : "=l"(out.low), "=l"(out.high)                                                        \
        : "l"(address), "l"(from.low), "l"(from.high), "l"(to.low), "l"(to.high)               \
        : "memory");                                                                           \
    return __builtin_bit_cast(T, out);                                                         \
  }
__INGOT_128_BITS(__INGOT_PTX_8_3, , "")
__INGOT_128_BITS(__INGOT_PTX_8_3, _block, "cta.")
__INGOT_128_BITS(__INGOT_PTX_8_4, _system, "sys.")
#undef __INGOT_128_BITS

// Element by element, in global memory only.
__INGOT_PTX_8_1 __INGOT_DEVICE float2 atomicAdd(float2* address, float2 value) {
  float2 old;
  __asm__ volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"
                   : "=f"(old.x), "=f"(old.y)
                   : "l"((__attribute__((address_space(1))) float2*)address), "f"(value.x),
                     "f"(value.y)
                   : "memory");
  return old;
}
__INGOT_PTX_8_1 __INGOT_DEVICE float4 atomicAdd(float4* address, float4 value) {
  float4 old;
  __asm__ volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
                   : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)
                   : "l"((__attribute__((address_space(1))) float4*)address), "f"(value.x),
                     "f"(value.y), "f"(value.z), "f"(value.w)
                   : "memory");
  return old;
}
#endif

#undef __INGOT_CAS_SCOPE
#undef __INGOT_CAS_PTX
#undef __INGOT_ATOMIC_PTX

#endif  // INGOT_CUDA_ATOMICS_H_
