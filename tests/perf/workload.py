"""The work that is timed, and the programs that do it, in a folder of their own.

    workload = Workload(folder, "bazel-bin/tools/driver/ingot", rounds=100)
    measure([workload.ingot("a hit", workload.kernel, workload.store("usual"))], rounds=100)
"""

import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Sequence

from tests.perf.processes import Contender

# A small module: one kernel, as in examples/saxpy.
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

# What ccache and recc get to wrap: the same work, roughly, for the compilers that they know.
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


class Workload:
    """Sources, an installed Ingot and stores below `folder`."""

    def __init__(self, folder: pathlib.Path, driver: str, rounds: int) -> None:
        self.folder = folder
        self.rounds = rounds
        self.kernel = folder / "saxpy.ll"
        self.kernel.write_text(KERNEL)
        self.c_source = folder / "saxpy.c"
        self.c_source.write_text(C_SOURCE)
        self._driver = self._install(pathlib.Path(driver))
        self.environment = {
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
            "INGOT_STATE_DIR": str(folder / "state"),
            "CCACHE_DIR": str(folder / "ccache"),
        }

    def _install(self, driver: pathlib.Path) -> str:
        """Copies both programs to where an installation has them.

        What a linker writes, page by page, lies in the page cache in single pages, and what a copy writes in large folios: the
        same program starts a fifth slower from a build tree than installed, as its peers here are.
        """
        compile_tool = driver.resolve().parent / "../compile_tool/ingot-compile"
        installed = self.folder / "bin/ingot"
        for source, target in [(compile_tool, self.folder / "lib/ingot/toolchain/ingot-compile"), (driver, installed)]:
            target.parent.mkdir(parents=True)
            shutil.copy(source, target)
        return str(installed)

    def store(self, name: str) -> pathlib.Path:
        """The folder of the store of that name; who uses it first makes it."""
        return self.folder / f"store-{name}"

    def ingot(self, name: str, source: pathlib.Path, *options: str, store: pathlib.Path | None, output: str = "saxpy.ptx") -> Contender:
        """Ingot compiling `source` with a store or without one."""
        command = [self._driver, "compile", str(source), "--target=nvptx64", "--cpu=sm_90", "-o", str(self.folder / output)]
        return Contender(name, [*command, f"--disk_cache={store or ''}", *options], self.environment)

    def ingot_cc(self, name: str, *arguments: str, store: pathlib.Path) -> Contender:
        """Ingot in a compiler's place."""
        return Contender(name, [self._driver, "cc", *arguments], {**self.environment, "INGOT_DISK_CACHE": str(store)})

    def require_cc_hit(self, contender: Contender) -> Contender:
        """The same as require_hit, which asks for what a compiler does not print."""
        for _ in range(2):
            before = self._hits(contender)
            subprocess.run(contender.command, env=contender.environment, check=True)
        if self._hits(contender) != before + 1:
            raise RuntimeError(f"{contender.name} is no hit: {' '.join(contender.command)}")
        return contender

    def _hits(self, contender: Contender) -> int:
        run = subprocess.run([self._driver, "cache", "stats", "--json"], env=contender.environment, capture_output=True, check=True)
        return json.loads(run.stdout)["counters"]["hit"]

    def clang(self, *launcher: str) -> Sequence[str]:
        """The command of the C compiler, behind the launchers."""
        return [*launcher, program("clang-22"), "-O2", "-c", str(self.c_source), "-o", str(self.folder / "saxpy.o")]

    def cache_word(self, contender: Contender) -> str:
        """Runs an Ingot once and returns what the cache did: "hit", "miss" or "off"."""
        run = subprocess.run([*contender.command, "--json"], env=contender.environment, capture_output=True, check=True)
        return json.loads(run.stdout)["results"][0]["cache"]

    def require_hit(self, contender: Contender) -> Contender:
        """Runs an Ingot until its result is stored; a figure for something else than hits would be worthless."""
        self.cache_word(contender)
        if self.cache_word(contender) != "hit":
            raise RuntimeError(f"{contender.name} is no hit: {' '.join(contender.command)}")
        return contender

    def driver_knows(self, flag: str) -> bool:
        """Whether `ingot compile` has the option."""
        return flag in subprocess.run([self._driver, "compile", "--help"], capture_output=True, text=True, check=True).stdout
