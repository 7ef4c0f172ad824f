"""C sources with headers for a microcontroller: hits against those of three peers, a cold compilation against clang-22."""

import json
import os
import pathlib
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.perf.processes import Contender, measure, show
from tests.perf.remote import recc
from tests.perf.workload import Workload, program
from tests.servers import ports
from tests.servers.buildbox import CasdCache

_HEADERS = (1, 500)

# As in a build, where nobody has just saved a header: ccache takes no direct hit with one that is newer than its run.
_LONG_AGO = 1_600_000_000

# A thousand bytes each, most of it comments, declarations and macros.
_HEADER = """\
#ifndef DRIVER_{number}_H
#define DRIVER_{number}_H
/* Device {number}: registers, and what the rest of the firmware calls. */
#define DRIVER_{number}_BASE (0x{number:04x} + 0x20)
#define DRIVER_{number}_ENABLE (1u << ({number} % 8))
struct driver_{number} {{
  volatile unsigned char *control;
  volatile unsigned char *data;
  unsigned int received;
  unsigned int sent;
}};
{declarations}
static inline unsigned int driver_{number}_mix(unsigned int x) {{ return x * {number}u + DRIVER_{number}_BASE; }}
#endif
"""

# They are short, and noise that lasts for some of them must not decide.
_ROUNDS_OF_HITS = 5

_OPTIONS = ("-Os", "-std=gnu11", "-c")


def _write(folder: pathlib.Path, headers: int) -> pathlib.Path:
    """A source that includes so many headers."""
    include = folder / "include"
    include.mkdir(parents=True)
    for number in range(headers):
        declarations = "\n".join(f"int driver_{number}_function_{index}(struct driver_{number} *self, int argument);" for index in range(8))
        (include / f"driver_{number}.h").write_text(_HEADER.format(number=number, declarations=declarations))
    source = folder / "firmware.c"
    lines = [f'#include "driver_{number}.h"' for number in range(headers)]
    calls = " + ".join(f"driver_{number}_mix(x)" for number in range(headers))
    source.write_text("\n".join(lines) + f"\nunsigned int firmware(unsigned int x) {{ return {calls}; }}\n")
    for path in folder.rglob("*"):
        os.utime(path, (_LONG_AGO, _LONG_AGO))
    return source


def _arguments(source: pathlib.Path, output: str) -> list[str]:
    return ["-mmcu=atmega328p", *_OPTIONS, f"-I{source.parent / 'include'}", str(source), "-o", str(source.parent / output)]


def _clang(source: pathlib.Path, output: str = "clang.o") -> list[str]:
    return [program("clang-22"), "--target=avr", *_arguments(source, output)]


def _ccache(name: str, source: pathlib.Path, workload: Workload) -> Contender:
    contender = Contender(name, [program("ccache"), *_clang(source, "ccache.o")], workload.environment)

    def direct_hits() -> int:
        run = subprocess.run([program("ccache"), "--print-stats"], env=contender.environment, capture_output=True, text=True, check=True)
        return int(dict(line.split() for line in run.stdout.splitlines())["direct_cache_hit"])

    for _ in range(2):
        before = direct_hits()
        subprocess.run(contender.command, env=contender.environment, check=True)
    if direct_hits() != before + 1:
        raise RuntimeError(f"{name} is no direct hit")
    return contender


@contextmanager
def _sccache_server(workload: Workload) -> Iterator[dict[str, str]]:
    """A server of sccache, which does its work; the environment of its clients."""
    environment = {
        **workload.environment,
        "SCCACHE_DIR": str(workload.folder / "sccache"),
        "SCCACHE_SERVER_PORT": str(ports.free_port()),
        "SCCACHE_IDLE_TIMEOUT": "0",
        # As ccache's direct mode.
        "SCCACHE_DIRECT": "true",
    }
    subprocess.run([program("sccache"), "--start-server"], env=environment, capture_output=True, check=True)
    try:
        yield environment
    finally:
        subprocess.run([program("sccache"), "--stop-server"], env=environment, capture_output=True, check=False)


def _sccache(name: str, source: pathlib.Path, environment: dict[str, str]) -> Contender:
    contender = Contender(name, [program("sccache"), *_clang(source, "sccache.o")], environment)

    def hits() -> int:
        command = [program("sccache"), "--show-stats", "--stats-format=json"]
        run = subprocess.run(command, env=environment, capture_output=True, check=True)
        return sum(json.loads(run.stdout)["stats"]["cache_hits"]["counts"].values())

    for _ in range(2):
        before = hits()
        subprocess.run(contender.command, env=environment, check=True)
    if hits() != before + 1:
        raise RuntimeError(f"{name} is no hit")
    return contender


def _hits(workload: Workload, source: pathlib.Path, sccache_environment: dict[str, str]) -> Sequence[Contender]:
    ingot = workload.ingot_cc("ingot cc hit", "--target=avr", *_arguments(source, "ingot.o"), store=workload.store("sources"))
    return [
        Contender("true", [program("true")], workload.environment),
        workload.require_cc_hit(ingot),
        _ccache("ccache hit", source, workload),
        _sccache("sccache hit", source, sccache_environment),
    ]


def _cold(workload: Workload) -> Sequence[Contender]:
    source = _write(workload.folder / "sources-cold", 1)
    text = source.read_text()
    number = 0

    def another_source() -> None:
        nonlocal number
        number += 1
        source.write_text(f"{text}int number(void) {{ return {number % 30000}; }}\n")

    another_source()
    ingot = workload.ingot_cc("ingot cc, cold", "--target=avr", *_arguments(source, "ingot.o"), store=workload.store("sources-cold"))
    ingot.prepare = another_source
    return [ingot, Contender("clang-22", _clang(source), workload.environment)]


def run(workload: Workload) -> dict[str, float]:
    """Times all, shows them and returns the figures of the goals.

    recc has a loop of its own: it starts the compiler for each hit, and whoever follows pays for that.
    """
    figures = {}
    os.chdir(workload.folder)  # recc names files from its working directory
    with CasdCache() as casd, _sccache_server(workload) as sccache_environment:
        for headers in _HEADERS:
            words = f"{headers} header{'s' if headers > 1 else ''}"
            print(words)
            source = _write(workload.folder / f"sources-{headers}", headers)
            hits = measure(_hits(workload, source, sccache_environment), _ROUNDS_OF_HITS * workload.rounds)
            hits |= measure([recc("recc hit", _clang(source, "recc.o"), workload, casd)], workload.rounds)
            show(hits, reference="true")
            figures[f"hit with {words} / ccache"] = hits["ingot cc hit"].median_ms / hits["ccache hit"].median_ms
    cold = measure(_cold(workload), workload.rounds)
    show(cold, reference="clang-22")
    figures["cold compile of C / clang-22"] = cold["ingot cc, cold"].median_ms / cold["clang-22"].median_ms
    return figures
