// char1 … double4, dim3, and make_char1 … make_double4.
//
// Sizes and alignments are part of CUDA's ABI: a type of two or four elements is aligned to its
// size, at most to 16 bytes; one of one or three elements as its element is.
#ifndef INGOT_CUDA_VECTOR_TYPES_H_
#define INGOT_CUDA_VECTOR_TYPES_H_

#pragma GCC system_header

#include "keywords.h"

#define __INGOT_VECTOR_TYPES(name, element, align2, align4)                                     \
  struct name##1 { element x; };                                                                \
  struct __align__(align2) name##2 { element x, y; };                                           \
  struct name##3 { element x, y, z; };                                                          \
  struct __align__(align4) name##4 { element x, y, z, w; };                                     \
  __INGOT_HOST_DEVICE constexpr name##1 make_##name##1(element x) { return {x}; }               \
  __INGOT_HOST_DEVICE constexpr name##2 make_##name##2(element x, element y) { return {x, y}; } \
  __INGOT_HOST_DEVICE constexpr name##3 make_##name##3(element x, element y, element z) {       \
    return {x, y, z};                                                                           \
  }                                                                                             \
  __INGOT_HOST_DEVICE constexpr name##4 make_##name##4(element x, element y, element z,         \
                                                       element w) {                             \
    return {x, y, z, w};                                                                        \
  }

__INGOT_VECTOR_TYPES(char, signed char, 2, 4)
__INGOT_VECTOR_TYPES(uchar, unsigned char, 2, 4)
__INGOT_VECTOR_TYPES(short, short, 4, 8)
__INGOT_VECTOR_TYPES(ushort, unsigned short, 4, 8)
__INGOT_VECTOR_TYPES(int, int, 8, 16)
__INGOT_VECTOR_TYPES(uint, unsigned int, 8, 16)
__INGOT_VECTOR_TYPES(long, long, 16, 16)
__INGOT_VECTOR_TYPES(ulong, unsigned long, 16, 16)
__INGOT_VECTOR_TYPES(longlong, long long, 16, 16)
__INGOT_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
__INGOT_VECTOR_TYPES(float, float, 8, 16)
__INGOT_VECTOR_TYPES(double, double, 16, 16)
#undef __INGOT_VECTOR_TYPES

// What threadIdx and its like are; see builtin_variables.h.
template <typename Source>
struct __ingot_coordinates;

struct dim3 {
  unsigned int x, y, z;

  // NOLINTBEGIN(google-explicit-constructor): as CUDA has them.
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  template <typename Source>
  __device__ dim3(const __ingot_coordinates<Source>& v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
  // NOLINTEND(google-explicit-constructor)
};

#endif  // INGOT_CUDA_VECTOR_TYPES_H_
