// Reductions over a warp, a block and a grid, for several types and operations.

namespace {

struct Sum {
  template <typename T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Largest {
  template <typename T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return max(a, b);
  }
};

template <typename T, typename Operation>
__device__ T reduce_warp(T value, Operation operation) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value = operation(value, __shfl_down_sync(0xffffffffU, value, static_cast<unsigned>(offset)));
  }
  return value;
}

template <typename T, int kThreads, typename Operation>
__device__ T reduce_block(T value, T neutral, Operation operation) {
  static_assert(kThreads % warpSize == 0, "whole warps only");
  __shared__ T partial[kThreads / warpSize];
  const int lane = static_cast<int>(threadIdx.x) % warpSize;
  const int warp = static_cast<int>(threadIdx.x) / warpSize;
  value = reduce_warp(value, operation);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  value = lane < kThreads / warpSize ? partial[lane] : neutral;
  return warp == 0 ? reduce_warp(value, operation) : value;
}

}  // namespace

__device__ unsigned int blocks_done = 0;

// The last block to finish adds up what all have left: one launch, no atomics on the values.
template <typename T, int kThreads>
__global__ void __launch_bounds__(kThreads) sum(const T* __restrict__ in, T* __restrict__ partial, T* out, int n) {
  T mine = 0;
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < n; i += static_cast<int>(gridDim.x) * kThreads) {
    mine += in[i];
  }
  mine = reduce_block<T, kThreads>(mine, T(0), Sum());
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = mine;
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  mine = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kThreads) mine += partial[i];
  mine = reduce_block<T, kThreads>(mine, T(0), Sum());
  if (threadIdx.x == 0) *out = mine;
}

template __global__ void sum<float, 256>(const float*, float*, float*, int);
template __global__ void sum<double, 128>(const double*, double*, double*, int);
template __global__ void sum<int, 256>(const int*, int*, int*, int);
template __global__ void sum<unsigned long long, 64>(const unsigned long long*, unsigned long long*, unsigned long long*, int);

extern "C" __global__ void __launch_bounds__(128, 4) largest(const float* in, float* out, int n) {
  float mine = -INFINITY;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += 128) mine = fmaxf(mine, in[i]);
  mine = reduce_block<float, 128>(mine, -INFINITY, Largest());
  if (threadIdx.x == 0) *out = mine;
}

// How many, whether all, whether any, told to every thread by the barrier itself.
extern "C" __global__ void quantifiers(const int* in, int* count, int* all, int* any) {
  const int positive = in[threadIdx.x] > 0;
  count[threadIdx.x] = __syncthreads_count(positive);
  all[threadIdx.x] = __syncthreads_and(positive);
  any[threadIdx.x] = __syncthreads_or(positive);
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void warp_instructions(int* s, unsigned* u) {
  const unsigned mask = __activemask();
  s[0] = __reduce_add_sync(mask, s[threadIdx.x]);
  s[1] = __reduce_min_sync(mask, s[threadIdx.x]);
  s[2] = __reduce_max_sync(mask, s[threadIdx.x]);
  u[0] = __reduce_add_sync(mask, u[threadIdx.x]);
  u[1] = __reduce_min_sync(mask, u[threadIdx.x]);
  u[2] = __reduce_max_sync(mask, u[threadIdx.x]);
  u[3] = __reduce_and_sync(mask, u[threadIdx.x]);
  u[4] = __reduce_or_sync(mask, u[threadIdx.x]);
  u[5] = __reduce_xor_sync(mask, u[threadIdx.x]);
}
#endif
