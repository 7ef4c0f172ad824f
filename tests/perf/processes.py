"""Times whole processes, one after the other in one loop, so that noise of the machine meets all contenders alike."""

import dataclasses
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence


@dataclasses.dataclass
class Contender:
    """A command to time. `prepare` runs before each start and is not timed."""

    name: str
    command: Sequence[str]
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    prepare: Callable[[], None] = lambda: None


@dataclasses.dataclass
class Timing:
    """Of one contender over all rounds. Goals are about `median_ms`; that it lies far above `decile_ms`, below which one run in
    ten stays, says that the machine was busy."""

    median_ms: float
    decile_ms: float
    minimum_ms: float
    peak_memory_mb: float


_NULL = os.open(os.devnull, os.O_RDWR)
_STANDARD_STREAMS = [(os.POSIX_SPAWN_DUP2, _NULL, stream) for stream in (0, 1, 2)]


def run_once(contender: Contender) -> float:
    """Runs the command to its end; returns the milliseconds it took."""
    start = time.perf_counter()
    pid = os.posix_spawn(contender.command[0], list(contender.command), contender.environment, file_actions=_STANDARD_STREAMS)
    _, status = os.waitpid(pid, 0)
    elapsed = (time.perf_counter() - start) * 1000
    if status != 0:
        raise RuntimeError(f"{contender.name} failed with wait status {status}: {' '.join(contender.command)}")
    return elapsed


def _peak_memory_mb(contender: Contender) -> float:
    """The largest resident set, by GNU time: a child of this process would be charged with this process's own."""
    time_program = shutil.which("time")
    if time_program is None:
        raise SystemExit("tests/perf: GNU time is not installed; ./tools/dev bench brings it")
    contender.prepare()
    with tempfile.NamedTemporaryFile("r") as report:
        subprocess.run(
            [time_program, "-f", "%M", "-o", report.name, *contender.command],
            env=contender.environment,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return int(report.read()) / 1024


def measure(contenders: Sequence[Contender], rounds: int) -> dict[str, Timing]:
    """Runs every contender once to warm up and then `rounds` times.

    Each round has an order of its own: who follows a large program finds the processor's caches full of it.
    """
    order = list(contenders)
    shuffle = random.Random(1).shuffle
    samples: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for number in range(rounds + 1):
        shuffle(order)
        for contender in order:
            contender.prepare()
            elapsed = run_once(contender)
            if number > 0:
                samples[contender.name].append(elapsed)
    return {
        contender.name: Timing(
            median_ms=statistics.median(samples[contender.name]),
            decile_ms=sorted(samples[contender.name])[rounds // 10],
            minimum_ms=min(samples[contender.name]),
            peak_memory_mb=_peak_memory_mb(contender),
        )
        for contender in contenders
    }


def show(timings: dict[str, Timing], reference: str) -> None:
    """Prints one line for each contender, with its ratio to `reference`."""
    unit = timings[reference].median_ms
    print(f"{'':24}{'median ms':>10}{'decile ms':>10}{'least ms':>10}{'ratio':>8}{'peak MB':>9}")
    for name, timing in timings.items():
        print(
            f"{name:24}{timing.median_ms:10.2f}{timing.decile_ms:10.2f}{timing.minimum_ms:10.2f}"
            f"{timing.median_ms / unit:8.2f}{timing.peak_memory_mb:9.1f}"
        )
