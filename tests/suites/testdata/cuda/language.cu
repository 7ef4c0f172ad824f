// What C++ brings: lambdas, virtual functions, function pointers, recursion, the heap; and printf, assert, traps, clocks.
#include <assert.h>

namespace {

class Shape {
 public:
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual float twice() const { return 2.0F * area(); }
};

class Square final : public Shape {
 public:
  __device__ explicit Square(float side) : side_(side) {}
  __device__ float area() const override { return side_ * side_; }

 private:
  float side_;
};

class Circle final : public Shape {
 public:
  __device__ explicit Circle(float radius) : radius_(radius) {}
  __device__ float area() const override { return static_cast<float>(M_PI) * radius_ * radius_; }
  __device__ float twice() const override { return 7.0F * radius_ * radius_; }

 private:
  float radius_;
};

template <typename Function>
__device__ void for_each(int n, Function function) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) function(i);
}

template <typename... Numbers>
__device__ constexpr int total(Numbers... numbers) {
  int sum = 0;
  const int list[] = {numbers...};
  for (int number : list) sum += number;
  return sum;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

using Operation = float (*)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float multiply(float a, float b) { return a * b; }

}  // namespace

template <typename Function>
__global__ void apply(float* data, int n, Function function) {
  for_each(n, [=] __device__(int i) { data[i] = function(data[i], i); });
}

extern "C" __global__ void lambdas(float* data, int n) {
  const float factor = data[0];
  float largest = 0;
  for_each(n, [=, &largest](int i) {
    data[i] *= factor;
    largest = fmaxf(largest, data[i]);
  });
  auto generic = [](auto x, auto y) { return x + y; };
  data[0] = generic(largest, total(1, 2, 3)) + static_cast<float>(generic(1, 2));
}

// A kernel template with a lambda of the host's, as launched from there.
__host__ void launch(float* data, int n) {
  apply<<<1, 256>>>(data, n, [=] __device__(float x, int i) { return x + static_cast<float>(i); });
}

extern "C" __global__ void shapes(float* out, int n) {
  Shape* shape;
  if (n & 1) {
    shape = new Square(out[0]);
  } else {
    shape = new Circle(out[0]);
  }
  out[1] = shape->area() + shape->twice();
  delete shape;
  int* list = new int[static_cast<unsigned>(n)];
  for (int i = 0; i < n; ++i) list[i] = i;
  out[2] = static_cast<float>(list[n / 2]);
  delete[] list;
  alignas(Square) unsigned char place[sizeof(Square)];
  out[3] = (new (place) Square(3.0F))->area();
}

extern "C" __global__ void calls(float* out, int which, const unsigned char* bytes) {
  const Operation operations[2] = {add, multiply};
  out[0] = operations[which & 1](out[1], out[2]);
  out[3] = static_cast<float>(fibonacci(which));
  switch (bytes[0]) {
    case 0:
      out[4] = 1;
      break;
    case 1:
      out[4] = out[5];
      break;
    case 2:
      out[4] = out[6] * 2;
      break;
    case 3:
      out[4] = out[7] / 3;
      break;
    default:
      out[4] = -1;
  }
}

extern "C" __global__ void output(const int* in, const char* name) {
  printf("thread %u of block (%u, %u, %u): %d\n", threadIdx.x, blockIdx.x, blockIdx.y, blockIdx.z, in[threadIdx.x]);
  printf("%s %f %c %lld %p %%\n", name, 0.5, 'x', 1LL << 40, static_cast<const void*>(in));
  printf("no arguments\n");
}

extern "C" __global__ void checks(const int* in, int n) {
  assert(threadIdx.x < static_cast<unsigned>(n));
  assert(n > 0 && "the message is the expression");
  if (in[0] < 0) __trap();
  if (in[1] < 0) __brkpt();
  __prof_trigger(3);
}

// NDEBUG takes effect where assert.h is included again.
#define NDEBUG
#include <assert.h>
extern "C" __global__ void no_checks(int n) {
  assert(n > 0);
  (void)n;
}
#undef NDEBUG
#include <assert.h>

extern "C" __global__ void heap(char** out, size_t size) {
  char* memory = static_cast<char*>(malloc(size));
  if (memory == nullptr) return;
  memset(memory, 0, size);
  memcpy(memory, "ingot", 6);
  memmove(memory + 1, memory, 6);
  if (memcmp(memory, "iingot", 7) == 0 && strlen(memory) == 6 && strcmp(memory, "iingot") == 0) *out = memory;
  free(memory);
}

extern "C" __global__ void clocks(long long* out) {
  const clock_t start = clock();
  out[0] = clock64();
#if __CUDA_ARCH__ >= 700
  __nanosleep(100);
#endif
  out[1] = clock() - start;
  out[2] = static_cast<long long>(__globaltimer());
}

// The special registers as values.
extern "C" __global__ void coordinates(dim3* dims, uint3* indices) {
  const dim3 block = blockDim;
  const dim3 grid(gridDim);
  const uint3 thread = threadIdx;
  indices[0] = blockIdx;
  indices[1] = thread;
  indices[2] = grid;
  dims[0] = block;
  dims[1] = dim3(thread);
  dims[2] = dim3(1, 2);
  dims[3] = dim3();
  dims[4] = dim3(blockIdx.z * blockDim.z + threadIdx.z, threadIdx.y, static_cast<unsigned>(warpSize));
}
