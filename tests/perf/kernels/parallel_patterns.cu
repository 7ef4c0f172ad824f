// What libraries of parallel algorithms are made of.

extern "C" __global__ void reduce(const float *in, float *out, int n) {
  float sum = 0;
  const unsigned stride = blockDim.x * gridDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(n); i += stride) {
    sum += in[i];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  __shared__ float sums[32];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// An exclusive sum of one block, by sweeps up and down a tree.
extern "C" __global__ void scan(const int *in, int *out, int n) {
  extern __shared__ int tree[];
  const int thread = static_cast<int>(threadIdx.x);
  int offset = 1;
  tree[2 * thread] = in[2 * thread];
  tree[2 * thread + 1] = in[2 * thread + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thread < d) {
      const int a = offset * (2 * thread + 1) - 1;
      const int b = offset * (2 * thread + 2) - 1;
      tree[b] += tree[a];
    }
    offset *= 2;
  }
  if (thread == 0) tree[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thread < d) {
      const int a = offset * (2 * thread + 1) - 1;
      const int b = offset * (2 * thread + 2) - 1;
      const int t = tree[a];
      tree[a] = tree[b];
      tree[b] += t;
    }
  }
  __syncthreads();
  out[2 * thread] = tree[2 * thread];
  out[2 * thread + 1] = tree[2 * thread + 1];
}

extern "C" __global__ void histogram(const unsigned char *data, unsigned *bins, int n) {
  __shared__ unsigned local[256];
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  const unsigned stride = blockDim.x * gridDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(n); i += stride) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
    if (local[i] != 0) atomicAdd(&bins[i], local[i]);
  }
}

// One block's bitonic sort of 1024 keys.
extern "C" __global__ void sort(unsigned *keys) {
  __shared__ unsigned shared[1024];
  const unsigned i = threadIdx.x;
  shared[i] = keys[blockIdx.x * 1024 + i];
  __syncthreads();
  for (unsigned size = 2; size <= 1024; size *= 2) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      const unsigned other = i ^ distance;
      if (other > i) {
        const bool ascending = (i & size) == 0;
        const unsigned a = shared[i];
        const unsigned b = shared[other];
        if ((a > b) == ascending) {
          shared[i] = b;
          shared[other] = a;
        }
      }
      __syncthreads();
    }
  }
  keys[blockIdx.x * 1024 + i] = shared[i];
}
