// Barriers, fences, clocks and traps. __syncthreads itself is a builtin of Clang's.
#ifndef INGOT_CUDA_SYNCHRONIZATION_H_
#define INGOT_CUDA_SYNCHRONIZATION_H_

#pragma GCC system_header

#include "keywords.h"

// Every thread of the block gets the number of threads whose predicate is not zero, or whether all
// or any are.
__INGOT_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
__INGOT_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
__INGOT_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }

__INGOT_DEVICE void __syncwarp(unsigned int mask = 0xffffffffU) { __nvvm_bar_warp_sync(mask); }

// Barriers by number, for a part of the block.
__INGOT_DEVICE void __barrier_sync(unsigned int id) { __nvvm_barrier_sync(id); }
__INGOT_DEVICE void __barrier_sync_count(unsigned int id, unsigned int threads) {
  __nvvm_barrier_sync_cnt(id, threads);
}

__INGOT_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
__INGOT_DEVICE void __threadfence() { __nvvm_membar_gl(); }
__INGOT_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

typedef long clock_t;
__INGOT_DEVICE clock_t clock() { return __nvvm_read_ptx_sreg_clock(); }
__INGOT_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
// Nanoseconds; the same for all multiprocessors.
__INGOT_DEVICE unsigned long long __globaltimer() { return __nvvm_read_ptx_sreg_globaltimer(); }

#if __CUDA_ARCH__ >= 700
__INGOT_DEVICE void __nanosleep(unsigned int ns) { __nvvm_nanosleep(ns); }
#endif

// Ends the kernel with an error; stops in a debugger; counts up one of the profiler's counters, 0
// to 15.
__INGOT_DEVICE void __trap() { __builtin_trap(); }
__INGOT_DEVICE void __brkpt() { __asm__ volatile("brkpt;"); }
#define __prof_trigger(counter) __asm__ volatile("pmevent \t%0;" ::"n"(counter))

#endif  // INGOT_CUDA_SYNCHRONIZATION_H_
