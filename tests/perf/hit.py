"""One process after the other: a hit and a cold compilation against their peers."""

from tests.perf.processes import Contender, measure, show
from tests.perf.workload import KERNEL, Workload, program

# They are short, and noise that lasts for some of them must not decide.
_ROUNDS_OF_HITS = 5


def _hits(workload: Workload) -> list[Contender]:
    return [
        Contender("true", [program("true")], workload.environment),
        workload.require_hit(workload.ingot("ingot hit", workload.kernel, store=workload.store("hit"))),
        Contender("ccache hit", workload.clang(program("ccache")), workload.environment),
    ]


def llc(workload: Workload) -> Contender:
    """LLVM's code generator on the small kernel."""
    options = ("-O2", "-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_90")
    return Contender("llc-22", [program("llc-22"), *options, str(workload.kernel), "-o", str(workload.folder / "llc.ptx")], workload.environment)


def _compilers(workload: Workload) -> list[Contender]:
    kernel, environment, work = workload.kernel, workload.environment, workload.folder
    optimise = f"{program('opt-22')} -O2 -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 {kernel} -o - | {program('llc-22')} -O2 -mcpu=sm_90 -o {work / 'opt.ptx'}"
    cold = work / "cold.ll"
    number = 0

    def another_kernel() -> None:
        nonlocal number
        number += 1
        cold.write_text(f"{KERNEL}; {number}\n")

    another_kernel()
    store = workload.store("cold")
    ingot_cold = workload.ingot("ingot cold", cold, store=store)
    ingot_cold_no_store = workload.ingot("ingot cold, no store", cold, store=None)
    ingot_cold.prepare = ingot_cold_no_store.prepare = another_kernel
    return [
        ingot_cold,
        ingot_cold_no_store,
        llc(workload),
        # The same work as Ingot's: llc alone does not optimise the module.
        Contender("opt-22 and llc-22", ["/bin/sh", "-c", optimise], environment),
        Contender("clang-22", workload.clang(), environment),
    ]


def run(workload: Workload) -> dict[str, float]:
    """Times all, shows them and returns the figures of the goals.

    In two loops: hits come after hits in a build, while a hit after a large compiler, which leaves the processor's caches full
    of itself, is slow by that and not by its own work.
    """
    hits = measure(_hits(workload), _ROUNDS_OF_HITS * workload.rounds)
    show(hits, reference="true")
    compilers = measure(_compilers(workload), workload.rounds)
    show(compilers, reference="llc-22")
    return {
        "hit / ccache hit": hits["ingot hit"].median_ms / hits["ccache hit"].median_ms,
        "hit / true": hits["ingot hit"].median_ms / hits["true"].median_ms,
        "cold compile / llc-22": compilers["ingot cold"].median_ms / compilers["llc-22"].median_ms,
        "peak memory of a hit, MB": hits["ingot hit"].peak_memory_mb,
    }
