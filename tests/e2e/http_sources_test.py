"""Sources with headers, on machines that share nothing but an HTTP cache: what one has compiled, the others only scan.

INGOT and INGOT_COMPILE name the programs.
"""

import unittest

from tests.servers import test_main
from tests.servers.nginx import NginxCache
from tests.suites.ingot_command import Ingot, Run

_FILES = {
    "lib/uart.c": '#include <config.h>\n#include "uart.h"\nint unused(void) { int x; return RATE; }\nint uart(int a) { return WIDE(a) + RATE; }\n',
    "lib/uart.h": "#define WIDE(a) ((a) * 2)\n",
    "include/config.h": "#define RATE 7\n#if __has_include(<local.h>)\n#include <local.h>\n#endif\n",
    "scale.cl": '#include "factor.h"\nkernel void scale(global float *x) { x[0] *= FACTOR; }\n',
    "factor.h": "#define FACTOR 3.0f\n",
    "add.cu": '#include "factor.h"\n__global__ void add(float *x) { x[threadIdx.x] += FACTOR; }\n',
    "start.S": '#include "lib/uart.h"\n.global start\nstart: ldi r24, WIDE(4)\n ret\n',
}

# Each with a search path; the first warns.
_JOBS = (
    ("lib/uart.c", "--target=avr", "--cpu=atmega328p", "-Ioverrides", "-Iinclude", "-Wall"),
    ("scale.cl", "--target=nvptx64", "--cpu=sm_80"),
    ("add.cu", "--target=nvptx64", "--cpu=sm_90"),
    ("start.S", "--target=avr", "--cpu=atmega328p"),
)


class Machine(Ingot):
    """An `ingot` with folders of its own, that knows of a server."""

    def __init__(self, url: str, depth: int = 0) -> None:
        super().__init__()
        self.work = self.work.joinpath(*(["deeper"] * depth))
        self.environment["INGOT_REMOTE_CACHE"] = url
        for name, text in _FILES.items():
            self.write(name, text)
        (self.work / "overrides").mkdir()

    def compile_one(self, *arguments: str) -> tuple[dict, bytes]:
        run = self.compile(*arguments, "-o", "out")
        if run.exit_code != 0:
            raise AssertionError(f"{arguments}: {run.out.decode()}{run.err}")
        (result,) = run.results
        return result, self.read("out")

    def build(self) -> tuple[list[dict], list[bytes]]:
        """Compiles everything; returns the results and the outputs."""
        built = [self.compile_one(*job) for job in _JOBS]
        return [result for result, _ in built], [output for _, output in built]


class HttpSourcesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.cache = self.enterContext(NginxCache())

    def machine(self, **options) -> Machine:
        return self.enterContext(Machine(self.cache.url, **options))

    def methods(self, since: int) -> set[str]:
        return {request.method for request in self.cache.requests()[since:]}

    def test_a_second_machine_builds_with_hits_only(self) -> None:
        results, outputs = self.machine().build()
        self.assertEqual([result["cache"] for result in results], ["miss"] * len(_JOBS))
        before = len(self.cache.requests())

        second = self.machine(depth=3)
        results, again = second.build()
        self.assertEqual([result.get("hit_from") for result in results], [self.cache.url] * len(_JOBS))
        self.assertEqual(again, outputs)
        counters = second.counters()
        self.assertEqual((counters["hit_remote"], counters["published"], counters["uncacheable"]), (len(_JOBS), 0, 0))
        self.assertEqual(self.methods(before), {"GET"})
        self.assertIn("lib/uart.c:3:", results[0]["diagnostics"])

        # What the scan found is remembered, so that it is not due again: even without the server.
        self.cache.stop()
        results, again = second.build()
        self.assertEqual([result.get("hit_from") for result in results], [str(second.store)] * len(_JOBS))
        self.assertEqual([result["warnings"] for result in results], [[]] * len(_JOBS))
        self.assertEqual(again, outputs)

    def test_a_header_that_differs_is_a_miss(self) -> None:
        first = self.machine()
        first.build()
        second = self.machine()
        second.write("factor.h", "#define FACTOR 4.0f\n")
        results, outputs = second.build()
        self.assertEqual([result["cache"] for result in results], ["hit", "miss", "miss", "hit"])
        # They were published: a third machine with that header has hits, and so has one with the first.
        third = self.machine()
        third.write("factor.h", "#define FACTOR 4.0f\n")
        results, again = third.build()
        self.assertEqual([result["cache"] for result in results], ["hit"] * len(_JOBS))
        self.assertEqual(again, outputs)
        self.assertEqual([result["cache"] for result in self.machine().build()[0]], ["hit"] * len(_JOBS))

    def test_a_header_that_appears_earlier_is_a_miss(self) -> None:
        _, outputs = self.machine().build()
        second = self.machine()
        second.write("overrides/config.h", "#define RATE 8\n")
        result, output = second.compile_one(*_JOBS[0])
        self.assertEqual(result["cache"], "miss")
        self.assertNotEqual(output, outputs[0])
        # Only the answer of __has_include differs, and nothing of the output.
        third = self.machine()
        third.write("include/local.h", "")
        result, output = third.compile_one(*_JOBS[0])
        self.assertEqual(result["cache"], "miss")
        self.assertEqual(output, outputs[0])

    def test_damage_on_the_server_is_a_miss_once(self) -> None:
        _, outputs = self.machine().build()
        self.cache.damage()
        results, again = self.machine().build()
        self.assertEqual([result["cache"] for result in results], ["miss"] * len(_JOBS))
        self.assertEqual([len(result["warnings"]) for result in results], [1] * len(_JOBS))
        self.assertEqual(again, outputs)
        results, again = self.machine().build()
        self.assertEqual([result["cache"] for result in results], ["hit"] * len(_JOBS))
        self.assertEqual(again, outputs)

    def test_a_server_that_is_not_there_costs_one_warning(self) -> None:
        machine = self.machine()
        self.cache.stop()
        results, _ = machine.build()
        self.assertEqual([len(result["warnings"]) for result in results], [1] * len(_JOBS))
        self.assertEqual(machine.counters()["published"], len(_JOBS))

    def test_errors_are_the_same_everywhere_and_nowhere_stored(self) -> None:
        runs: list[Run] = []
        for depth in (0, 2):
            machine = self.machine(depth=depth)
            machine.write("lib/uart.h", "#define WIDE(a) missing(\n")
            runs.append(machine.run("compile", *_JOBS[0], "-o", "out"))
            self.assertEqual(machine.counters()["compile_failed"], 1)
        self.assertEqual([run.exit_code for run in runs], [1, 1])
        self.assertIn("lib/uart.c:4:", runs[0].err)
        self.assertEqual(runs[0].err, runs[1].err)
        self.assertEqual(self.methods(0), {"GET"})

    def test_make_gets_its_rule_with_a_hit_from_afar(self) -> None:
        arguments = ("cc", "-mmcu=atmega328p", "-Os", "-Iinclude", "-MD", "-c", "lib/uart.c", "-o", "uart.o")
        rules, objects = [], []
        for depth in (0, 1):
            machine = self.machine(depth=depth)
            run = machine.run(*arguments)
            self.assertEqual(run.exit_code, 0, run.err)
            rules.append(machine.read("uart.d"))
            objects.append(machine.read("uart.o"))
        self.assertEqual(machine.counters()["hit_remote"], 1)
        self.assertEqual(rules[0], rules[1])
        self.assertIn(b"lib/uart.h", rules[1])
        self.assertEqual(objects[0], objects[1])


if __name__ == "__main__":
    test_main.main()
