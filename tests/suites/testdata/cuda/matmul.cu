// Matrix multiplication: tiles as template parameters, parameters by value in constant memory, an operation applied to the result.

struct Matrix {
  const float* __restrict__ data;
  int rows, columns;
  __host__ __device__ float at(int row, int column) const {
    return row < rows && column < columns ? data[row * columns + column] : 0.0F;
  }
};

struct Identity {
  __device__ float operator()(float x) const { return x; }
};

struct Relu {
  float slope;
  __device__ float operator()(float x) const { return x > 0.0F ? x : slope * x; }
};

template <int kTile, int kPerThread, typename Finish>
__global__ void __launch_bounds__(kTile* kTile / kPerThread)
    multiply(const __grid_constant__ Matrix a, const __grid_constant__ Matrix b, float* __restrict__ c, Finish finish) {
  __shared__ float left[kTile][kTile + 1];
  __shared__ float right[kTile][kTile];
  const int column = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y) * kPerThread;
  float sum[kPerThread] = {};
  for (int from = 0; from < a.columns; from += kTile) {
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      const int y = static_cast<int>(threadIdx.y) * kPerThread + i;
      left[y][threadIdx.x] = a.at(row + i, from + static_cast<int>(threadIdx.x));
      right[y][threadIdx.x] = b.at(from + y, column);
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kTile; ++k) {
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
        sum[i] = fmaf(left[static_cast<int>(threadIdx.y) * kPerThread + i][k], right[k][threadIdx.x], sum[i]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kPerThread; ++i) {
    if (row + i < a.rows && column < b.columns) c[(row + i) * b.columns + column] = finish(sum[i]);
  }
}
template __global__ void multiply<16, 1, Identity>(Matrix, Matrix, float*, Identity);
template __global__ void multiply<32, 4, Relu>(Matrix, Matrix, float*, Relu);

// Wide loads: each thread adds up four columns.
extern "C" __global__ void matrix_vector(const float4* __restrict__ a, const float4* __restrict__ x, float* y, int columns) {
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = static_cast<int>(threadIdx.x); i < columns / 4; i += warpSize) {
    const float4 l = a[static_cast<int>(blockIdx.x) * columns / 4 + i];
    const float4 r = x[i];
    sum.x += l.x * r.x;
    sum.y += l.y * r.y;
    sum.z += l.z * r.z;
    sum.w += l.w * r.w;
  }
  float total = sum.x + sum.y + sum.z + sum.w;
  for (int lanes = 16; lanes > 0; lanes /= 2) total += __shfl_xor_sync(0xffffffffU, total, lanes);
  if (threadIdx.x == 0) y[blockIdx.x] = total;
}

#if __CUDA_ARCH__ >= 700
extern "C" __global__ void where_parameters_are(const __grid_constant__ Matrix a, unsigned* out) { *out = __isGridConstant(&a); }
#endif
#if __CUDA_ARCH__ >= 610
// Bytes, four at a time.
extern "C" __global__ void byte_product(const int* a, const int* b, const char4* c, const uchar4* d, const short2* e, const ushort2* f,
                                        int* out, unsigned* unsigned_out) {
  const unsigned i = threadIdx.x;
  out[i] = __dp4a(a[i], b[i], __dp4a(c[i], c[i + 1], out[i]));
  out[i] = __dp2a_lo(a[i], b[i], __dp2a_hi(e[i], c[i], out[i]));
  out[i] = __dp2a_hi(a[i], b[i], __dp2a_lo(e[i], c[i], out[i]));
  const unsigned x = static_cast<unsigned>(a[i]);
  const unsigned y = static_cast<unsigned>(b[i]);
  unsigned_out[i] = __dp4a(x, y, __dp4a(d[i], d[i + 1], unsigned_out[i]));
  unsigned_out[i] = __dp2a_lo(x, y, __dp2a_hi(f[i], d[i], unsigned_out[i]));
  unsigned_out[i] = __dp2a_hi(x, y, __dp2a_lo(f[i], d[i], unsigned_out[i]));
}
#endif

// As many sources have it: the host's half, which a compilation for the device only looks at.
__host__ void launch(Matrix a, Matrix b, float* c) {
  const dim3 block(16, 16);
  const dim3 grid(static_cast<unsigned>(b.columns + 15) / 16, static_cast<unsigned>(a.rows + 15) / 16);
  multiply<16, 1><<<grid, block>>>(a, b, c, Identity());
  matrix_vector<<<1, 32, 0, nullptr>>>(nullptr, nullptr, c, a.columns);
}
