"""Kernels for GPUs: several CPUs at once, entries, launch bounds, and what is wrong, through the driver and the cache."""

import json
import re
import unittest

from tests.suites.ingot_command import KERNEL, Ingot

TWO_KERNELS = """\
define ptx_kernel void @first(ptr %p) {
  call void @step(ptr %p)
  ret void
}
define ptx_kernel void @second(ptr %p) {
  ret void
}
define void @step(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}
"""


class KernelsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("k.ll", KERNEL)
        self.ingot.write("two.ll", TWO_KERNELS)

    def ptx(self, *options: str, source: str = "two.ll") -> str:
        run = self.ingot.compile(source, "--target=nvptx64", *options, "-o", "out.ptx")
        self.assertEqual(run.exit_code, 0, run.out.decode() + run.err)
        return self.ingot.read("out.ptx").decode()

    def entries(self, ptx: str) -> list[str]:
        return re.findall(r"\.entry (\w+)", ptx)

    def test_several_cpus_are_an_output_each(self) -> None:
        run = self.ingot.compile("k.ll", "--target=nvptx64", "--cpu=sm_80,sm_90a,sm_80", "-o", "k.ptx")
        self.assertEqual([(r["output"], r["cache"]) for r in run.results], [("k.sm_80.ptx", "miss"), ("k.sm_90a.ptx", "miss")])
        for cpu in ("sm_80", "sm_90a"):
            self.assertIn(f".target {cpu}\n", self.ingot.read(f"k.{cpu}.ptx").decode())
            # The request for one of them is the same Action.
            self.assertEqual(self.ingot.cache_word("k.ll", "--target=nvptx64", f"--cpu={cpu}", "-o", "one.ptx"), "hit")
            self.assertEqual(self.ingot.read("one.ptx"), self.ingot.read(f"k.{cpu}.ptx"))
        self.assertEqual(self.ingot.cache_word("k.ll", "--target=nvptx64", "--cpu=sm_75", "-o", "one.ptx"), "miss")
        run = self.ingot.compile("k.ll", "--target=nvptx64", "--cpu=sm_75,sm_80,sm_100", "-o", "out/")
        self.assertEqual([(r["output"], r["cache"]) for r in run.results], [("out/k.sm_75.ptx", "hit"), ("out/k.sm_80.ptx", "hit"), ("out/k.sm_100.ptx", "miss")])

    def test_one_wrong_cpu_of_several_is_an_error_before_any_work(self) -> None:
        run = self.ingot.run("compile", "k.ll", "--target=nvptx64", "--cpu=sm_80,sm_999", "-o", "k.ptx")
        self.assertEqual(run.exit_code, 2)
        self.assertIn("sm_999", run.err)
        run = self.ingot.run("compile", "k.ll", "--target=nvptx64", "--cpu=sm_80,sm_90", "-o", "-")
        self.assertEqual(run.exit_code, 2)
        self.assertIn("makes 2 outputs", run.err)

    def test_entries(self) -> None:
        both = self.ptx()
        self.assertEqual(self.entries(both), ["first", "second"])
        self.assertNotIn(".visible .func", both)
        second = self.ptx("--entry=second")
        self.assertEqual(self.entries(second), ["second"])
        self.assertNotIn("step", second)
        self.assertEqual(self.entries(self.ptx("--entry=second", "-O0")), ["second"])
        run = self.ingot.run("compile", "two.ll", "--target=nvptx64", "--entry=secnd", "-o", "out.ptx")
        self.assertEqual(run.exit_code, 1)
        self.assertIn("two.ll: error: there is no kernel 'secnd'", run.err)
        self.assertIn("did you mean 'second'?", run.err)

    def test_launch_bounds(self) -> None:
        ptx = self.ptx("--cpu=sm_90", "--required-threads=16,8", "--min-blocks=2", "--max-registers=40", "--cluster-size=2")
        for directive in (".reqntid 16, 8", ".minnctapersm 2", ".maxnreg 40", ".explicitcluster", ".reqnctapercluster 2"):
            self.assertEqual(ptx.count(directive), 2, f"{directive}\n{ptx}")
        self.assertIn(".maxntid 128", self.ptx("--max-threads=128"))

    def test_modes_of_floating_point(self) -> None:
        self.ingot.write("d.ll", "define ptx_kernel void @d(ptr %p) {\n %a = load float, ptr %p\n %b = fdiv float %a, 3.0\n store float %b, ptr %p\n ret void\n}\n")
        self.assertIn("div.rn.f32", self.ptx(source="d.ll"))
        self.assertIn("div.rn.ftz.f32", self.ptx("--denormals=flush", source="d.ll"))
        fast = self.ptx("--fast-math=true", source="d.ll")
        self.assertNotIn("div.rn", fast)

    def test_debug_levels(self) -> None:
        # Of optimised code for GPUs, Clang says lines only.
        self.ingot.write("k.c", "__attribute__((nvptx_kernel)) void k(float *p) {\n  float x = *p;\n  *p = x * 2;\n}\n")
        full = self.ptx("-g", "-O0", source="k.c")
        self.assertIn(".debug_info", full)
        lines = self.ptx("-g", "-O0", "--debug-level=line-tables", source="k.c")
        self.assertIn("\t.loc\t", lines)
        self.assertLess(len(lines), len(full))
        none = self.ptx("-g", "-O0", "--debug-level=none", source="k.c")
        self.assertNotIn("\t.loc\t", none)

    def test_a_ptx_version(self) -> None:
        self.assertIn(".version 8.3\n", self.ptx("--cpu=sm_80", "--ptx=8.3"))
        self.assertEqual(self.ingot.cache_word("two.ll", "--target=nvptx64", "--cpu=sm_80", "--features=+ptx83", "-o", "x.ptx"), "hit")
        run = self.ingot.run("compile", "two.ll", "--target=nvptx64", "--cpu=sm_90", "--ptx=7.0", "-o", "x.ptx")
        self.assertEqual(run.exit_code, 2)
        self.assertIn("PTX 7.0 cannot be made for sm_90; versions that can: 7.8, 8.0", run.err)

    def test_unoptimised_text_has_what_is_hidden(self) -> None:
        run = self.ingot.compile("two.ll", "--target=nvptx64", "--emit=raw-ll", "-o", "raw.ll")
        self.assertEqual(run.exit_code, 0)
        self.assertIn("define internal void @step", self.ingot.read("raw.ll").decode())

    def test_what_is_missing_is_said_with_the_line_that_needs_it(self) -> None:
        self.ingot.write("lib/k.cu", "__device__ float missing(float);\n__device__ float inner(float x) {\n  return missing(x);\n}\n__global__ void k(float *p) { *p = inner(*p); }\n")
        command = ("lib/k.cu", "--target=nvptx64", "-gline-tables-only", "-O0", "-o", "k.ptx")
        run = self.ingot.run("compile", *command)
        self.assertEqual(run.exit_code, 1)
        self.assertIn("lib/k.cu:3:10: error: in function '_Z5innerf': function '_Z7missingf', which has no definition [unresolved-function]", run.err)
        self.assertIn("lib/k.cu:5:36: note: in kernel '_Z1kPf'", run.err)
        self.assertIn("--relocatable=true", run.err)
        report = json.loads(self.ingot.run("compile", "--diagnostics=json", *command).err)
        self.assertEqual((report[0]["file"], report[0]["line"], report[0]["kind"]), ("lib/k.cu", 3, "unresolved-function"))
        self.assertEqual(self.ingot.run("compile", *command, "--relocatable=true").exit_code, 0)
        self.assertEqual(self.ingot.counters()["published"], 1)

    def test_warnings_are_told_with_a_hit_too(self) -> None:
        self.ingot.write("odd.ll", 'define ptx_kernel void @"a-b"() {\n ret void\n}\n')
        for word in ("miss", "hit"):
            run = self.ingot.compile("odd.ll", "--target=nvptx64", "-o", "odd.ptx")
            self.assertEqual(run.results[0]["cache"], word)
            self.assertIn("odd.ll: warning: 'a-b' is called 'a_$2d_b' in the output", run.results[0]["diagnostics"])


if __name__ == "__main__":
    unittest.main()
