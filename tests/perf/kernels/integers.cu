// Integer arithmetic: hashes and random numbers.

__device__ __forceinline__ unsigned rotate(unsigned x, int by) { return (x << by) | (x >> (32 - by)); }

// The quarter rounds of a stream cipher, 20 rounds for each thread.
extern "C" __global__ void cipher(const unsigned *key, unsigned *out, unsigned counter) {
  unsigned state[16];
  state[0] = 0x61707865;
  state[1] = 0x3320646e;
  state[2] = 0x79622d32;
  state[3] = 0x6b206574;
#pragma unroll
  for (int i = 0; i < 8; ++i) state[4 + i] = key[i];
  state[12] = counter + blockIdx.x * blockDim.x + threadIdx.x;
  state[13] = 0;
  state[14] = key[8];
  state[15] = key[9];
  unsigned x[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) x[i] = state[i];
  const auto quarter = [&x](int a, int b, int c, int d) {
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 7);
  };
  for (int round = 0; round < 10; ++round) {
    quarter(0, 4, 8, 12);
    quarter(1, 5, 9, 13);
    quarter(2, 6, 10, 14);
    quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15);
    quarter(1, 6, 11, 12);
    quarter(2, 7, 8, 13);
    quarter(3, 4, 9, 14);
  }
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 16; ++i) out[thread * 16 + i] = x[i] + state[i];
}

extern "C" __global__ void hash(const unsigned long long *in, unsigned long long *out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  unsigned long long h = in[i];
  for (int round = 0; round < 8; ++round) {
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdull;
    h ^= h >> 29;
    h *= 0xc4ceb9fe1a85ec53ull;
    h ^= __umul64hi(h, 0x9e3779b97f4a7c15ull);
  }
  out[i] = h;
}

// Greatest common divisors: a loop whose length differs by thread.
extern "C" __global__ void divisors(const unsigned *a, const unsigned *b, unsigned *out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  unsigned x = a[i];
  unsigned y = b[i];
  while (y != 0) {
    const unsigned rest = x % y;
    x = y;
    y = rest;
  }
  out[i] = x;
}
