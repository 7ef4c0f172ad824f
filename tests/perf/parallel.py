"""Sixteen processes at once: how far hits use all cores, with one store and one state for all."""

import json
import os
import subprocess
import time
from collections.abc import Sequence

from tests.perf.processes import Contender, run_once
from tests.perf.workload import Workload, program

PROCESSES = 16

# Of each of the sixteen; all of them together are one sample.
_RUNS = 30

_SAMPLES = 7


def _seconds(workers: Sequence[Contender], runs: int) -> float:
    """Has each worker run its command `runs` times, all workers at once."""
    start = time.perf_counter()
    children = []
    for worker in workers:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for _ in range(runs):
                    run_once(worker)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    codes = [os.waitpid(child, 0)[1] for child in children]
    if any(codes):
        raise RuntimeError(f"{workers[0].name}: a worker failed")
    return time.perf_counter() - start


def _scaling(workers: Sequence[Contender], cores: int) -> float:
    """How many times the runs per second of one worker all workers reach, per core: 1 is perfect.

    The best of several samples on both sides: other work on the machine only ever takes away.
    """
    alone, together = [], []
    for _ in range(_SAMPLES):
        alone.append(_seconds(workers[:1], len(workers) * _RUNS))
        together.append(_seconds(workers, _RUNS))
    runs = len(workers) * _RUNS
    scaling = min(alone) / min(together) / cores
    print(f"{workers[0].name:24}{runs / min(alone):10.0f}{runs / min(together):12.0f}{scaling:12.2f}")
    return scaling


def _counters(workload: Workload, contender: Contender) -> dict[str, int]:
    store = next(argument for argument in contender.command if argument.startswith("--disk_cache="))
    run = subprocess.run([contender.command[0], "cache", "stats", "--json", store], env=workload.environment, capture_output=True, check=True)
    return json.loads(run.stdout)["counters"]


def run(workload: Workload) -> dict[str, float]:
    """Times hits and, to see what the machine can do at all, processes that do nothing."""
    store = workload.store("parallel")
    hits = [workload.ingot("ingot hit", workload.kernel, store=store, output=f"saxpy-{number}.ptx") for number in range(PROCESSES)]
    for hit in hits:
        workload.require_hit(hit)
    nothing = [Contender("true", [program("true")], workload.environment)] * PROCESSES
    cores = len(os.sched_getaffinity(0))
    before = _counters(workload, hits[0])
    print(f"{cores} cores{'1 at a time':>28}{f'{PROCESSES} at once':>12}{'per core':>12}   (runs per second)")
    scaling_of_nothing = _scaling(nothing, cores)
    scaling = _scaling(hits, cores)
    after = _counters(workload, hits[0])
    counted = after["hit"] - before["hit"]
    expected = 2 * _SAMPLES * PROCESSES * _RUNS
    print(f"counted {counted} hits of {expected}")
    if counted > expected or any(after[name] != before[name] for name in after if name.startswith("miss")):
        raise RuntimeError(f"not all were hits: {after}")
    return {
        "16 parallel hits, speed-up per core": scaling,
        "16 parallel hits, speed-up / that of true": scaling / scaling_of_nothing,
        "16 parallel hits, share that is counted": counted / expected,
    }
