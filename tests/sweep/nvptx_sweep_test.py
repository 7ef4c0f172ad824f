"""Every one-feature module, for an old GPU and a new one: PTX that NVIDIA's ptxas takes, or an error that says what is wrong.

Never a crash, never PTX that is refused later. The compile tool alone, since what the cache does with either is tested elsewhere.
"""

import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from tests.servers import programs
from tests.suites.ingot_command import from_runfiles
from tests.sweep.features import features

CPUS = ("sm_75", "sm_120a")

# A finding, or what LLVM's verifier and its parser say, which name the place.
_ERROR = re.compile(r"^[^\n]*: error: [^\n]+", re.MULTILINE)

LIMIT_SECONDS = 60


class NvptxSweepTest(unittest.TestCase):
    def setUp(self) -> None:
        self.tool = from_runfiles("INGOT_COMPILE")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def fault(self, number: int, name: str, module: str, cpu: str) -> str:
        """What is wrong with how the module was handled; empty if nothing is."""
        source = self.folder / f"{cpu}-{number}.ll"
        source.write_text(module)
        ptx = source.with_suffix(".ptx")
        # Optimised, little that has one feature is left of it.
        command = [self.tool, "--target=nvptx64", f"--cpu={cpu}", "-O0", "-o", str(ptx), str(source)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"{name} ({cpu}): does not end"
        if run.returncode < 0:
            return f"{name} ({cpu}): {signal.Signals(-run.returncode).name}: {run.stderr[:200]}"
        if run.returncode == 1:
            return "" if _ERROR.search(run.stderr) else f"{name} ({cpu}): says nothing: {run.stderr[:200]}"
        if run.returncode != 0:
            return f"{name} ({cpu}): exit code {run.returncode}: {run.stderr[:200]}"
        ptxas = [programs.find_ptxas(cpu), f"--gpu-name={cpu}", "--opt-level=0", str(ptx), "-o", "/dev/null"]
        assembled = subprocess.run(ptxas, capture_output=True, text=True, check=False)
        return "" if assembled.returncode == 0 else f"{name} ({cpu}): {assembled.stderr[:200]}"

    def test_no_module_is_handled_wrongly(self) -> None:
        modules = list(features())
        self.assertGreaterEqual(len(modules), 500)
        self.assertEqual(len({name for name, _ in modules}), len(modules))
        jobs = [(number, name, module, cpu) for cpu in CPUS for number, (name, module) in enumerate(modules)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for fault in pool.map(lambda job: self.fault(*job), jobs) if fault]
        self.assertEqual(faults, [], f"{len(faults)} of {len(jobs)}:\n" + "\n".join(faults[:1000]))


if __name__ == "__main__":
    unittest.main()
