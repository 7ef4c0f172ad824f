// Arithmetic in registers, and neighbours in memory.

extern "C" __global__ void gravity(const float4 *bodies, float4 *accelerations, int n) {
  __shared__ float4 tile[128];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 own = bodies[i];
  float ax = 0;
  float ay = 0;
  float az = 0;
  for (int first = 0; first < n; first += 128) {
    tile[threadIdx.x] = bodies[first + static_cast<int>(threadIdx.x)];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      const float dx = tile[j].x - own.x;
      const float dy = tile[j].y - own.y;
      const float dz = tile[j].z - own.z;
      const float square = dx * dx + dy * dy + dz * dz + 1e-6f;
      const float inverse = __frsqrt_rn(square);
      const float scale = tile[j].w * inverse * inverse * inverse;
      ax += dx * scale;
      ay += dy * scale;
      az += dz * scale;
    }
    __syncthreads();
  }
  accelerations[i] = make_float4(ax, ay, az, 0);
}

extern "C" __global__ void diffuse(const float *in, float *out, int nx, int ny, int nz, float rate) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  const int plane = nx * ny;
  int at = plane + y * nx + x;
  float below = in[at - plane];
  float here = in[at];
  for (int z = 1; z < nz - 1; ++z, at += plane) {
    const float above = in[at + plane];
    const float around = in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + below + above;
    out[at] = here + rate * (around - 6.0f * here);
    below = here;
    here = above;
  }
}

extern "C" __global__ void mandelbrot(unsigned *image, int width, int height, float scale, int limit) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const float cr = static_cast<float>(x - width / 2) * scale;
  const float ci = static_cast<float>(y - height / 2) * scale;
  float zr = 0;
  float zi = 0;
  int steps = 0;
  while (steps < limit && zr * zr + zi * zi < 4.0f) {
    const float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    ++steps;
  }
  image[y * width + x] = static_cast<unsigned>(steps);
}

// A 5 x 5 filter whose coefficients are the same for all threads.
__constant__ float coefficients[25];

extern "C" __global__ void convolve(const unsigned char *in, unsigned char *out, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
    for (int dx = -2; dx <= 2; ++dx) {
      const int sx = min(max(x + dx, 0), width - 1);
      const int sy = min(max(y + dy, 0), height - 1);
      sum += coefficients[(dy + 2) * 5 + dx + 2] * static_cast<float>(in[sy * width + sx]);
    }
  }
  out[y * width + x] = static_cast<unsigned char>(min(max(sum, 0.0f), 255.0f));
}
