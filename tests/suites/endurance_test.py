"""Thousands of random accidents: processes killed while sixteen of them work, bits flipped all over a store."""

import itertools
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import unittest

from tests.suites.ingot_command import Ingot, numbered_kernel, with_number

TARGET = ("--target=nvptx64", "--cpu=sm_80")
KILLS = 2000
PROCESSES = 16
FLIPS = 10_000


def running(program: str) -> list[int]:
    """The processes whose program lies at or below `program`."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if os.readlink(folder / "exe").startswith(program):
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


class EnduranceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        seed = random.randrange(1 << 32)
        print(f"seed {seed}", file=sys.stderr)
        self.random = random.Random(seed)
        self.ingot.write("k.ll", numbered_kernel(0))
        self.ingot.cache_word("k.ll", *TARGET, "-o", "k.ptx")
        self.template = self.ingot.read("k.ptx")

    def test_two_thousand_random_kills(self) -> None:
        # Copies of the programs, so that what is left running can be told from others' processes.
        programs = self.ingot.root / "programs"
        programs.mkdir()
        for program in (self.ingot.program, f"{self.ingot.toolchain}/ingot-compile"):
            shutil.copy(program, programs)
        environment = {**self.ingot.environment, "INGOT_TOOLCHAIN": str(programs)}
        folders = []
        for i in range(PROCESSES):
            folders.append(self.ingot.root / f"p{i}")
            folders[-1].mkdir()

        def start(slot: int) -> tuple[subprocess.Popen, int]:
            # Half of them from so few kernels that the processes meet; the others new ones, so that there is much to publish.
            number = self.random.randrange(1, 400) if self.random.random() < 0.5 else next(new_numbers)
            (folders[slot] / "k.ll").write_text(numbered_kernel(number))
            (folders[slot] / "k.ptx").unlink(missing_ok=True)
            command = [str(programs / "ingot"), "compile", "k.ll", *TARGET, "-o", "k.ptx"]
            return subprocess.Popen(command, cwd=folders[slot], env=environment, stderr=subprocess.PIPE), number

        new_numbers = itertools.count(400)
        killed = completed = 0
        slots = [start(i) for i in range(PROCESSES)]
        while killed < KILLS:
            slot = self.random.randrange(PROCESSES)
            process, number = slots[slot]
            # A quarter of them get to their end; the others are killed wherever they are by now.
            if self.random.random() < 0.75:
                process.send_signal(self.random.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT)))
            error = process.communicate()[1].decode()
            output = folders[slot] / "k.ptx"
            if process.returncode == 0:
                completed += 1
                self.assertEqual(output.read_bytes(), with_number(self.template, number))
            else:
                self.assertIn(process.returncode, (-signal.SIGKILL, -signal.SIGINT), error)
                killed += 1
                if output.exists():
                    self.assertEqual(output.read_bytes(), with_number(self.template, number))
            slots[slot] = start(slot)
        for process, _ in slots:
            process.communicate()
            self.assertEqual(process.returncode, 0)

        # Nothing runs, nothing lies about after one more run, and everything stored is right.
        self.assertEqual(running(str(programs)), [])
        self.ingot.write("k.ll", numbered_kernel(99_999))
        self.assertEqual(self.ingot.cache_word("k.ll", *TARGET, "-o", "k.ptx"), "miss")
        self.assertEqual(list((self.ingot.store / "tmp").iterdir()), [])
        self.assertEqual(list((self.ingot.state / "work").iterdir()), [])
        for folder in folders:
            self.assertEqual({path.name for path in folder.iterdir()} - {"k.ll", "k.ptx"}, set())
        for number in range(1, 400):
            self.ingot.write(f"all/k{number}.ll", numbered_kernel(number))
        (self.ingot.work / "out").mkdir()
        run = self.ingot.compile(*(f"all/k{number}.ll" for number in range(1, 400)), *TARGET, "-o", "out/")
        self.assertEqual(run.exit_code, 0)
        for number in range(1, 400):
            self.assertEqual(self.ingot.read(f"out/k{number}.ptx"), with_number(self.template, number))
        counters = self.ingot.counters()
        for name in ("conflict", "miss_corrupt_entry", "miss_corrupt_blob", "miss_missing_blob", "repaired"):
            self.assertEqual(counters[name], 0, name)
        print(f"{killed} killed, {completed} completed, {counters['hit']} hits, {counters['waited']} waited", file=sys.stderr)

    def test_ten_thousand_flipped_bits(self) -> None:
        kernels = 100
        names = [f"in/k{number}.ll" for number in range(kernels)]
        for number, name in enumerate(names):
            self.ingot.write(name, numbered_kernel(number))
        (self.ingot.work / "out").mkdir()
        command = (*names, *TARGET, "-o", "out/")
        self.assertEqual(self.ingot.compile(*command).exit_code, 0)
        flips = noticed = 0
        while flips < FLIPS:
            files = [path for path in self.ingot.stored_files() if path.stat().st_size > 0]
            for path in self.random.sample(files, 200):
                bytes_ = bytearray(path.read_bytes())
                bit = self.random.randrange(len(bytes_) * 8)
                bytes_[bit // 8] ^= 1 << (bit % 8)
                path.write_bytes(bytes_)
                flips += 1
            run = self.ingot.compile(*command)
            self.assertEqual(run.exit_code, 0, run.err)
            noticed += sum(len(result["warnings"]) for result in run.results)
            for number in range(kernels):
                self.assertEqual(self.ingot.read(f"out/k{number}.ptx"), with_number(self.template, number))
        # What was damaged is whole again.
        run = self.ingot.compile(*command)
        self.assertEqual([result["cache"] for result in run.results], ["hit"] * kernels)
        self.assertEqual([warning for result in run.results for warning in result["warnings"]], [])
        self.assertGreater(noticed, FLIPS // 2)
        print(f"{flips} bits flipped, {noticed} warnings", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
