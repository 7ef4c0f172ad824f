"""Times whole processes, one after the other in one loop, so that noise of the machine meets all contenders alike."""

import dataclasses
import os
import statistics
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


def _run(contender: Contender, null: int) -> tuple[float, float]:
    start = time.perf_counter()
    pid = os.posix_spawn(
        contender.command[0],
        list(contender.command),
        contender.environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)],
    )
    _, status, usage = os.wait4(pid, 0)
    elapsed = (time.perf_counter() - start) * 1000
    if status != 0:
        raise RuntimeError(f"{contender.name} failed with wait status {status}: {' '.join(contender.command)}")
    return elapsed, usage.ru_maxrss / 1024


def measure(contenders: Sequence[Contender], rounds: int) -> dict[str, Timing]:
    """Runs every contender once to warm up and then `rounds` times, taking turns."""
    null = os.open(os.devnull, os.O_RDWR)
    samples: dict[str, list[tuple[float, float]]] = {contender.name: [] for contender in contenders}
    for number in range(rounds + 1):
        for contender in contenders:
            contender.prepare()
            sample = _run(contender, null)
            if number > 0:
                samples[contender.name].append(sample)
    os.close(null)
    return {
        name: Timing(
            median_ms=statistics.median(elapsed for elapsed, _ in runs),
            minimum_ms=min(elapsed for elapsed, _ in runs),
            peak_memory_mb=max(memory for _, memory in runs),
        )
        for name, runs in samples.items()
    }
