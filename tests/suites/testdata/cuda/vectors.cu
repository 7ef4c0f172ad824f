// Every vector type: sizes and alignments are CUDA's, and so are the constructors' names.

#define CHECK(type, size, alignment) \
  static_assert(sizeof(type) == (size) && alignof(type) == (alignment), #type " has another layout in CUDA")
#define CHECK_FOUR(type, element, align2, align4)    \
  CHECK(type##1, element, element);                  \
  CHECK(type##2, 2 * (element), align2);             \
  CHECK(type##3, 3 * (element), element);            \
  CHECK(type##4, 4 * (element), align4)

CHECK_FOUR(char, 1, 2, 4);
CHECK_FOUR(uchar, 1, 2, 4);
CHECK_FOUR(short, 2, 4, 8);
CHECK_FOUR(ushort, 2, 4, 8);
CHECK_FOUR(int, 4, 8, 16);
CHECK_FOUR(uint, 4, 8, 16);
CHECK_FOUR(long, 8, 16, 16);
CHECK_FOUR(ulong, 8, 16, 16);
CHECK_FOUR(longlong, 8, 16, 16);
CHECK_FOUR(ulonglong, 8, 16, 16);
CHECK_FOUR(float, 4, 8, 16);
CHECK_FOUR(double, 8, 16, 16);
CHECK(dim3, 12, 4);

#define KERNEL(type)                                                                                     \
  extern "C" __global__ void type##_vectors(type##1 * a, type##2 * b, type##3 * c, type##4 * d) {        \
    __shared__ type##4 shared[32];                                                                       \
    shared[threadIdx.x] = d[threadIdx.x];                                                                \
    __syncthreads();                                                                                     \
    const type##4 v = shared[31 - threadIdx.x];                                                          \
    a[threadIdx.x] = make_##type##1(v.x);                                                                \
    b[threadIdx.x] = make_##type##2(v.y, v.x);                                                           \
    c[threadIdx.x] = make_##type##3(v.z, v.y, v.x);                                                      \
    d[threadIdx.x] = make_##type##4(v.w, v.z, v.y, v.x);                                                 \
  }
KERNEL(char)
KERNEL(uchar)
KERNEL(short)
KERNEL(ushort)
KERNEL(int)
KERNEL(uint)
KERNEL(long)
KERNEL(ulong)
KERNEL(longlong)
KERNEL(ulonglong)
KERNEL(float)
KERNEL(double)

// Values of vector types as constants, arguments and results.
__constant__ float4 corner = {1, 2, 3, 4};
__device__ __noinline__ float4 scaled(float4 v, float by) { return {v.x * by, v.y * by, v.z * by, v.w * by}; }
extern "C" __global__ void by_value(float4* out, const float4 v, const double2 w, const uchar4 bytes) {
  constexpr int2 step = {3, 4};
  out[0] = scaled(v, static_cast<float>(w.x + w.y) + bytes.z);
  out[1] = scaled(corner, static_cast<float>(step.x + step.y));
}
