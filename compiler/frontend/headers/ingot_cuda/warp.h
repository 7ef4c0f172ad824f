// What the threads of a warp do together: shuffles, votes, matches, reductions. They take the mask
// of those that take part.
#ifndef INGOT_CUDA_WARP_H_
#define INGOT_CUDA_WARP_H_

#pragma GCC system_header

#include "conversions.h"
#include "keywords.h"

// The instruction's third operand: the lanes of a segment of `width`, and where a lane outside of
// it ends.
#define __INGOT_SHUFFLE(name, builtin, lane, clamp)                                               \
  __INGOT_DEVICE int name(unsigned int mask, int value, lane which, int width = 32) {             \
    return __nvvm_shfl_sync_##builtin##_i32(mask, value, static_cast<int>(which),                 \
                                            (32 - width) << 8 | (clamp));                         \
  }                                                                                               \
  __INGOT_DEVICE unsigned int name(unsigned int mask, unsigned int value, lane which,             \
                                   int width = 32) {                                              \
    return static_cast<unsigned int>(name(mask, static_cast<int>(value), which, width));          \
  }                                                                                               \
  __INGOT_DEVICE float name(unsigned int mask, float value, lane which, int width = 32) {         \
    return __nvvm_shfl_sync_##builtin##_f32(mask, value, static_cast<int>(which),                 \
                                            (32 - width) << 8 | (clamp));                         \
  }                                                                                               \
  __INGOT_DEVICE unsigned long long name(unsigned int mask, unsigned long long value, lane which, \
                                         int width = 32) {                                        \
    const unsigned int low = name(mask, static_cast<unsigned int>(value), which, width);          \
    const unsigned int high = name(mask, static_cast<unsigned int>(value >> 32), which, width);   \
    return static_cast<unsigned long long>(high) << 32 | low;                                     \
  }                                                                                               \
  __INGOT_DEVICE long long name(unsigned int mask, long long value, lane which, int width = 32) { \
    return static_cast<long long>(                                                                \
        name(mask, static_cast<unsigned long long>(value), which, width));                        \
  }                                                                                               \
  __INGOT_DEVICE unsigned long name(unsigned int mask, unsigned long value, lane which,           \
                                    int width = 32) {                                             \
    return name(mask, static_cast<unsigned long long>(value), which, width);                      \
  }                                                                                               \
  __INGOT_DEVICE long name(unsigned int mask, long value, lane which, int width = 32) {           \
    return static_cast<long>(name(mask, static_cast<unsigned long long>(value), which, width));   \
  }                                                                                               \
  __INGOT_DEVICE double name(unsigned int mask, double value, lane which, int width = 32) {       \
    return __longlong_as_double(name(mask, __double_as_longlong(value), which, width));           \
  }
__INGOT_SHUFFLE(__shfl_sync, idx, int, 31)
__INGOT_SHUFFLE(__shfl_up_sync, up, unsigned int, 0)
__INGOT_SHUFFLE(__shfl_down_sync, down, unsigned int, 31)
__INGOT_SHUFFLE(__shfl_xor_sync, bfly, int, 31)
#undef __INGOT_SHUFFLE

__INGOT_DEVICE int __all_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate != 0);
}
__INGOT_DEVICE int __any_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate != 0);
}
__INGOT_DEVICE int __uni_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_uni_sync(mask, predicate != 0);
}
__INGOT_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
__INGOT_DEVICE unsigned int __activemask() { return __nvvm_activemask(); }

// The lane of this thread, and masks of the lanes that stand to it as the name says.
__INGOT_DEVICE unsigned int __laneid() { return __nvvm_read_ptx_sreg_laneid(); }
__INGOT_DEVICE unsigned int __lanemask_eq() { return __nvvm_read_ptx_sreg_lanemask_eq(); }
__INGOT_DEVICE unsigned int __lanemask_le() { return __nvvm_read_ptx_sreg_lanemask_le(); }
__INGOT_DEVICE unsigned int __lanemask_lt() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
__INGOT_DEVICE unsigned int __lanemask_ge() { return __nvvm_read_ptx_sreg_lanemask_ge(); }
__INGOT_DEVICE unsigned int __lanemask_gt() { return __nvvm_read_ptx_sreg_lanemask_gt(); }

#if __CUDA_ARCH__ >= 700
// The lanes that hold the same bits; _all: the whole mask if all do, and zero otherwise.
#define __INGOT_MATCH(type, carrier, bits)                                                        \
  __INGOT_DEVICE unsigned int __match_any_sync(unsigned int mask, type value) {                   \
    return __nvvm_match_any_sync_i##bits(mask, __builtin_bit_cast(carrier, value));               \
  }                                                                                               \
  __INGOT_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int* predicate) {   \
    return __nvvm_match_all_sync_i##bits##p(mask, __builtin_bit_cast(carrier, value), predicate); \
  }
__INGOT_MATCH(int, unsigned int, 32)
__INGOT_MATCH(unsigned int, unsigned int, 32)
__INGOT_MATCH(float, unsigned int, 32)
__INGOT_MATCH(long, unsigned long long, 64)
__INGOT_MATCH(unsigned long, unsigned long long, 64)
__INGOT_MATCH(long long, unsigned long long, 64)
__INGOT_MATCH(unsigned long long, unsigned long long, 64)
__INGOT_MATCH(double, unsigned long long, 64)
#undef __INGOT_MATCH
#endif

#if __CUDA_ARCH__ >= 800
__INGOT_DEVICE unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
  return static_cast<unsigned int>(
      __nvvm_redux_sync_add(static_cast<int>(value), static_cast<int>(mask)));
}
__INGOT_DEVICE int __reduce_add_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_add(value, static_cast<int>(mask));
}
__INGOT_DEVICE unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_umin(value, static_cast<int>(mask));
}
__INGOT_DEVICE int __reduce_min_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_min(value, static_cast<int>(mask));
}
__INGOT_DEVICE unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_umax(value, static_cast<int>(mask));
}
__INGOT_DEVICE int __reduce_max_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_max(value, static_cast<int>(mask));
}
__INGOT_DEVICE unsigned int __reduce_and_sync(unsigned int mask, unsigned int value) {
  return static_cast<unsigned int>(
      __nvvm_redux_sync_and(static_cast<int>(value), static_cast<int>(mask)));
}
__INGOT_DEVICE unsigned int __reduce_or_sync(unsigned int mask, unsigned int value) {
  return static_cast<unsigned int>(
      __nvvm_redux_sync_or(static_cast<int>(value), static_cast<int>(mask)));
}
__INGOT_DEVICE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value) {
  return static_cast<unsigned int>(
      __nvvm_redux_sync_xor(static_cast<int>(value), static_cast<int>(mask)));
}
#endif

#endif  // INGOT_CUDA_WARP_H_
