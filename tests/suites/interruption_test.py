"""A compilation that is killed or interrupted at each of its system calls leaves nothing that anybody has to clean up."""

import pathlib
import signal
import unittest

from tests.suites.ingot_command import Ingot, numbered_kernel, with_number
from tests.suites.system_calls import STRACE, Call, inject, trace

TARGET = ("--target=nvptx64", "--cpu=sm_80")


@unittest.skipIf(STRACE is None, "strace is not installed")
class InterruptionTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.number = 0
        # The first run makes folders and the memo of the compile tool's digest.
        self.compile_next()

    def compile_next(self) -> bytes:
        """Compiles a new kernel, which is a miss, and returns the output."""
        self.number += 1
        self.ingot.write("k.ll", numbered_kernel(self.number))
        self.assertEqual(self.ingot.cache_word("k.ll", *TARGET, "-o", "k.ptx"), "miss")
        return self.ingot.read("k.ptx")

    def leftovers(self) -> list[pathlib.Path]:
        """What should not be there between runs."""
        found = list((self.ingot.state / "work").iterdir())
        found += (self.ingot.store / "tmp").iterdir()
        found += (path for path in self.ingot.work.iterdir() if path.name not in ("k.ll", "k.ptx"))
        return found

    def check_each_call(self, what: str, died: int, output_exists: bool) -> None:
        """Runs a compilation once for each of its system calls, with `what` happening at that call."""
        template = self.ingot.read("k.ptx")
        self.number += 1
        self.ingot.write("k.ll", numbered_kernel(self.number))
        if not output_exists:
            (self.ingot.work / "k.ptx").unlink()
        calls = trace(self.ingot, "compile", "k.ll", *TARGET, "-o", "k.ptx")
        self.assertGreater(len(calls), 100)
        self.assertEqual(self.leftovers(), [])
        interrupted = 0
        for call in calls:
            self.number += 1
            self.ingot.write("k.ll", numbered_kernel(self.number))
            before = self.ingot.read("k.ptx")
            if not output_exists:
                (self.ingot.work / "k.ptx").unlink()
            run = inject(self.ingot, call, what, "compile", "k.ll", *TARGET, "-o", "k.ptx")
            interrupted += run.exit_code != 0
            if run.exit_code not in (0, died):
                self.fail(f"{call}: exit code {run.exit_code}\n{run.err}")
            self.check_after(call, before, output_exists, template)
        # A few calls depend on what was there before and do not happen each time; not most of them.
        self.assertGreater(interrupted, len(calls) * 3 // 4)
        counters = self.ingot.counters()
        for name in ("conflict", "miss_corrupt_entry", "miss_corrupt_blob", "miss_missing_blob", "wait_timed_out"):
            self.assertEqual(counters[name], 0, name)

    def check_after(self, call: Call, before: bytes, output_exists: bool, template: bytes) -> None:
        """After an interruption: the output is old or new and whole, the next run succeeds and cleans up."""
        right = with_number(template, self.number)
        path = self.ingot.work / "k.ptx"
        if path.exists():
            self.assertIn(path.read_bytes(), (right, before) if output_exists else (right,), str(call))
        else:
            self.assertFalse(output_exists, str(call))
        self.ingot.cache_word("k.ll", *TARGET, "-o", "k.ptx")
        self.assertEqual(self.ingot.read("k.ptx"), right, str(call))
        self.assertEqual(self.ingot.cache_word("k.ll", *TARGET, "-o", "k.ptx"), "hit", str(call))
        # Beside the output nothing is left now; a hit writes nowhere else, so the rest goes with the next miss.
        self.assertEqual({path.name for path in self.ingot.work.iterdir()}, {"k.ll", "k.ptx"}, str(call))
        self.compile_next()
        self.assertEqual(self.leftovers(), [], str(call))

    def test_killed_at_each_call_with_a_new_output(self) -> None:
        self.check_each_call("signal=SIGKILL", -signal.SIGKILL, output_exists=False)

    def test_killed_at_each_call_with_an_output_to_replace(self) -> None:
        self.check_each_call("signal=SIGKILL", -signal.SIGKILL, output_exists=True)

    def test_interrupted_at_each_call(self) -> None:
        self.check_each_call("signal=SIGINT", -signal.SIGINT, output_exists=True)


if __name__ == "__main__":
    unittest.main()
