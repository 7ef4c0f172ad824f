"""Runs the real `ingot` with a store and a state of its own, for suites that assert on counters and bytes.

    with Ingot() as ingot:
        ingot.write("k.ll", KERNEL)
        first = ingot.compile("k.ll", "--target=nvptx64", "--cpu=sm_90", "-o", "k.ptx")
        assert first.results[0]["cache"] == "miss"
        assert ingot.counters()["hit"] == 0
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

KERNEL = """\
define ptx_kernel void @scale(ptr %x, float %a) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %x, i32 %i
  %v = load float, ptr %p
  %r = fmul float %v, %a
  store float %r, ptr %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""


def numbered_kernel(number: int) -> str:
    """KERNEL under another name. Names are equally long, so that what is made of them differs in nothing but the name."""
    return KERNEL.replace("@scale", f"@scale{number:05}")


def with_number(output: bytes, number: int) -> bytes:
    """What numbered_kernel(number) gives, from what another number gave."""
    return re.sub(rb"scale\d{5}", f"scale{number:05}".encode(), output)


FIRMWARE = """\
define i16 @mix(i16 %a, i16 %b) {
  %m = mul i16 %a, %b
  %s = lshr i16 %m, 3
  %r = xor i16 %s, %a
  ret i16 %r
}
"""

# LLVM aborts on it for NVPTX: garbage collection by a stack of its own.
CRASHING_KERNEL = """\
declare void @llvm.gcroot(ptr, ptr)
define void @collects() gc "shadow-stack" {
  %root = alloca ptr
  call void @llvm.gcroot(ptr %root, ptr null)
  ret void
}
"""


def from_runfiles(variable: str) -> str:
    """The absolute path that a BUILD file passes, relative to the runfiles, in an environment variable."""
    return str(pathlib.Path(os.environ[variable]).resolve())


@dataclasses.dataclass
class Run:
    """What one run of `ingot` gave."""

    exit_code: int
    out: bytes
    err: str

    @property
    def results(self) -> list[dict]:
        """The results of `compile --json`."""
        return json.loads(self.out)["results"]


class Ingot:
    """An `ingot` with a temporary folder: `root`/work (its working directory), `root`/store and `root`/state."""

    def __init__(self) -> None:
        self.program = from_runfiles("INGOT")
        self.toolchain = str(pathlib.Path(from_runfiles("INGOT_COMPILE")).parent)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="ingot-suite-"))
        self.work = self.root / "work"
        self.work.mkdir()
        self.store = self.root / "store"
        self.state = self.root / "state"
        self.environment = {
            "HOME": str(self.root),
            # What the machine's rc files say is no test's business; config_test takes this away.
            "INGOT_IGNORE_RC": "1",
            "INGOT_DISK_CACHE": str(self.store),
            "INGOT_STATE_DIR": str(self.state),
            "INGOT_TOOLCHAIN": self.toolchain,
            "PATH": "/usr/bin:/bin",
        }

    def __enter__(self) -> "Ingot":
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["chmod", "-R", "u+rwX", str(self.root)], check=False)
        shutil.rmtree(self.root, ignore_errors=True)

    def write(self, name: str, text: str | bytes) -> pathlib.Path:
        """Writes a file below the working directory."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def read(self, name: str) -> bytes:
        """Reads a file below the working directory."""
        return (self.work / name).read_bytes()

    def run(self, *arguments: str, cwd: pathlib.Path | None = None, stdin: bytes = b"", environment: dict | None = None, program: str | None = None, prefix: tuple[str, ...] = ()) -> Run:
        """Runs `ingot`; `environment` is laid over this one's, and a value of None takes a variable out."""
        variables = {**self.environment, **(environment or {})}
        done = subprocess.run(
            [*prefix, program or self.program, *arguments],
            cwd=cwd or self.work,
            env={name: value for name, value in variables.items() if value is not None},
            input=stdin,
            capture_output=True,
            check=False,
        )
        return Run(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def compile(self, *arguments: str, **options) -> Run:
        """Runs `ingot compile --json`."""
        return self.run("compile", "--json", *arguments, **options)

    def cache_word(self, *arguments: str, **options) -> str:
        """Compiles one input, which must succeed, and returns "hit" or "miss"."""
        run = self.compile(*arguments, **options)
        if run.exit_code != 0:
            raise AssertionError(f"{arguments}: exit code {run.exit_code}\n{run.out.decode()}\n{run.err}")
        (result,) = run.results
        return result["cache"]

    def counters(self, **options) -> dict[str, int]:
        """The counters of the store."""
        return json.loads(self.run("cache", "stats", "--json", **options).out)["counters"]

    def stored_files(self) -> list[pathlib.Path]:
        """Every file of the store."""
        return sorted(path for path in self.store.rglob("*") if path.is_file())
