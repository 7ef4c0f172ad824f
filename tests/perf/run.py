#!/usr/bin/env python3
"""Measures Ingot against its peers in one run and compares the ratios with the goals.

    ./tools/dev bench                          # builds what it needs first
    ./tools/dev bench --rounds=50 hit remote   # some subjects
    ./tools/dev bench --million                # also a store of a million files, which takes minutes to make

Exit status 1 if a goal is missed. The goals are ratios, because milliseconds vary by machine.
"""

import argparse
import os
import pathlib
import sys
import tempfile
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from tests.perf import hit, kernels, million, parallel, remote, sources  # noqa: E402
from tests.perf.workload import Workload  # noqa: E402

SUBJECTS = {
    "hit": hit.run,
    "parallel": parallel.run,
    "remote": remote.run,
    "sources": sources.run,
    "kernels": kernels.run,
    "million": million.run,
}


class Goal(NamedTuple):
    """What a figure must be."""

    figure: str
    at_most: float = float("inf")
    at_least: float = float("-inf")


GOALS = [
    Goal("hit / ccache hit", at_most=0.35),
    Goal("hit / true", at_most=1.5),
    Goal("cold compile / llc-22", at_most=0.5),
    Goal("peak memory of a hit, MB", at_most=16),
    Goal("16 parallel hits, speed-up per core", at_least=0.75),
    Goal("16 parallel hits, speed-up / that of true", at_least=0.9),
    # The counters give up rather than make a compilation wait.
    Goal("16 parallel hits, share that is counted", at_least=0.99),
    Goal("remote hit / recc", at_most=0.15),
    Goal("hit with 1 header / ccache", at_most=0.5),
    Goal("hit with 500 headers / ccache", at_most=0.5),
    Goal("cold compile of C / clang-22", at_most=0.7),
    Goal("registers / llc", at_most=1),
    Goal("instructions / llc", at_most=1),
    Goal("spills more than llc, bytes", at_most=0),
    Goal("registers / nvcc", at_most=1.1),
    Goal("instructions / nvcc", at_most=1.1),
    Goal("spills more than nvcc, bytes", at_most=0),
    Goal("cold compile of CUDA / nvcc", at_most=0.3),
    Goal("warm compile / llc-22", at_most=0.1),
    Goal("hit, a million files / empty", at_most=1.2),
]


def check_goals(figures: dict[str, float]) -> bool:
    """Prints the goals that there are figures for; returns whether all are met."""
    all_met = True
    for goal in GOALS:
        if goal.figure not in figures:
            continue
        value = figures[goal.figure]
        met = goal.at_least <= value <= goal.at_most
        all_met = all_met and met
        wanted = f"at most {goal.at_most:g}" if goal.at_most != float("inf") else f"at least {goal.at_least:g}"
        print(f"{'met   ' if met else 'MISSED'}  {goal.figure}: {value:.2f} (goal: {wanted})")
    return all_met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=f"{', '.join(SUBJECTS)}; default: all but million")
    parser.add_argument("--million", action="store_true", help="add the subject million to the default")
    parser.add_argument("--rounds", type=int, default=100, help="runs of each contender")
    parser.add_argument("--ingot", default=os.environ.get("INGOT"), help="the driver of a build tree (default: INGOT)")
    options = parser.parse_args()
    if not options.ingot:
        parser.error("name the driver with --ingot, or run ./tools/dev bench")
    unknown = [subject for subject in options.subjects if subject not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {unknown[0]!r}; there are {', '.join(SUBJECTS)}")
    subjects = options.subjects or [subject for subject in SUBJECTS if subject != "million" or options.million]
    figures = {}
    with tempfile.TemporaryDirectory(prefix="ingot-perf-") as folder:
        workload = Workload(pathlib.Path(folder), options.ingot, options.rounds)
        for subject in subjects:
            print(f"--- {subject}", flush=True)
            figures.update(SUBJECTS[subject](workload))
    print("--- goals")
    return 0 if check_goals(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
