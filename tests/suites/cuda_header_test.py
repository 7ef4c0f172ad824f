"""CUDA sources with the device header of our own: what comes out of each is accepted by NVIDIA's ptxas.

The sources below testdata/cuda use every function of the header between them, for every generation of GPU.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from tests.servers import programs
from tests.suites.ingot_command import Ingot, from_runfiles

# The PTX version of each GPU: for those whose own is older than some instruction of the header, the oldest that has all.
CPUS = {
    "sm_50": "+ptx84",
    "sm_53": "+ptx84",
    "sm_60": "+ptx84",
    "sm_61": "+ptx84",
    "sm_70": "+ptx84",
    "sm_72": "+ptx84",
    "sm_75": "+ptx84",
    "sm_80": "+ptx84",
    "sm_86": "+ptx84",
    "sm_89": "+ptx84",
    "sm_90": "+ptx84",
    "sm_90a": "+ptx84",
    "sm_100": "",
    "sm_100a": "",
    "sm_103": "",
    "sm_110": "",
    "sm_120": "",
    "sm_121": "",
}

# What the driver or ptxas itself provides.
PROVIDED = {"vprintf", "__assertfail", "malloc", "free"}

# The others are whole programs.
NEEDS_LIBRARY = "library.cu"

STRICT = ("-Wall", "-Wextra", "-pedantic", "-Werror")


class CudaHeaderTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        folder = pathlib.Path(from_runfiles("CUDA_SOURCE")).parent
        self.sources = sorted(path.name for path in folder.glob("*.cu"))
        self.assertGreater(len(self.sources), 10)
        for name in self.sources:
            shutil.copy(folder / name, self.ingot.work / name)

    def compile(self, cpu: str, *options: str, sources: list[str] | None = None, features: str | None = None) -> dict[str, str]:
        """The PTX of each source, by its name."""
        names = self.sources if sources is None else sources
        shutil.rmtree(self.ingot.work / "out", ignore_errors=True)
        (self.ingot.work / "out").mkdir()
        features = CPUS[cpu] if features is None else features
        whole = [name for name in names if name != NEEDS_LIBRARY]
        for some, more in ((whole, ()), ([name for name in names if name == NEEDS_LIBRARY], ("--relocatable=true",))):
            if some:
                run = self.ingot.compile(*some, "--target=nvptx64", f"--cpu={cpu}", f"--features={features}", *more, *STRICT, *options, "-o", "out/")
                self.assertEqual((run.exit_code, run.err[:2000]), (0, ""), f"{cpu} {options}")
        return {name: self.ingot.read(f"out/{pathlib.Path(name).stem}.ptx").decode() for name in names}

    def error_of(self, text: str, *options: str) -> str:
        """What the compiler says to a source that is wrong."""
        self.ingot.write("wrong.cu", text)
        run = self.ingot.compile("wrong.cu", "--target=nvptx64", *options, "-o", "wrong.ptx")
        self.assertEqual(run.exit_code, 1, run.err)
        return run.out.decode() + run.err

    def assemble(self, cpu: str, modules: dict[str, str]) -> None:
        """Has ptxas assemble each module."""
        ptxas = programs.find_ptxas(cpu)

        def assemble(name: str) -> str:
            path = self.ingot.work / "out" / f"{pathlib.Path(name).stem}.ptx"
            path.write_text(modules[name], encoding="utf-8")
            whole = () if name != NEEDS_LIBRARY else ("--compile-only",)
            done = subprocess.run(
                [ptxas, f"--gpu-name={cpu}", *whole, str(path), "--output-file", str(path.with_suffix(".cubin"))],
                capture_output=True,
                text=True,
                check=False,
            )
            said = done.stdout + done.stderr
            # Recursion and virtual functions have no bound on the stack, and ptxas says so.
            said = "\n".join(line for line in said.splitlines() if "Stack size for entry function" not in line)
            return said if done.returncode == 0 else f"exit code {done.returncode}\n{said}"

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = dict(zip(modules, pool.map(assemble, modules), strict=True))
        self.assertEqual({name: text for name, text in said.items() if text}, {}, cpu)

    def test_every_source_for_every_gpu(self) -> None:
        for cpu in CPUS:
            with self.subTest(cpu=cpu):
                self.assemble(cpu, self.compile(cpu))

    def test_every_standard(self) -> None:
        for standard in ("c++14", "c++17", "c++20", "c++23", "gnu++23"):
            with self.subTest(standard=standard):
                self.assemble("sm_90", self.compile("sm_90", f"-std={standard}"))

    def test_every_level(self) -> None:
        for level in ("-O0", "-O1", "-O3", "-Os"):
            with self.subTest(level=level):
                self.assemble("sm_80", self.compile("sm_80", level))

    def test_debug_information(self) -> None:
        modules = self.compile("sm_75", "-g")
        self.assertFalse(str(self.ingot.work) in "".join(modules.values()))
        self.assemble("sm_75", modules)

    def test_what_is_left_to_a_runtime_library(self) -> None:
        modules = self.compile("sm_90")
        externals = {name: set(re.findall(r"^\.extern \.func\s+(?:\(.*?\)\s*)?([\w$]+)", text, re.MULTILINE)) for name, text in modules.items()}
        library = externals.pop(NEEDS_LIBRARY)
        for name, functions in externals.items():
            self.assertLessEqual(functions, PROVIDED, name)
        self.assertEqual(externals["language.cu"], PROVIDED)
        self.assertTrue(all(function.startswith("__nv_") for function in library), library)
        for function in ("__nv_sin", "__nv_sinf", "__nv_pow", "__nv_powf", "__nv_powif", "__nv_fmodf", "__nv_sincos", "__nv_norm4df"):
            self.assertIn(function, library)

    def test_the_hardware_is_used(self) -> None:
        modules = self.compile("sm_90")
        for name, instructions in {
            "atomics.cu": (
                # Each in its own scope: of the device unless it says otherwise.
                "atom.global.add.u32",
                "atom.cas.b64",
                "atom.cta.cas.b32",
                "atom.sys.max.u64",
                "atom.sys.min.s64",
                "atom.cas.b16",
                "atom.sys.cas.b128",
                "atom.global.add.v4.f32",
                "atom.shared.add.u32",
            ),
            "cluster.cu": (".maxclusterrank 8", ".minnctapersm 1", "mapa", "barrier.cluster.arrive.relaxed", "%cluster_ctarank"),
            "floats.cu": ("sqrt.rn.f32", "rsqrt.approx.f32", "fma.rz.f64", "cvt.rzi.f32.f32", "sin.approx.f32", "tanh.approx.f32"),
            "half.cu": ("fma.rn.f16x2", "fma.rn.bf16", "atom.add.noftz.f16x2"),
            "integers.cu": ("brev.b32", "prmt.b32", "mul.hi.u64", "shf.l.wrap.b32", "cvt.rmi.s32.f32", "fns.b32"),
            "language.cu": ("nanosleep.u32", "brkpt;", "%globaltimer", "pmevent", "call.uni (retval0), vprintf"),
            "matmul.cu": (".maxntid 256", "fma.rn.f32", "ld.global.nc.v4.b32", "isspacep.param", "dp4a.s32.s32", "dp2a.hi.u32.u32"),
            "reduction.cu": ("shfl.sync.down.b32", "bar.red.popc.u32", "redux.sync.add.s32", ".maxntid 128", ".minnctapersm 4", "membar.gl"),
            "scan.cu": (".extern .shared .align 16 .b8 scratch[]", "match.all.sync.b64", "vote.sync.ballot.b32", "shfl.sync.up.b32", "bar.warp.sync"),
            "stencil.cu": (".const .align 4 .b8 weights[20]", "ld.global.nc.v2.u64", "st.global.cs.u8", "ld.global.cv.u32", "isspacep.shared"),
            "vectors.cu": ("ld.shared.v4.b32", "st.global.v4.b32", "ld.shared.v2.b64"),
        }.items():
            for instruction in instructions:
                # assertIn would show the whole module.
                self.assertTrue(instruction in modules[name], f"{name} has no {instruction}")
        # The scope of a compare-and-swap costs a fence of the whole system if it is not given away.
        self.assertFalse("fence.sc" in modules["atomics.cu"])

    def test_a_rounded_product_is_not_fused(self) -> None:
        text = self.compile("sm_75", sources=["floats.cu"])["floats.cu"]
        body = text.split("entry two_product(")[1].split("\n}")[0]
        self.assertEqual(len(re.findall(r"\bmul\.rn\.f32\b", body)), 1, body)
        self.assertEqual(len(re.findall(r"\bfma\.rn\.f32\b", body)), 1, body)
        self.assertEqual(len(re.findall(r"\badd(\.rn)?\.f32\b", body)), 1, body)

    def test_what_is_refused(self) -> None:
        for text, word in {
            "__managed__ int x;": "__managed__ variables are not supported",
            "__global__ void __cluster_dims__(2, 1, 1) k() {}": "__cluster_dims__ is not supported",
            "__global__ void __maxnreg__(32) k() {}": "__maxnreg__ is not supported",
            "__global__ void k(int3* p) { *p = __ldg(p); }": "__ldg needs a type that is aligned to its size",
        }.items():
            with self.subTest(text=text):
                self.assertIn(word, self.error_of(text, "--cpu=sm_90"))

    def test_what_a_gpu_does_not_have_is_not_declared(self) -> None:
        for cpu, text in {
            "sm_53": "__global__ void k(double* d) { atomicAdd(d, 1.0); }",
            "sm_60": "__global__ void k() { __nanosleep(1); }",
            "sm_75": "__global__ void k(int* i) { *i = __reduce_add_sync(~0U, *i); }",
            "sm_89": "__global__ void k() { __cluster_barrier_wait(); }",
        }.items():
            with self.subTest(cpu=cpu):
                error = self.error_of(text, f"--cpu={cpu}", f"--features={CPUS.get(cpu, '+ptx84')}")
                self.assertRegex(error, "undeclared identifier|no matching function")

    def test_what_the_chosen_ptx_does_not_have_is_an_error_of_ours(self) -> None:
        for cpu, ptx, text in (
            ("sm_60", 50, "__global__ void k(int* i) { *i = __shfl_sync(~0U, *i, 0); }"),
            ("sm_75", 63, "__global__ void k(float* f) { *f = __tanhf(*f); }"),
            ("sm_90", 83, "__global__ void k(__int128* i) { *i = atomicExch_system(i, *i); }"),
        ):
            with self.subTest(cpu=cpu, ptx=ptx):
                self.assertRegex(self.error_of(text, f"--cpu={cpu}", f"--features=+ptx{ptx}"), "needs target feature ptx60|it needs PTX ISA")

    def test_the_header_hits_too(self) -> None:
        arguments = ("scan.cu", "--target=nvptx64", "--cpu=sm_80", "--features=+ptx84", "-o", "scan.ptx")
        self.assertEqual(self.ingot.cache_word(*arguments), "miss")
        first = self.ingot.read("scan.ptx")
        self.assertEqual(self.ingot.cache_word(*arguments), "hit")
        self.assertEqual(self.ingot.read("scan.ptx"), first)


if __name__ == "__main__":
    unittest.main()
