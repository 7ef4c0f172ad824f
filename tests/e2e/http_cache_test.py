"""Machines that share nothing but an HTTP cache: nginx, and with Bazel too.

INGOT and INGOT_COMPILE name the programs.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tests.servers import genrule_workspace, test_main
from tests.servers.bazel import Bazel
from tests.servers.genrule_workspace import ACTIONS
from tests.servers.nginx import NginxCache, Request
from tests.suites.ingot_command import FIRMWARE, KERNEL, Ingot, Run

# Sources of two targets, one with a warning to replay, in folders as deep as they happen to be.
_JOBS = (
    ("kernels/k.ll", KERNEL, ("--target=nvptx64", "--cpu=sm_80")),
    ("kernels/k.ll", KERNEL, ("--target=nvptx64", "--cpu=sm_90", "-O3")),
    ("f.ll", FIRMWARE, ("--target=avr", "--cpu=atmega328p")),
)


class Machine(Ingot):
    """An `ingot` with a HOME, folders and perhaps a user of its own, that knows of a server."""

    def __init__(self, url: str, depth: int = 0, user: int | None = None) -> None:
        super().__init__()
        self.prefix = ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups") if user is not None else ()
        self.work = self.work.joinpath(*(["deeper"] * depth))
        self.work.mkdir(parents=True, exist_ok=True)
        self.url = url
        for name, text, _ in _JOBS:
            self.write(name, text)
        if user is not None:
            # Where the programs were built, another user may not go.
            programs = self.root / "programs"
            programs.mkdir()
            for program in (self.program, f"{self.toolchain}/ingot-compile"):
                shutil.copy(program, programs)
            self.program = str(programs / "ingot")
            self.environment["INGOT_TOOLCHAIN"] = str(programs)
            self.root.chmod(0o755)
            subprocess.run(["chown", "-R", f"{user}:{user}", str(self.root)], check=True)

    def compile(self, *arguments: str, **options) -> Run:
        return super().compile(f"--remote_cache={self.url}", *arguments, prefix=self.prefix, **options)

    def build(self, *more: str) -> tuple[list[dict], list[bytes]]:
        """Compiles everything; returns the results and the outputs."""
        results, outputs = [], []
        for name, _, options in _JOBS:
            run = self.compile(name, *options, "-o", "out", *more)
            if run.exit_code != 0:
                raise AssertionError(f"{name}: {run.out.decode()}{run.err}")
            results += run.results
            outputs.append(self.read("out"))
        return results, outputs


class HttpCacheTest(unittest.TestCase):
    def setUp(self) -> None:
        self.cache = self.enterContext(NginxCache())

    def machine(self, **options) -> Machine:
        return self.enterContext(Machine(self.cache.url, **options))

    def new_requests(self) -> list[Request]:
        """The requests since the last call."""
        requests = self.cache.requests()
        new = requests[self.seen :]
        self.seen = len(requests)
        return new

    seen = 0

    def test_a_second_machine_builds_with_hits_only(self) -> None:
        first = self.machine()
        results, outputs = first.build()
        self.assertEqual([result["cache"] for result in results], ["miss"] * len(_JOBS))
        self.new_requests()

        # Another HOME, path and depth, and another user where this test may choose one.
        second = self.machine(depth=4, user=65534 if os.geteuid() == 0 else None)
        results, again = second.build()
        self.assertEqual([result["hit_from"] for result in results], [self.cache.url] * len(_JOBS))
        self.assertEqual(again, outputs)
        counters = second.counters()
        self.assertEqual((counters["hit_remote"], counters["copied"]), (len(_JOBS), len(_JOBS)))
        requests = self.new_requests()
        self.assertEqual({request.method for request in requests}, {"GET"})
        self.assertEqual([request.path.split("/")[1] for request in requests], ["ac", "cas"] * len(_JOBS))

        # What was copied serves without the server.
        self.cache.stop()
        results, again = second.build()
        self.assertEqual([result["hit_from"] for result in results], [str(second.store)] * len(_JOBS))
        self.assertEqual([result["warnings"] for result in results], [[]] * len(_JOBS))
        self.assertEqual(again, outputs)

    def test_blobs_are_stored_before_what_names_them(self) -> None:
        machine = self.machine()
        machine.compile("f.ll", "--target=avr", "-o", "out")
        puts = [request.path.split("/")[1] for request in self.new_requests() if request.method == "PUT"]
        self.assertGreater(puts.count("cas"), 1)
        self.assertEqual(puts, ["cas"] * (len(puts) - 1) + ["ac"])

    def test_without_a_local_store(self) -> None:
        machine = self.machine()
        _, outputs = machine.build("--disk_cache=")
        results, again = machine.build("--disk_cache=")
        self.assertEqual([result["hit_from"] for result in results], [self.cache.url] * len(_JOBS))
        self.assertEqual(again, outputs)
        self.assertFalse(machine.store.exists())

    def test_results_stay_here_if_asked_to(self) -> None:
        results, _ = self.machine().build("--noremote_upload_local_results")
        self.assertEqual([result["cache"] for result in results], ["miss"] * len(_JOBS))
        self.assertEqual({request.method for request in self.new_requests()}, {"GET"})
        results, _ = self.machine().build()
        self.assertEqual([result["cache"] for result in results], ["miss"] * len(_JOBS))

    def test_damage_on_the_server_is_a_miss_once(self) -> None:
        _, outputs = self.machine().build()
        self.cache.damage()
        results, again = self.machine().build()
        self.assertEqual([result["cache"] for result in results], ["miss"] * len(_JOBS))
        for result in results:
            self.assertEqual(len(result["warnings"]), 1)
            self.assertIn(self.cache.url, result["warnings"][0])
        self.assertEqual(again, outputs)
        results, again = self.machine().build()
        self.assertEqual([result["cache"] for result in results], ["hit"] * len(_JOBS))
        self.assertEqual(again, outputs)

    def test_a_lost_blob_is_repaired_from_the_server_and_the_other_way_round(self) -> None:
        machine = self.machine()
        _, outputs = machine.build()
        shutil.rmtree(machine.store / "cas")
        results, again = machine.build()
        self.assertEqual([result["hit_from"] for result in results], [self.cache.url] * len(_JOBS))
        self.assertEqual(again, outputs)
        shutil.rmtree(self.cache.store / "cas")
        results, _ = machine.build()
        self.assertEqual([result["hit_from"] for result in results], [str(machine.store)] * len(_JOBS))
        # A machine that has nothing finds entries without blobs, compiles, and puts the blobs back.
        results, again = self.machine().build()
        self.assertEqual([result["miss_reason"] for result in results], ["missing blob"] * len(_JOBS))
        self.assertEqual(again, outputs)
        results, _ = self.machine().build()
        self.assertEqual([result["cache"] for result in results], ["hit"] * len(_JOBS))

    def test_what_the_disk_has_is_not_fetched(self) -> None:
        machine = self.machine()
        _, outputs = machine.build()
        shutil.rmtree(machine.store / "ac")
        self.new_requests()
        results, again = machine.build()
        self.assertEqual([result["hit_from"] for result in results], [self.cache.url] * len(_JOBS))
        self.assertEqual(again, outputs)
        self.assertEqual([request.path.split("/")[1] for request in self.new_requests()], ["ac"] * len(_JOBS))

    def test_a_server_that_is_not_there_costs_one_warning(self) -> None:
        machine = self.machine()
        self.cache.stop()
        results, _ = machine.build()
        for result in results:
            self.assertEqual(len(result["warnings"]), 1)
            self.assertIn(self.cache.url, result["warnings"][0])
        self.assertEqual(machine.counters()["published"], len(_JOBS))

    def test_bazel_shares_the_server(self) -> None:
        workspace = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "workspace"
        genrule_workspace.write(workspace)
        flags = [f"--remote_cache={self.cache.url}"]
        with Bazel(workspace, flags) as bazel:
            self.assertEqual(sum(bazel.build("//...").processes.values()), ACTIONS + 1)
        _, outputs = self.machine().build()
        with Bazel(workspace, flags) as bazel:
            self.assertEqual(bazel.build("//...").processes, {"internal": 1, "remote cache hit": ACTIONS})
        results, again = self.machine().build()
        self.assertEqual([result["cache"] for result in results], ["hit"] * len(_JOBS))
        self.assertEqual(again, outputs)


if __name__ == "__main__":
    test_main.main()
