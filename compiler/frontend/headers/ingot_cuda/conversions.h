// Conversions with a rounding mode, and the bits of a value as another type.
// _rn to nearest even, _rz towards zero, _ru up, _rd down; a value that does not fit becomes the
// nearest that does.
#ifndef INGOT_CUDA_CONVERSIONS_H_
#define INGOT_CUDA_CONVERSIONS_H_

#pragma GCC system_header

#include "keywords.h"

// CUDA and PTX name up and down differently: _ru is .rp, _rd is .rm.
#define __INGOT_CONVERSIONS(name, builtin, to, from)                               \
  __INGOT_DEVICE to name##_rn(from x) { return static_cast<to>(builtin##_rn(x)); } \
  __INGOT_DEVICE to name##_rz(from x) { return static_cast<to>(builtin##_rz(x)); } \
  __INGOT_DEVICE to name##_ru(from x) { return static_cast<to>(builtin##_rp(x)); } \
  __INGOT_DEVICE to name##_rd(from x) { return static_cast<to>(builtin##_rm(x)); }

__INGOT_CONVERSIONS(__float2int, __nvvm_f2i, int, float)
__INGOT_CONVERSIONS(__float2uint, __nvvm_f2ui, unsigned int, float)
__INGOT_CONVERSIONS(__float2ll, __nvvm_f2ll, long long, float)
__INGOT_CONVERSIONS(__float2ull, __nvvm_f2ull, unsigned long long, float)
__INGOT_CONVERSIONS(__double2int, __nvvm_d2i, int, double)
__INGOT_CONVERSIONS(__double2uint, __nvvm_d2ui, unsigned int, double)
__INGOT_CONVERSIONS(__double2ll, __nvvm_d2ll, long long, double)
__INGOT_CONVERSIONS(__double2ull, __nvvm_d2ull, unsigned long long, double)
__INGOT_CONVERSIONS(__double2float, __nvvm_d2f, float, double)
__INGOT_CONVERSIONS(__int2float, __nvvm_i2f, float, int)
__INGOT_CONVERSIONS(__uint2float, __nvvm_ui2f, float, unsigned int)
__INGOT_CONVERSIONS(__ll2float, __nvvm_ll2f, float, long long)
__INGOT_CONVERSIONS(__ull2float, __nvvm_ull2f, float, unsigned long long)
__INGOT_CONVERSIONS(__ll2double, __nvvm_ll2d, double, long long)
__INGOT_CONVERSIONS(__ull2double, __nvvm_ull2d, double, unsigned long long)
#undef __INGOT_CONVERSIONS

// Every 32-bit integer is a double.
__INGOT_DEVICE double __int2double_rn(int x) { return x; }
__INGOT_DEVICE double __uint2double_rn(unsigned int x) { return x; }

__INGOT_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__INGOT_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__INGOT_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__INGOT_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__INGOT_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__INGOT_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

__INGOT_DEVICE int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
__INGOT_DEVICE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__INGOT_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32 |
      static_cast<unsigned int>(low)));
}

#endif  // INGOT_CUDA_CONVERSIONS_H_
