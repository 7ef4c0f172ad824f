"""Runs `ingot` on command lines and sources that nobody would write, and says whether it ever died.

    ./tools/dev bazel run -c opt //tests/fuzz -- --seconds=600
    ./tools/dev bazel run -c opt //tests/fuzz -- --case=4711        # one case again, with all that it prints

Ingot may say no (exit code 1 or 2) and may report that the compiler crashed (3); it may not die itself, hang, say nothing, or leave
anything behind. A crash of the compiler is counted and shown, but is no failure here.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import resource
import shlex
import shutil
import subprocess
import sys
import threading
import time

from tests.fuzz.cases import SOURCES, Case, make_case
from tests.suites.ingot_command import Ingot

# Of a process: far more than a small source needs, far less than would stop the machine.
MEMORY = 6 << 30
# The driver itself stops a compilation after INGOT_TIMEOUT.
TIME_LIMIT = "20s"
SECONDS_BEFORE_IT_HANGS = 90

DEATHS = (b"terminate called", b"Assertion `", b"AddressSanitizer", b"runtime error:", b"Traceback (most recent call last)", b"std::bad_alloc", b"what():")

# What tools/driver/crash_report says of a compile tool that died.
COMPILER_CRASHES = (b"the compile tool crashed with", b"the compile tool was stopped at its time limit", b"the compile tool failed with exit code")


@dataclasses.dataclass
class Outcome:
    seed: int
    exit_code: int
    problem: str = ""  # why it is a failure
    crash: str = ""  # what the compiler crashed with
    out: bytes = b""
    err: bytes = b""
    command: str = ""


def limit_memory() -> None:
    """In the child, before it becomes ingot."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Fuzzer:
    """One store and state; a working directory for each thread."""

    def __init__(self, ingot: Ingot) -> None:
        self.ingot = ingot
        self.environment = {**ingot.environment, "INGOT_TIMEOUT": TIME_LIMIT}
        self.local = threading.local()

    def folder(self) -> pathlib.Path:
        """An empty folder of this thread's with the sources in it."""
        folder = self.ingot.root / f"work-{threading.get_ident()}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, text in SOURCES.items():
            (folder / name).write_text(text)
        (folder / "inc").mkdir()
        (folder / "folder").mkdir()
        return folder

    def run(self, seed: int) -> Outcome:
        case = make_case(seed)
        folder = self.folder()
        for name, data in case.files.items():
            (folder / name).write_bytes(data)
        command = [os.fsencode(self.ingot.program), *(argument.encode(errors="surrogateescape") for argument in case.arguments)]
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=self.environment,
                input=case.stdin,
                capture_output=True,
                check=False,
                timeout=SECONDS_BEFORE_IT_HANGS,
                preexec_fn=limit_memory,
            )
        except subprocess.TimeoutExpired as expired:
            return Outcome(seed, -1, "it hangs", err=expired.stderr or b"", command=self.shown(case))
        outcome = Outcome(seed, done.returncode, out=done.stdout, err=done.stderr, command=self.shown(case))
        outcome.problem = self.problem(outcome)
        if outcome.exit_code == 3:
            outcome.crash = done.stderr.decode(errors="replace").strip().splitlines()[0] if done.stderr.strip() else ""
        return outcome

    @staticmethod
    def shown(case: Case) -> str:
        """For people, who can paste it."""
        return shlex.join(["ingot", *case.arguments]).encode(errors="surrogateescape").decode(errors="backslashreplace")

    @staticmethod
    def problem(outcome: Outcome) -> str:
        """What is wrong with it; nothing if that is as it should be."""
        if outcome.exit_code < 0:
            return f"ingot died of signal {-outcome.exit_code}"
        if outcome.exit_code not in (0, 1, 2, 3):
            return f"exit code {outcome.exit_code}"
        for death in DEATHS:
            # What clang shows of the source may have any words in it; what the driver says of itself begins with its name.
            if b"error: " + death in outcome.err:
                return f"it says {death.decode()!r}"
        if outcome.exit_code != 0 and not outcome.err.strip() and not outcome.out.strip():
            return "it fails without a word"
        if outcome.exit_code == 3 and not any(word in outcome.err + outcome.out for word in COMPILER_CRASHES):
            return "its own failure, and no crash of the compiler"
        return ""

    def leftovers(self) -> list[str]:
        """What a command that has ended has no business to leave."""
        left = [path for path in (self.ingot.state / "work").rglob("*")] if (self.ingot.state / "work").exists() else []
        return sorted(str(path.relative_to(self.ingot.root)) for path in left if path.is_file() and path.name != "lock")


def report(outcome: Outcome) -> None:
    print(f"\nFAILED, case {outcome.seed}: {outcome.problem}\n  {outcome.command}\n  exit code {outcome.exit_code}")
    print("  " + outcome.err.decode(errors="replace")[:2000].replace("\n", "\n  "), flush=True)


def fuzz(first_seed: int, cases: int | None, seconds: float | None, jobs: int) -> int:
    """Runs so many cases, or as many as fit into the time; returns the number of failures."""
    codes: dict[int, int] = {}
    crashes: dict[str, int] = {}
    failures = 0
    end = time.monotonic() + seconds if seconds is not None else None
    with Ingot() as ingot, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        fuzzer = Fuzzer(ingot)
        next_seed = first_seed
        waiting: set[concurrent.futures.Future] = set()
        while True:
            more = (cases is None or next_seed < first_seed + cases) and (end is None or time.monotonic() < end)
            while more and len(waiting) < 2 * jobs:
                waiting.add(pool.submit(fuzzer.run, next_seed))
                next_seed += 1
                more = cases is None or next_seed < first_seed + cases
            if not waiting:
                break
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                outcome = future.result()
                codes[outcome.exit_code] = codes.get(outcome.exit_code, 0) + 1
                if outcome.crash:
                    crashes[outcome.crash] = crashes.get(outcome.crash, 0) + 1
                    if crashes[outcome.crash] == 1:
                        print(f"compiler crash, case {outcome.seed}: {outcome.crash[:300]}", flush=True)
                if outcome.problem:
                    failures += 1
                    report(outcome)
        for leftover in fuzzer.leftovers():
            failures += 1
            print(f"FAILED: left behind: {leftover}")
    by_code = ", ".join(f"{count} with exit code {code}" for code, count in sorted(codes.items()))
    print(f"\n{sum(codes.values())} cases from {first_seed}: {by_code}; {sum(crashes.values())} crashes of the compiler; {failures} failures")
    return failures


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="run for so long")
    parser.add_argument("--cases", type=int, help="run so many cases")
    parser.add_argument("--seed", type=int, default=None, help="the first case; default: from the clock")
    parser.add_argument("--case", type=int, help="run this case only and show what it prints")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cases at once")
    options = parser.parse_args(arguments)
    if options.case is not None:
        with Ingot() as ingot:
            outcome = Fuzzer(ingot).run(options.case)
        print(f"{outcome.command}\nexit code {outcome.exit_code} {outcome.problem}")
        for name, data in make_case(options.case).files.items():
            print(f"--- {name}\n{data.decode(errors='backslashreplace')}")
        print(f"--- standard output\n{outcome.out.decode(errors='replace')}\n--- standard error\n{outcome.err.decode(errors='replace')}")
        return 1 if outcome.problem else 0
    seed = options.seed if options.seed is not None else int(time.time()) * 1000
    seconds = options.seconds if options.seconds is not None or options.cases is not None else 600.0
    return 1 if fuzz(seed, options.cases, seconds, options.jobs) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
