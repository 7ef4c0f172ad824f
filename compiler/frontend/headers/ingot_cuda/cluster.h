// Clusters of blocks, sm_90 and later.
#ifndef INGOT_CUDA_CLUSTER_H_
#define INGOT_CUDA_CLUSTER_H_

#pragma GCC system_header

#include "keywords.h"
#include "vector_types.h"

#if __CUDA_ARCH__ >= 900
#define __INGOT_CLUSTER_REGISTER(name, sreg)                                          \
  __INGOT_DEVICE dim3 name() {                                                        \
    return dim3(__nvvm_read_ptx_sreg_##sreg##_x(), __nvvm_read_ptx_sreg_##sreg##_y(), \
                __nvvm_read_ptx_sreg_##sreg##_z());                                   \
  }
__INGOT_CLUSTER_REGISTER(__clusterDim, cluster_nctaid)
__INGOT_CLUSTER_REGISTER(__clusterRelativeBlockIdx, cluster_ctaid)
__INGOT_CLUSTER_REGISTER(__clusterGridDimInClusters, nclusterid)
__INGOT_CLUSTER_REGISTER(__clusterIdx, clusterid)
#undef __INGOT_CLUSTER_REGISTER

__INGOT_DEVICE unsigned int __clusterRelativeBlockRank() {
  return __nvvm_read_ptx_sreg_cluster_ctarank();
}
__INGOT_DEVICE unsigned int __clusterSizeInBlocks() {
  return __nvvm_read_ptx_sreg_cluster_nctarank();
}
__INGOT_DEVICE unsigned int __clusterDimIsSpecified() { return __nvvm_is_explicit_cluster(); }

__INGOT_DEVICE void __cluster_barrier_arrive() { __nvvm_barrier_cluster_arrive(); }
__INGOT_DEVICE void __cluster_barrier_arrive_relaxed() { __nvvm_barrier_cluster_arrive_relaxed(); }
__INGOT_DEVICE void __cluster_barrier_wait() { __nvvm_barrier_cluster_wait(); }

// The address of a shared variable of this block in the block of that rank, and the rank of an
// address.
__INGOT_DEVICE void* __cluster_map_shared_rank(const void* address, unsigned int rank) {
  return __nvvm_mapa(const_cast<void*>(address), static_cast<int>(rank));
}
__INGOT_DEVICE unsigned int __cluster_query_shared_rank(const void* address) {
  return static_cast<unsigned int>(__nvvm_getctarank(const_cast<void*>(address)));
}
__INGOT_DEVICE unsigned int __isClusterShared(const void* address) {
  return __nvvm_isspacep_shared_cluster(address);
}
#endif

#endif  // INGOT_CUDA_CLUSTER_H_
