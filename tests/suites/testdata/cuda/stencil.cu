// A five-point stencil with a tile in shared memory, weights in constant memory, and every cache hint.

__constant__ float weights[5] = {0.5F, 0.125F, 0.125F, 0.125F, 0.125F};
__device__ int launches;
__device__ const int kRows[2] = {16, 16};

template <int kWidth, int kHeight>
__global__ void __launch_bounds__(kWidth * kHeight, 2)
    stencil(const float* __restrict__ in, float* __restrict__ out, int width, int height) {
  __shared__ float tile[kHeight + 2][kWidth + 2];
  const int x = static_cast<int>(blockIdx.x * kWidth + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kHeight + threadIdx.y);
  const int tx = static_cast<int>(threadIdx.x) + 1;
  const int ty = static_cast<int>(threadIdx.y) + 1;
  auto at = [=](int column, int row) {
    column = min(max(column, 0), width - 1);
    row = min(max(row, 0), height - 1);
    return __ldg(&in[row * width + column]);
  };
  tile[ty][tx] = at(x, y);
  if (tx == 1) tile[ty][0] = at(x - 1, y);
  if (tx == kWidth) tile[ty][kWidth + 1] = at(x + 1, y);
  if (ty == 1) tile[0][tx] = at(x, y - 1);
  if (ty == kHeight) tile[kHeight + 1][tx] = at(x, y + 1);
  __syncthreads();
  if (x < width && y < height) {
    out[y * width + x] = weights[0] * tile[ty][tx] + weights[1] * tile[ty][tx - 1] + weights[2] * tile[ty][tx + 1] +
                         weights[3] * tile[ty - 1][tx] + weights[4] * tile[ty + 1][tx];
  }
  if (x == 0 && y == 0) ++launches;
}
template __global__ void stencil<32, 8>(const float*, float*, int, int);
template __global__ void stencil<16, 16>(const float*, float*, int, int);

template <typename T>
__device__ void hints(const T* in, T* out) {
  __stwb(out + 0, __ldg(in + 0));
  __stcg(out + 1, __ldcg(in + 1));
  __stcs(out + 2, __ldcs(in + 2));
  __stwt(out + 3, __ldcv(in + 3));
  __stwb(out + 4, __ldca(in + 4));
  __stwb(out + 5, __ldlu(in + 5));
}

extern "C" __global__ void cache_hints(char* c, short* s, int* i, long long* l, float* f, double* d, uchar2* c2, char4* c4, short4* s4,
                                       int2* i2, uint4* i4, float4* f4, double2* d2, longlong2* l2) {
  const unsigned n = 8 * kRows[0];
  hints(c, c + n);
  hints(s, s + n);
  hints(i, i + n);
  hints(l, l + n);
  hints(f, f + n);
  hints(d, d + n);
  hints(c2, c2 + n);
  hints(c4, c4 + n);
  hints(s4, s4 + n);
  hints(i2, i2 + n);
  hints(i4, i4 + n);
  hints(f4, f4 + n);
  hints(d2, d2 + n);
  hints(l2, l2 + n);
}

// Where a pointer points to, and the same place by its address in that space.
extern "C" __global__ void spaces(int* global, unsigned* out) {
  __shared__ int shared[32];
  int local[2] = {static_cast<int>(threadIdx.x), 1};
  shared[threadIdx.x] = global[threadIdx.x];
  const void* pointers[4] = {global, shared, &local[threadIdx.x & 1], weights};
  for (int i = 0; i < 4; ++i) {
    out[i] = __isGlobal(pointers[i]) | __isShared(pointers[i]) << 1 | __isLocal(pointers[i]) << 2 | __isConstant(pointers[i]) << 3;
  }
  int value;
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&shared[1]))));
  out[4] = static_cast<unsigned>(value);
  *static_cast<int*>(__cvta_shared_to_generic(__cvta_generic_to_shared(&shared[2]))) = 1;
  *static_cast<int*>(__cvta_global_to_generic(__cvta_generic_to_global(&global[2]))) = shared[2];
  *static_cast<int*>(__cvta_local_to_generic(__cvta_generic_to_local(&local[0]))) = shared[3];
  out[5] = *static_cast<const unsigned*>(__cvta_constant_to_generic(__cvta_generic_to_constant(&weights[1])));
  out[6] = static_cast<unsigned>(local[0]);
}

// A pointer of which nothing is known: the hardware tells.
extern "C" __global__ void unknown_space(const void* const* pointers, unsigned* out) {
  const void* p = pointers[threadIdx.x];
  out[threadIdx.x] = __isGlobal(p) | __isShared(p) << 1 | __isLocal(p) << 2 | __isConstant(p) << 3;
}
