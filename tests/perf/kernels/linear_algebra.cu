// Dense and sparse linear algebra: memory bound, and bound by multiplications.

extern "C" __global__ void scale_and_add(int n, float a, const float *x, float *y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = a * x[i] + y[i];
}

// Each block makes a tile of the product; every element that it loads is used 16 times.
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n) {
  constexpr int kTile = 16;
  __shared__ float left[kTile][kTile];
  __shared__ float right[kTile][kTile];
  const int row = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    left[threadIdx.y][threadIdx.x] = a[row * n + first + static_cast<int>(threadIdx.x)];
    right[threadIdx.y][threadIdx.x] = b[(first + static_cast<int>(threadIdx.y)) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// The column of padding keeps a warp's accesses in different banks.
extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
  constexpr int kTile = 32;
  constexpr int kRows = 8;
  __shared__ float tile[kTile][kTile + 1];
  int x = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  int y = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  for (int j = 0; j < kTile; j += kRows) {
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  }
  __syncthreads();
  x = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.x);
  y = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.y);
  for (int j = 0; j < kTile; j += kRows) {
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

// Compressed rows, one thread each.
extern "C" __global__ void multiply_sparse(int rows, const int *starts, const int *columns,
                                           const double *values, const double *x, double *y) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  double sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
