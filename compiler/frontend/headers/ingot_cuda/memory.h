// printf, assert, the device's heap, address spaces, and loads and stores with a cache hint.
//
// vprintf, __assertfail, malloc and free come from the driver: ptxas resolves them.
#ifndef INGOT_CUDA_MEMORY_H_
#define INGOT_CUDA_MEMORY_H_

#pragma GCC system_header

#include <stddef.h>

#include "keywords.h"

extern "C" {
// Clang packs the arguments of a call and calls vprintf.
__device__ int printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
__device__ int vprintf(const char* format, const char* arguments);
__device__ void* malloc(size_t size);
__device__ void free(void* pointer);
__device__ __attribute__((noreturn)) void __assertfail(const char* message, const char* file,
                                                       unsigned int line, const char* function,
                                                       size_t char_size);

// What the assert of a C library's own <assert.h> calls.
inline __device__ __attribute__((noreturn)) void __assert_fail(const char* message,
                                                               const char* file, unsigned int line,
                                                               const char* function) noexcept {
  __assertfail(message, file, line, function, sizeof(char));
}

// What a virtual function that has no body calls.
inline __device__ void __cxa_pure_virtual() { __builtin_trap(); }
inline __device__ void __cxa_deleted_virtual() { __builtin_trap(); }
}

#include "standard/assert.h"

inline __device__ void* operator new(size_t size) { return malloc(size); }
inline __device__ void* operator new[](size_t size) { return malloc(size); }
inline __device__ void* operator new(size_t, void* place) noexcept { return place; }
inline __device__ void* operator new[](size_t, void* place) noexcept { return place; }
inline __device__ void operator delete(void* pointer) noexcept { free(pointer); }
inline __device__ void operator delete[](void* pointer) noexcept { free(pointer); }
inline __device__ void operator delete(void* pointer, size_t) noexcept { free(pointer); }
inline __device__ void operator delete[](void* pointer, size_t) noexcept { free(pointer); }
inline __device__ void operator delete(void*, void*) noexcept {}
inline __device__ void operator delete[](void*, void*) noexcept {}

__INGOT_DEVICE void* memcpy(void* to, const void* from, size_t size) {
  return __builtin_memcpy(to, from, size);
}
__INGOT_DEVICE void* memmove(void* to, const void* from, size_t size) {
  return __builtin_memmove(to, from, size);
}
__INGOT_DEVICE void* memset(void* to, int value, size_t size) {
  return __builtin_memset(to, value, size);
}
__INGOT_DEVICE int memcmp(const void* left, const void* right, size_t size) {
  const unsigned char* a = static_cast<const unsigned char*>(left);
  const unsigned char* b = static_cast<const unsigned char*>(right);
  for (size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}
__INGOT_DEVICE size_t strlen(const char* text) {
  size_t size = 0;
  while (text[size] != 0) ++size;
  return size;
}
__INGOT_DEVICE int strcmp(const char* left, const char* right) {
  while (*left != 0 && *left == *right) {
    ++left;
    ++right;
  }
  return static_cast<unsigned char>(*left) - static_cast<unsigned char>(*right);
}

// Pointers into one state space. The integer of a pointer into shared memory is what inline PTX
// takes as an address.
#define __INGOT_SPACE(number) __attribute__((address_space(number)))
#define __INGOT_GLOBAL __INGOT_SPACE(1)
#define __INGOT_SHARED __INGOT_SPACE(3)
#define __INGOT_CONSTANT __INGOT_SPACE(4)
#define __INGOT_LOCAL __INGOT_SPACE(5)

__INGOT_DEVICE unsigned int __isGlobal(const void* pointer) {
  return __nvvm_isspacep_global(pointer);
}
__INGOT_DEVICE unsigned int __isShared(const void* pointer) {
  return __nvvm_isspacep_shared(pointer);
}
__INGOT_DEVICE unsigned int __isConstant(const void* pointer) {
  return __nvvm_isspacep_const(pointer);
}
__INGOT_DEVICE unsigned int __isLocal(const void* pointer) {
  return __nvvm_isspacep_local(pointer);
}
#if __CUDA_ARCH__ >= 700
__INGOT_PTX_7_7 __INGOT_DEVICE unsigned int __isGridConstant(const void* pointer) {
  unsigned int result;
  __asm__("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }"
          : "=r"(result)
          : "l"(pointer));
  return result;
}
#endif

__INGOT_DEVICE size_t __cvta_generic_to_global(const void* p) {
  return (size_t)(const __INGOT_GLOBAL void*)p;
}
__INGOT_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)(const __INGOT_SHARED void*)p;
}
__INGOT_DEVICE size_t __cvta_generic_to_constant(const void* p) {
  return (size_t)(const __INGOT_CONSTANT void*)p;
}
__INGOT_DEVICE size_t __cvta_generic_to_local(const void* p) {
  return (size_t)(const __INGOT_LOCAL void*)p;
}
__INGOT_DEVICE void* __cvta_global_to_generic(size_t a) { return (void*)(__INGOT_GLOBAL void*)a; }
__INGOT_DEVICE void* __cvta_shared_to_generic(size_t a) { return (void*)(__INGOT_SHARED void*)a; }
__INGOT_DEVICE void* __cvta_constant_to_generic(size_t a) {
  return (void*)(__INGOT_CONSTANT void*)a;
}
__INGOT_DEVICE void* __cvta_local_to_generic(size_t a) { return (void*)(__INGOT_LOCAL void*)a; }

