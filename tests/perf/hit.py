"""One process after the other: a hit and a cold compilation against their peers."""

from tests.perf.processes import Contender, Timing, measure, show
from tests.perf.workload import KERNEL, Workload, program


def _contenders(workload: Workload) -> list[Contender]:
    kernel, environment, work = workload.kernel, workload.environment, workload.folder
    llc = [program("llc-22"), "-O2", "-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_90", str(kernel), "-o", str(work / "llc.ptx")]
    optimise = f"{program('opt-22')} -O2 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 {kernel} -o - | {program('llc-22')} -O2 -mcpu=sm_90 -o {work / 'opt.ptx'}"
    cold = work / "cold.ll"
    number = 0

    def another_kernel() -> None:
        nonlocal number
        number += 1
        cold.write_text(f"{KERNEL}; {number}\n")

    another_kernel()
    store = workload.store("hit")
    ingot_cold = workload.ingot("ingot cold", cold, store=store)
    ingot_cold_no_store = workload.ingot("ingot cold, no store", cold, store=None)
    ingot_cold.prepare = ingot_cold_no_store.prepare = another_kernel
    return [
        Contender("true", [program("true")], environment),
        workload.require_hit(workload.ingot("ingot hit", kernel, store=store)),
        Contender("ccache hit", workload.clang(program("ccache")), environment),
        ingot_cold,
        ingot_cold_no_store,
        Contender("llc-22", llc, environment),
        # The same work as Ingot's: llc alone does not optimise the module.
        Contender("opt-22 and llc-22", ["/bin/sh", "-c", optimise], environment),
        Contender("clang-22", workload.clang(), environment),
    ]


def run(workload: Workload) -> dict[str, float]:
    """Times all, shows them and returns the figures of the goals."""
    timings: dict[str, Timing] = measure(_contenders(workload), workload.rounds)
    show(timings, reference="true")
    hit, cold = timings["ingot hit"], timings["ingot cold"]
    return {
        "hit / ccache hit": hit.median_ms / timings["ccache hit"].median_ms,
        "hit / true": hit.median_ms / timings["true"].median_ms,
        "cold compile / llc-22": cold.median_ms / timings["llc-22"].median_ms,
        "peak memory of a hit, MB": hit.peak_memory_mb,
    }
