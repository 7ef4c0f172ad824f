"""CUDA sources with the headers of NVIDIA's own toolkit and a host's C++ library, named by --cuda-path and --sysroot."""

import subprocess
import unittest

from tests.servers import programs
from tests.suites.ingot_command import Ingot

CPU = "sm_80"

# Cooperative groups, tensor cores and half precision: what the header of our own does not have.
GROUPS = """\
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;

__global__ void multiply(const half *a, const half *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  c[tile.thread_rank()] += tile.shfl_down(__half2float(a[0]), 1);
}
"""

# The C++ libraries of a toolkit, a host function that launches, and the host's own library beside them.
LIBRARIES = """\
#include <cub/block/block_reduce.cuh>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void sum(const float *in, float *out) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  const float total = Reduce(storage).Sum(in[threadIdx.x]);
  cuda::std::array<float, 2> pair{total, 1.0f};
  cuda::atomic_ref<float, cuda::thread_scope_device> cell(*out);
  if (threadIdx.x == 0) cell.fetch_add(pair[0]);
  if (threadIdx.x == 1) printf("%d\\n", 1);
}

void launch(std::vector<float> &values) { sum<<<1, 128>>>(values.data(), values.data()); }
"""


class CudaToolkitTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.toolkit = programs.find_cuda_toolkit()
        self.ingot.write("groups.cu", GROUPS)
        self.ingot.write("libraries.cu", LIBRARIES)

    def compile(self, name: str, *options: str) -> str:
        """The PTX of a source."""
        arguments = ("cc", "--target=nvptx64", f"-mcpu={CPU}", "-std=c++17", "-O2", f"--cuda-path={self.toolkit}", "-S", f"{name}.cu", "-o", f"{name}.ptx")
        run = self.ingot.run(*arguments, *options)
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertEqual(run.err, "")
        return self.ingot.read(f"{name}.ptx").decode()

    def assemble(self, name: str) -> None:
        done = subprocess.run(
            [programs.find_ptxas(CPU), f"--gpu-name={CPU}", "-o", "/dev/null", str(self.ingot.work / f"{name}.ptx")],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_its_headers_and_libraries(self) -> None:
        ptx = self.compile("groups", "--sysroot=/")
        self.assertIn("wmma.mma.sync", ptx)
        self.assertIn("shfl.sync.down", ptx)
        self.assemble("groups")
        ptx = self.compile("libraries", "--sysroot=/")
        self.assertIn("red", ptx)
        self.assertIn("vprintf", ptx)
        self.assemble("libraries")

    def test_its_files_are_dependencies_and_part_of_the_key(self) -> None:
        first = self.compile("groups", "--sysroot=/")
        self.assertEqual(self.ingot.counters()["hit"], 0)
        rule = self.ingot.run("cc", "--target=nvptx64", f"-mcpu={CPU}", f"--cuda-path={self.toolkit}", "--sysroot=/", "-M", "groups.cu")
        self.assertEqual(rule.exit_code, 0, rule.err)
        self.assertIn(f"{self.toolkit}/include/mma.h".encode(), rule.out)
        self.assertEqual(self.compile("groups", "--sysroot=/"), first)
        self.assertEqual(self.ingot.counters()["hit"], 1)
        # The same toolkit under another name.
        elsewhere = self.ingot.root / "cuda"
        elsewhere.symlink_to(self.toolkit)
        self.toolkit = elsewhere
        self.assertEqual(self.compile("groups", "--sysroot=/"), first)
        self.assertEqual(self.ingot.counters()["hit"], 2)

    def test_without_a_host_says_which_header_is_missing(self) -> None:
        run = self.ingot.run("cc", "--target=nvptx64", f"-mcpu={CPU}", f"--cuda-path={self.toolkit}", "-S", "groups.cu")
        self.assertEqual(run.exit_code, 1)
        self.assertRegex(run.err, "fatal error: '.*' file not found")

    def test_is_refused_for_other_languages(self) -> None:
        self.ingot.write("k.cl", "kernel void k() {}\n")
        run = self.ingot.run("compile", "--target=nvptx64", "--cuda-path=/usr", "k.cl", "-o", "k.ptx")
        self.assertEqual(run.exit_code, 2)
        self.assertIn("--cuda-path= has no meaning for cl", run.err)


if __name__ == "__main__":
    unittest.main()
