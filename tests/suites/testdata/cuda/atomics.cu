// Every atomic function of every type and scope, and a histogram.

extern "C" __global__ void __launch_bounds__(256) histogram(const unsigned char* __restrict__ in, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const int stride = static_cast<int>(blockDim.x * gridDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += stride) atomicAdd(&mine[in[i]], 1U);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

// Addition of a type that has none, from compare-and-swap: the text of CUDA's own guide for old GPUs.
__device__ double add_by_cas(double* address, double value) {
  unsigned long long* bits = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *bits;
  unsigned long long assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed,
                    static_cast<unsigned long long>(__double_as_longlong(
                        value + __longlong_as_double(static_cast<long long>(assumed)))));
  } while (assumed != old);
  return __longlong_as_double(static_cast<long long>(old));
}

extern "C" __global__ void sum_by_cas(const double* in, double* out) { add_by_cas(out, in[threadIdx.x]); }

#define EVERY_TYPE(suffix)                                                                    \
  template <typename T>                                                                       \
  __device__ void bitwise##suffix(T* p, T v) {                                                \
    p[1] = atomicAnd##suffix(p, v);                                                           \
    p[2] = atomicOr##suffix(p, v);                                                            \
    p[3] = atomicXor##suffix(p, v);                                                           \
    p[4] = atomicExch##suffix(p, v);                                                          \
    p[5] = atomicCAS##suffix(p, v, p[6]);                                                     \
    p[7] = atomicAdd##suffix(p, v);                                                           \
  }                                                                                           \
  template <typename T>                                                                       \
  __device__ void ordered##suffix(T* p, T v) {                                                \
    p[8] = atomicMin##suffix(p, v);                                                           \
    p[9] = atomicMax##suffix(p, v);                                                           \
  }                                                                                           \
  extern "C" __global__ void every##suffix(int* i, unsigned* u, long long* l,                 \
                                           unsigned long long* ul, float* f, double* d) {     \
    bitwise##suffix(i, i[16]);                                                                \
    bitwise##suffix(u, u[16]);                                                                \
    bitwise##suffix(ul, ul[16]);                                                              \
    ordered##suffix(i, i[16]);                                                                \
    ordered##suffix(u, u[16]);                                                                \
    ordered##suffix(l, l[16]);                                                                \
    ordered##suffix(ul, ul[16]);                                                              \
    i[10] = atomicSub##suffix(i, i[16]);                                                      \
    u[10] = atomicSub##suffix(u, u[16]);                                                      \
    u[11] = atomicInc##suffix(u, 100);                                                        \
    u[12] = atomicDec##suffix(u, 100);                                                        \
    f[1] = atomicAdd##suffix(f, f[16]);                                                       \
    f[2] = atomicExch##suffix(f, f[16]);                                                      \
    ADD_DOUBLE(suffix)                                                                        \
  }

#if __CUDA_ARCH__ >= 600
#define ADD_DOUBLE(suffix) d[1] = atomicAdd##suffix(d, d[16]);
#else
#define ADD_DOUBLE(suffix) d[1] = add_by_cas(d, d[16]);
#endif

EVERY_TYPE()
#if __CUDA_ARCH__ >= 600
EVERY_TYPE(_block)
EVERY_TYPE(_system)
#endif

#if __CUDA_ARCH__ >= 700
extern "C" __global__ void short_cas(unsigned short* p) {
  p[1] = atomicCAS(p, static_cast<unsigned short>(1), p[2]);
  p[3] = atomicCAS_block(p, static_cast<unsigned short>(1), p[2]);
  p[4] = atomicCAS_system(p, static_cast<unsigned short>(1), p[2]);
}
#endif

#if __CUDA_ARCH__ >= 900
struct __align__(16) Tagged {
  void* pointer;
  unsigned long long tag;
};

// A stack that is safe against a node coming back: pointer and counter change together.
extern "C" __global__ void push(Tagged* top, Tagged* nodes) {
  Tagged* node = &nodes[threadIdx.x];
  Tagged old = *top;
  for (;;) {
    node->pointer = old.pointer;
    const Tagged wanted = {node, old.tag + 1};
    const Tagged seen = atomicCAS(top, old, wanted);
    if (seen.tag == old.tag) break;
    old = seen;
  }
}

extern "C" __global__ void wide(Tagged* p, float2* f2, float4* f4) {
  p[1] = atomicExch(p, p[2]);
  p[3] = atomicExch_block(p, p[2]);
  p[4] = atomicExch_system(p, p[2]);
  p[5] = atomicCAS_block(p, p[2], p[3]);
  p[6] = atomicCAS_system(p, p[2], p[3]);
  f2[1] = atomicAdd(f2, f2[2]);
  f4[1] = atomicAdd(f4, f4[2]);
}
#endif

// Fences: a flag that is seen no earlier than what it announces.
extern "C" __global__ void publish(int* data, volatile int* flag) {
  __shared__ int local;
  if (threadIdx.x == 0) {
    local = data[1];
    __threadfence_block();
    data[0] = local;
    __threadfence();
    data[2] = local;
    __threadfence_system();
    *flag = 1;
  }
}
