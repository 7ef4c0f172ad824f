"""CUDA kernels against `opt -O2 | llc` and nvcc: how good the code is, by ptxas, and how long it takes to make.

All three get the same sources. LLVM's tools get what Clang makes of them with the headers that Ingot has inside itself.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
from typing import NamedTuple

from tests.perf.cubin import instructions
from tests.perf.hit import llc
from tests.perf.processes import Contender, measure, show
from tests.perf.workload import Workload, program
from tests.servers import programs

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_SOURCES = (*sorted((_ROOT / "tests/perf/kernels").glob("*.cu")), *sorted((_ROOT / "examples").glob("*/*.cu")))
_HEADERS = _ROOT / "compiler/frontend/headers"

_CPU = "sm_80"
_PTX = "83"


class Code(NamedTuple):
    """What ptxas makes of a kernel."""

    registers: int
    spills: int  # bytes stored and loaded
    instructions: int


def _ingot(workload: Workload, source: pathlib.Path, ptx: pathlib.Path) -> Contender:
    options = (f"--cpu={_CPU}", f"--features=+ptx{_PTX}", "-std=c++17", "-o", str(ptx))
    return workload.ingot(f"ingot, {source.stem}", source, *options, store=None)


def _module(workload: Workload, source: pathlib.Path) -> pathlib.Path:
    """The source as a module that no pass has changed yet."""
    module = workload.folder / f"{source.stem}.ll"
    folders = (_HEADERS, _HEADERS / "ingot_cuda/standard")
    subprocess.run(
        [
            *(program("clang-22"), "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", f"--cuda-gpu-arch={_CPU}"),
            *(f"--cuda-feature=+ptx{_PTX}", f"-D__INGOT_PTX_VERSION__={_PTX}", "-include", str(_HEADERS / "ingot_cuda.h")),
            *(f"-isystem{folder}" for folder in folders),
            *("-std=c++17", "-O2", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", str(source), "-o", str(module)),
        ],
        check=True,
    )
    return module


def _llvm(workload: Workload, module: pathlib.Path, ptx: pathlib.Path) -> Contender:
    target = f"-mtriple=nvptx64-nvidia-cuda -mcpu={_CPU}"
    line = f"{program('opt-22')} -O2 {target} {module} -o - | {program('llc-22')} -O2 {target} -mattr=+ptx{_PTX} -o {ptx}"
    return Contender(f"opt and llc, {module.stem}", ["/bin/sh", "-c", line], workload.environment)


def _nvcc(workload: Workload, source: pathlib.Path, ptx: pathlib.Path) -> Contender:
    nvcc = programs.find_cuda_toolkit() / "bin/nvcc"
    command = [str(nvcc), "-allow-unsupported-compiler", "-std=c++17", f"-arch={_CPU}", "-ptx", str(source), "-o", str(ptx)]
    return Contender(f"nvcc, {source.stem}", command, {**workload.environment, "PATH": os.environ["PATH"]})


def _assemble(ptx: pathlib.Path) -> dict[str, Code]:
    """Each kernel of the file, as the same ptxas sees it."""
    cubin = ptx.with_suffix(".cubin")
    command = [programs.find_ptxas(_CPU), f"--gpu-name={_CPU}", "-v", str(ptx), "-o", str(cubin)]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    counts = instructions(cubin.read_bytes())
    kernels = {}
    for part in log.split("Compiling entry function ")[1:]:
        name = re.match(r"'([^']+)'", part)[1]
        spills = sum(int(number) for number in re.findall(r"(\d+) bytes spill (?:stores|loads)", part))
        kernels[name] = Code(int(re.search(r"Used (\d+) registers", part)[1]), spills, counts[name])
    return kernels


def _show_code(codes: dict[str, dict[str, Code]]) -> None:
    print(f"{'':20}" + "".join(f"{name:>30}" for name in codes))
    print(f"{'':20}" + f"{'registers spills instructions':>30}" * len(codes))
    for kernel in next(iter(codes.values())):
        print(f"{kernel:20}" + "".join(f"{code[kernel].registers:>10}{code[kernel].spills:>7}{code[kernel].instructions:>13}" for code in codes.values()))


def _compare_code(codes: dict[str, dict[str, Code]]) -> dict[str, float]:
    """By how much a kernel of Ingot's is larger: the mean of the ratios, and the bytes of spills that are more."""
    own = codes["ingot"]
    figures = {}
    for peer in ("llc", "nvcc"):
        for field in ("registers", "instructions"):
            ratios = [getattr(own[kernel], field) / getattr(codes[peer][kernel], field) for kernel in own]
            figures[f"{field} / {peer}"] = statistics.geometric_mean(ratios)
            worst = max(own, key=lambda kernel: getattr(own[kernel], field) / getattr(codes[peer][kernel], field))
            print(f"most {field} / {peer}: {max(ratios):.2f} ({worst})")
        figures[f"spills more than {peer}, bytes"] = sum(own[kernel].spills - codes[peer][kernel].spills for kernel in own)
    return figures


def _warm_ms() -> float:
    """What a small kernel costs in a process that has compiled before, by the benchmark beside the code."""
    benchmark = os.environ.get("INGOT_COMPILE_BENCHMARK")
    if benchmark is None:
        raise SystemExit("tests/perf: ./tools/dev bench names the benchmark of //compiler:compile_benchmark")
    command = [benchmark, "--benchmark_filter=SaxpyToPtx$", "--benchmark_repetitions=5", "--benchmark_format=json"]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
    (median,) = (one for one in report["benchmarks"] if one.get("aggregate_name") == "median")
    return median["real_time"] / 1e6


def run(workload: Workload) -> dict[str, float]:
    """Compiles all sources with each compiler, shows what came out and how long it took, and returns the figures of the goals."""
    codes: dict[str, dict[str, Code]] = {"ingot": {}, "llc": {}, "nvcc": {}}
    contenders: list[dict[str, Contender]] = []
    for source in _SOURCES:
        ptx = {name: workload.folder / f"{name}-{source.stem}.ptx" for name in codes}
        of_source = {
            "ingot": _ingot(workload, source, ptx["ingot"]),
            "llc": _llvm(workload, _module(workload, source), ptx["llc"]),
            "nvcc": _nvcc(workload, source, ptx["nvcc"]),
        }
        for name, contender in of_source.items():
            subprocess.run(contender.command, env=contender.environment, check=True)
            codes[name] |= _assemble(ptx[name])
        contenders.append(of_source)
    _show_code(codes)
    figures = _compare_code(codes)
    rounds = max(3, workload.rounds // 10)
    ratios = []
    for of_source in contenders:
        timings = measure(list(of_source.values()), rounds)
        show(timings, reference=of_source["nvcc"].name)
        ratios.append(timings[of_source["ingot"].name].median_ms / timings[of_source["nvcc"].name].median_ms)
    figures["cold compile of CUDA / nvcc"] = statistics.geometric_mean(ratios)
    figures["warm compile / llc-22"] = _warm_ms() / measure([llc(workload)], workload.rounds)["llc-22"].median_ms
    return figures
