"""Every one-feature module, for an old GPU and a new one: PTX that NVIDIA's ptxas takes, or an error that says what is wrong.

Never a crash, never PTX that is refused later, and nothing refused that is not on the list beside this file, which says why
each one is. After a change that is meant, the list is written anew:

    ./tools/dev bazel run //tests/sweep:nvptx_sweep_test -- --write

The compile tool alone, since what the cache does with either is tested elsewhere.
"""

import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from tests.servers import programs
from tests.suites.ingot_command import from_runfiles
from tests.sweep.features import features

CPUS = ("sm_75", "sm_120a")

LIST = "tests/sweep/nvptx_refused.txt"

# The first error, and the kind of a finding at its end. LLVM's own verifier, parser and code generator give none.
_ERROR = re.compile(r"^[^\n]*: error: [^\n]+?(?: \[([a-z0-9-]+)\])?$", re.MULTILINE)

LIMIT_SECONDS = 60


class Wrong(Exception):
    """A module was neither compiled rightly nor refused in words."""


class Sweep:
    """Compiles modules in a folder of its own."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.tool = from_runfiles("INGOT_COMPILE")
        self.folder = folder

    def refusal(self, number: int, module: str, cpu: str) -> str:
        """The kind of what is wrong with the module, "llvm" if only LLVM says it; empty if ptxas takes what it became."""
        source = self.folder / f"{cpu}-{number}.ll"
        source.write_text(module)
        ptx = source.with_suffix(".ptx")
        # Optimised, little that has one feature is left of it.
        command = [self.tool, "--target=nvptx64", f"--cpu={cpu}", "-O0", "-o", str(ptx), str(source)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise Wrong("does not end") from error
        if run.returncode < 0:
            raise Wrong(f"{signal.Signals(-run.returncode).name}: {run.stderr[:200]}")
        if run.returncode == 1:
            error = _ERROR.search(run.stderr)
            if error is None:
                raise Wrong(f"says nothing: {run.stderr[:200]}")
            return error[1] or "llvm"
        if run.returncode != 0:
            raise Wrong(f"exit code {run.returncode}: {run.stderr[:200]}")
        ptxas = [programs.find_ptxas(cpu), f"--gpu-name={cpu}", "--opt-level=0", str(ptx), "-o", "/dev/null"]
        assembled = subprocess.run(ptxas, capture_output=True, text=True, check=False)
        if assembled.returncode != 0:
            raise Wrong(assembled.stderr[:200])
        return ""

    def run(self) -> tuple[list[str], list[str]]:
        """What is wrong, and what is refused: a line each, the latter with the CPU, the module's name and the kind."""
        modules = list(features())
        jobs = [(number, name, module, cpu) for cpu in CPUS for number, (name, module) in enumerate(modules)]

        def judge(job: tuple[int, str, str, str]) -> tuple[str, str]:
            number, name, module, cpu = job
            try:
                kind = self.refusal(number, module, cpu)
            except Wrong as wrong:
                return f"{cpu}\t{name}\t{wrong}", ""
            return "", f"{cpu}\t{name}\t{kind}" if kind else ""

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            verdicts = list(pool.map(judge, jobs))
        return [wrong for wrong, _ in verdicts if wrong], [refused for _, refused in verdicts if refused]


class NvptxSweepTest(unittest.TestCase):
    maxDiff = None

    def test_every_module_is_compiled_or_refused_as_it_should_be(self) -> None:
        names = [name for name, _ in features()]
        self.assertGreaterEqual(len(names), 500)
        self.assertEqual(len(set(names)), len(names))
        with tempfile.TemporaryDirectory() as folder:
            wrong, refused = Sweep(pathlib.Path(folder)).run()
        self.assertEqual(wrong, [])
        self.assertEqual(refused, pathlib.Path(LIST).read_text(encoding="utf-8").splitlines())


def write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        wrong, refused = Sweep(pathlib.Path(folder)).run()
    if wrong:
        sys.exit("\n".join(wrong))
    (pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"]) / LIST).write_text("".join(f"{line}\n" for line in refused), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
