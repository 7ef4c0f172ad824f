// Clusters of blocks, for sm_90 and later; an empty program elsewhere.

#if __CUDA_ARCH__ >= 900
// Each block adds up its share; then every one reads its neighbours' sums from their shared memory.
extern "C" __global__ void __launch_bounds__(128, 1, 8) cluster_sum(const float* in, float* out, int n) {
  __shared__ float mine;
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  const unsigned rank = __clusterRelativeBlockRank();
  const unsigned blocks = __clusterSizeInBlocks();
  for (unsigned i = rank * blockDim.x + threadIdx.x; i < static_cast<unsigned>(n); i += blocks * blockDim.x) atomicAdd(&mine, in[i]);
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  float total = 0;
  for (unsigned i = 0; i < blocks; ++i) total += *static_cast<const float*>(__cluster_map_shared_rank(&mine, i));
  // Nobody may leave while another still reads.
  __cluster_barrier_arrive_relaxed();
  __cluster_barrier_wait();
  if (rank == 0 && threadIdx.x == 0) out[__clusterIdx().x] = total;
}

extern "C" __global__ void cluster_registers(dim3* dims, unsigned* out) {
  __shared__ int here;
  dims[0] = __clusterDim();
  dims[1] = __clusterIdx();
  dims[2] = __clusterRelativeBlockIdx();
  dims[3] = __clusterGridDimInClusters();
  out[0] = __clusterDimIsSpecified();
  out[1] = __cluster_query_shared_rank(&here);
  out[2] = __isClusterShared(&here);
}
#endif
