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
    """Of one contender over all rounds."""

    median_ms: float
    minimum_ms: float
    peak_memory_mb: float


def _run(contender: Contender, null: int) -> float:
    start = time.perf_counter()
    pid = os.posix_spawn(
        contender.command[0],
        list(contender.command),
        contender.environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)],
    )
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
    null = os.open(os.devnull, os.O_RDWR)
    samples: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for number in range(rounds + 1):
        shuffle(order)
        for contender in order:
            contender.prepare()
            elapsed = _run(contender, null)
            if number > 0:
                samples[contender.name].append(elapsed)
    os.close(null)
    return {
        contender.name: Timing(
            median_ms=statistics.median(samples[contender.name]),
            minimum_ms=min(samples[contender.name]),
            peak_memory_mb=_peak_memory_mb(contender),
        )
        for contender in contenders
    }