// What carries a value of so many bytes through a register or two.
struct __align__(16) __ingot_16_bytes {
  unsigned long long low, high;
};
template <size_t kSize>
struct __ingot_carrier;
template <>
struct __ingot_carrier<1> {
  typedef unsigned char type;
};
template <>
struct __ingot_carrier<2> {
  typedef unsigned short type;
};
template <>
struct __ingot_carrier<4> {
  typedef unsigned int type;
};
template <>
struct __ingot_carrier<8> {
  typedef unsigned long long type;
};
template <>
struct __ingot_carrier<16> {
  typedef __ingot_16_bytes type;
};

// A function per hint, for every type of 1, 2, 4, 8 or 16 bytes that is aligned to its size.
#define __INGOT_LOADS(name, ptx, qualifier, clobber)                                              \
  __INGOT_DEVICE void __ingot##name(const __INGOT_GLOBAL void* p, unsigned char& v) {             \
    unsigned int wide;                                                                            \
    __asm__ qualifier(ptx ".u8 %0, [%1];" : "=r"(wide) : "l"(p)clobber);                          \
    v = static_cast<unsigned char>(wide);                                                         \
  }                                                                                               \
  __INGOT_DEVICE void __ingot##name(const __INGOT_GLOBAL void* p, unsigned short& v) {            \
    __asm__ qualifier(ptx ".u16 %0, [%1];" : "=h"(v) : "l"(p)clobber);                            \
  }                                                                                               \
  __INGOT_DEVICE void __ingot##name(const __INGOT_GLOBAL void* p, unsigned int& v) {              \
    __asm__ qualifier(ptx ".u32 %0, [%1];" : "=r"(v) : "l"(p)clobber);                            \
  }                                                                                               \
  __INGOT_DEVICE void __ingot##name(const __INGOT_GLOBAL void* p, unsigned long long& v) {        \
    __asm__ qualifier(ptx ".u64 %0, [%1];" : "=l"(v) : "l"(p)clobber);                            \
  }                                                                                               \
  __INGOT_DEVICE void __ingot##name(const __INGOT_GLOBAL void* p, __ingot_16_bytes& v) {          \
    __asm__ qualifier(ptx ".v2.u64 {%0, %1}, [%2];" : "=l"(v.low), "=l"(v.high) : "l"(p)clobber); \
  }                                                                                               \
  template <typename T>                                                                           \
  __INGOT_DEVICE T name(const T* pointer) {                                                       \
    static_assert(alignof(T) == sizeof(T), #name " needs a type that is aligned to its size");    \
    typename __ingot_carrier<sizeof(T)>::type carrier;                                            \
    __ingot##name((const __INGOT_GLOBAL void*)pointer, carrier);                                  \
    return __builtin_bit_cast(T, carrier);                                                        \
  }
#define __INGOT_CLOBBER : "memory"
// What __ldg reads does not change while the kernel runs, so a load may move and be shared; the
// others stay where they are.
__INGOT_LOADS(__ldg, "ld.global.nc", , )
__INGOT_LOADS(__ldca, "ld.global.ca", volatile, __INGOT_CLOBBER)
__INGOT_LOADS(__ldcg, "ld.global.cg", volatile, __INGOT_CLOBBER)
__INGOT_LOADS(__ldcs, "ld.global.cs", volatile, __INGOT_CLOBBER)
__INGOT_LOADS(__ldlu, "ld.global.lu", volatile, __INGOT_CLOBBER)
__INGOT_LOADS(__ldcv, "ld.global.cv", volatile, __INGOT_CLOBBER)
#undef __INGOT_CLOBBER
#undef __INGOT_LOADS

template <typename T>
struct __ingot_identity {
  typedef T type;
};

#define __INGOT_STORES(name, ptx)                                                                 \
  __INGOT_DEVICE void __ingot##name(__INGOT_GLOBAL void* p, unsigned char v) {                    \
    __asm__ volatile(ptx ".u8 [%0], %1;" ::"l"(p), "r"(static_cast<unsigned int>(v)) : "memory"); \
  }                                                                                               \
  __INGOT_DEVICE void __ingot##name(__INGOT_GLOBAL void* p, unsigned short v) {                   \
    __asm__ volatile(ptx ".u16 [%0], %1;" ::"l"(p), "h"(v) : "memory");                           \
  }                                                                                               \
  __INGOT_DEVICE void __ingot##name(__INGOT_GLOBAL void* p, unsigned int v) {                     \
    __asm__ volatile(ptx ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");                           \
  }                                                                                               \
  __INGOT_DEVICE void __ingot##name(__INGOT_GLOBAL void* p, unsigned long long v) {               \
    __asm__ volatile(ptx ".u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");                           \
  }                                                                                               \
  __INGOT_DEVICE void __ingot##name(__INGOT_GLOBAL void* p, __ingot_16_bytes v) {                 \
    __asm__ volatile(ptx ".v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(v.low), "l"(v.high) : "memory"); \
  }                                                                                               \
  template <typename T>                                                                           \
  __INGOT_DEVICE void name(T* pointer, typename __ingot_identity<T>::type value) {                \
    static_assert(alignof(T) == sizeof(T), #name " needs a type that is aligned to its size");    \
    __ingot##name((__INGOT_GLOBAL void*)pointer,                                                  \
                  __builtin_bit_cast(typename __ingot_carrier<sizeof(T)>::type, value));          \
  }
__INGOT_STORES(__stwb, "st.global.wb")
__INGOT_STORES(__stcg, "st.global.cg")
__INGOT_STORES(__stcs, "st.global.cs")
__INGOT_STORES(__stwt, "st.global.wt")
#undef __INGOT_STORES

#endif  // INGOT_CUDA_MEMORY_H_
