#!/usr/bin/env python3
"""Measures Ingot against its peers in one run and compares the ratios with the goals.

    ./tools/dev bench            # builds what it needs first
    ./tools/dev bench --rounds=50

Exit status 1 if a goal is missed. The goals are ratios, because milliseconds vary by machine. A process that is measured
from a larger one pays for it when it starts, so this program imports little and starts its contenders by posix_spawn.
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from tests.perf.processes import Contender, Timing, measure  # noqa: E402


# The small module of a cold compilation: one kernel, as in examples/saxpy.
KERNEL = """\
define ptx_kernel void @saxpy(i32 %n, float %a, ptr noalias readonly %x, ptr noalias %y) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %ctaid, %ntid
  %i = add i32 %base, %tid
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %exit
body:
  %index = sext i32 %i to i64
  %px = getelementptr inbounds float, ptr %x, i64 %index
  %py = getelementptr inbounds float, ptr %y, i64 %index
  %vx = load float, ptr %px, align 4
  %vy = load float, ptr %py, align 4
  %r = call float @llvm.fma.f32(float %a, float %vx, float %vy)
  store float %r, ptr %py, align 4
  br label %exit
exit:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.fma.f32(float, float, float)
"""

# What ccache gets to wrap: the same work, roughly, for the compiler that it knows.
C_SOURCE = """\
void saxpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}
"""


def program(name: str) -> str:
    """The absolute path of a peer that must be installed."""
    path = shutil.which(name)
    if path is None:
        raise SystemExit(f"tests/perf: {name} is not installed; ./tools/dev bench brings it")
    return path


def contenders(work: pathlib.Path, ingot: str) -> list[Contender]:
    """Everything that is timed, in a working folder of its own."""
    kernel = work / "saxpy.ll"
    kernel.write_text(KERNEL)
    source = work / "saxpy.c"
    source.write_text(C_SOURCE)
    environment = {
        "HOME": str(work),
        "PATH": os.environ["PATH"],
        "INGOT_DISK_CACHE": str(work / "store"),
        "INGOT_STATE_DIR": str(work / "state"),
        "CCACHE_DIR": str(work / "ccache"),
    }
    compile_kernel = [ingot, "compile", str(kernel), "--target=nvptx64", "--cpu=sm_90", "-o", str(work / "saxpy.ptx")]
    llc = [program("llc-22"), "-O2", "-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_90", str(kernel), "-o", str(work / "llc.ptx")]
    optimise = f"{program('opt-22')} -O2 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 {kernel} -o - | {program('llc-22')} -O2 -mcpu=sm_90 -o {work / 'opt.ptx'}"
    number = 0

    def another_kernel() -> None:
        nonlocal number
        number += 1
        cold.write_text(f"{KERNEL}; {number}\n")

    cold = work / "cold.ll"
    compile_cold = [*compile_kernel]
    compile_cold[2] = str(cold)
    return [
        Contender("true", [program("true")], environment),
        Contender("ingot hit", compile_kernel, environment),
        Contender("ccache hit", [program("ccache"), program("clang-22"), "-O2", "-c", str(source), "-o", str(work / "saxpy.o")], environment),
        Contender("ingot cold", compile_cold, environment, another_kernel),
        Contender("ingot cold, no store", [*compile_cold, "--disk_cache="], environment, another_kernel),
        Contender("llc-22", llc, environment),
        # The same work as Ingot's: llc alone does not optimise the module.
        Contender("opt-22 and llc-22", ["/bin/sh", "-c", optimise], environment),
        Contender("clang-22", [program("clang-22"), "-O2", "-c", str(source), "-o", str(work / "plain.o")], environment),
    ]


def check_goals(timings: dict[str, Timing]) -> list[tuple[str, float, float]]:
    """The goals as (what, value seen, most allowed)."""
    hit, cold = timings["ingot hit"], timings["ingot cold"]
    return [
        ("hit / ccache hit", hit.median_ms / timings["ccache hit"].median_ms, 0.5),
        ("hit / true", hit.median_ms / timings["true"].median_ms, 2.0),
        ("cold compile / llc-22", cold.median_ms / timings["llc-22"].median_ms, 0.5),
        ("peak memory of a hit, MB", hit.peak_memory_mb, 16.0),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100, help="runs of each contender")
    parser.add_argument("--ingot", default=os.environ.get("INGOT"), help="the driver, with its compile tool where it finds it (default: INGOT)")
    options = parser.parse_args()
    if not options.ingot:
        parser.error("name the driver with --ingot, or run ./tools/dev bench")
    with tempfile.TemporaryDirectory(prefix="ingot-perf-") as work:
        timings = measure(contenders(pathlib.Path(work), options.ingot), options.rounds)
    true = timings["true"].median_ms
    print(f"{'':24}{'median ms':>10}{'least ms':>10}{'x true':>8}{'peak MB':>9}")
    for name, timing in timings.items():
        print(f"{name:24}{timing.median_ms:10.2f}{timing.minimum_ms:10.2f}{timing.median_ms / true:8.1f}{timing.peak_memory_mb:9.1f}")
    print()
    missed = 0
    for what, value, most in check_goals(timings):
        met = value <= most
        missed += not met
        print(f"{'met   ' if met else 'MISSED'}  {what}: {value:.2f} (goal: at most {most:g})")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
