"""A hit in a store of a million files against one in a store that has nothing else."""

import hashlib
import os
import pathlib
import subprocess
import time

from tests.perf.processes import measure, show
from tests.perf.workload import Workload

ENTRIES = 1_000_000


def fill(store: pathlib.Path, entries: int) -> None:
    """Adds entries, half of them results and half blobs, in the store's layout.

    A lookup meets the folders of a store and not the other files in them, so the files of one folder are links to one
    file: that takes a quarter of the time and a hundredth of the space.
    """
    for half, folder in enumerate(("ac", "cas")):
        firsts: dict[str, str] = {}
        for byte in range(256):
            (store / folder / f"{byte:02x}").mkdir(parents=True, exist_ok=True)
        for number in range(half, entries, 2):
            name = hashlib.sha256(str(number).encode()).hexdigest()
            path = f"{store}/{folder}/{name[:2]}/{name}"
            first = firsts.setdefault(name[:2], path)
            if first == path:
                pathlib.Path(path).write_bytes(b"entry" * 40)
            else:
                os.link(first, path)


def run(workload: Workload) -> dict[str, float]:
    """Makes the store, times both, shows them and returns the ratio."""
    empty, full = workload.store("empty"), workload.store("million")
    start = time.monotonic()
    fill(full, ENTRIES)
    # What the file system still has to write would be written while the hits are timed.
    os.sync()
    print(f"made a store of {ENTRIES} files in {time.monotonic() - start:.0f} s")
    contenders = [
        workload.require_hit(workload.ingot("hit, empty store", workload.kernel, store=empty)),
        workload.require_hit(workload.ingot("hit, a million files", workload.kernel, store=full)),
    ]
    timings = measure(contenders, workload.rounds)
    show(timings, reference="hit, empty store")
    start = time.monotonic()
    subprocess.run(["rm", "-rf", "--", str(full)], check=True)
    print(f"removed the store in {time.monotonic() - start:.0f} s")
    return {"hit, a million files / empty": timings["hit, a million files"].median_ms / timings["hit, empty store"].median_ms}
