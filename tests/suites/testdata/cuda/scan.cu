// Prefix sums and compaction by shuffles and votes; dynamic shared memory; barriers by number.

extern __shared__ __align__(16) unsigned char scratch[];

template <typename T>
__device__ T scan_warp(T value) {
  const unsigned lane = __laneid();
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const T below = __shfl_up_sync(0xffffffffU, value, offset);
    if (lane >= offset) value += below;
  }
  return value;
}

template <typename T>
__global__ void inclusive_scan(T* data, int n) {
  T* sums = reinterpret_cast<T*>(scratch);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  T value = i < static_cast<unsigned>(n) ? data[i] : T(0);
  value = scan_warp(value);
  if (__laneid() == 31) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    const T mine = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : T(0);
    const T total = scan_warp(mine);
    __syncwarp();
    sums[threadIdx.x] = total - mine;
  }
  __syncthreads();
  if (i < static_cast<unsigned>(n)) data[i] = value + sums[threadIdx.x / 32];
}
template __global__ void inclusive_scan<int>(int*, int);
template __global__ void inclusive_scan<unsigned>(unsigned*, int);
template __global__ void inclusive_scan<long>(long*, int);
template __global__ void inclusive_scan<unsigned long>(unsigned long*, int);
template __global__ void inclusive_scan<long long>(long long*, int);
template __global__ void inclusive_scan<unsigned long long>(unsigned long long*, int);
template __global__ void inclusive_scan<float>(float*, int);
template __global__ void inclusive_scan<double>(double*, int);

// Keeps what is not zero, in order: a lane's place is the number of takers below it.
extern "C" __global__ void compact(const int* in, int* out, unsigned* size) {
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  const unsigned takers = __ballot_sync(0xffffffffU, value != 0);
  unsigned base = 0;
  if (__laneid() == 0) base = atomicAdd(size, static_cast<unsigned>(__popc(takers)));
  base = __shfl_sync(0xffffffffU, base, 0);
  if (value != 0) out[base + static_cast<unsigned>(__popc(takers & __lanemask_lt()))] = value;
}

extern "C" __global__ void votes(const int* in, unsigned* out) {
  const unsigned mask = 0xffffffffU;
  const int value = in[threadIdx.x];
  out[0] = static_cast<unsigned>(__all_sync(mask, value));
  out[1] = static_cast<unsigned>(__any_sync(mask, value));
  out[2] = static_cast<unsigned>(__uni_sync(mask, value));
  out[3] = __ballot_sync(mask, value);
  out[4] = __activemask();
  out[5] = __lanemask_eq() ^ __lanemask_le() ^ __lanemask_ge() ^ __lanemask_gt();
}

// A butterfly within segments of eight lanes.
extern "C" __global__ void segments(double* d, long long* l, float* f) {
  for (int lanes = 4; lanes > 0; lanes /= 2) {
    d[threadIdx.x] += __shfl_xor_sync(0xffffffffU, d[threadIdx.x], lanes, 8);
    l[threadIdx.x] += __shfl_xor_sync(0xffffffffU, l[threadIdx.x], lanes, 8);
    f[threadIdx.x] += __shfl_sync(0xffffffffU, f[threadIdx.x], lanes, 8);
  }
}

#if __CUDA_ARCH__ >= 700
template <typename T>
__global__ void matches(const T* in, unsigned* any, unsigned* all, int* same) {
  any[threadIdx.x] = __match_any_sync(0xffffffffU, in[threadIdx.x]);
  int predicate;
  all[threadIdx.x] = __match_all_sync(0xffffffffU, in[threadIdx.x], &predicate);
  same[threadIdx.x] = predicate;
}
template __global__ void matches<int>(const int*, unsigned*, unsigned*, int*);
template __global__ void matches<unsigned>(const unsigned*, unsigned*, unsigned*, int*);
template __global__ void matches<long>(const long*, unsigned*, unsigned*, int*);
template __global__ void matches<unsigned long>(const unsigned long*, unsigned*, unsigned*, int*);
template __global__ void matches<long long>(const long long*, unsigned*, unsigned*, int*);
template __global__ void matches<unsigned long long>(const unsigned long long*, unsigned*, unsigned*, int*);
template __global__ void matches<float>(const float*, unsigned*, unsigned*, int*);
template __global__ void matches<double>(const double*, unsigned*, unsigned*, int*);
#endif

// Two halves of a block wait on barriers of their own.
extern "C" __global__ void halves(int* data) {
  const unsigned half = threadIdx.x / 128;
  data[threadIdx.x] += 1;
  __barrier_sync_count(1 + half, 128);
  data[threadIdx.x] += data[half * 128];
  __barrier_sync(0);
  data[threadIdx.x] += data[0];
}
