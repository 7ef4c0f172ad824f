"""Bazel and Ingot share one disk cache, each keeps its own hits, and either may collect garbage in it.

INGOT names the driver.
"""

import contextlib
import hashlib
import json
import os
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from tests.servers import genrule_workspace, test_main
from tests.servers.bazel import Bazel
from tests.servers.deadline import DeadlineExceeded, wait_until
from tests.servers.genrule_workspace import ACTIONS

_KERNEL = """\
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @store_sum(ptr addrspace(1) %out, i32 %a, i32 %b) {
  %sum = add i32 %a, %b
  store i32 %sum, ptr addrspace(1) %out, align 4
  ret void
}
"""


class DiskCacheInteropTest(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.cache = self.scratch / "cache"
        self.workspace = self.scratch / "workspace"
        genrule_workspace.write(self.workspace)
        (self.scratch / "kernel.ll").write_text(_KERNEL)

    def bazel_build(self, *flags: str) -> dict[str, int]:
        """Builds the workspace from an output base that knows nothing; returns what the actions were."""
        with Bazel(self.workspace, [f"--disk_cache={self.cache}", *flags]) as bazel:
            return bazel.build("//...").processes

    def ingot_cache(self, *arguments: str) -> dict:
        """Runs a subcommand of `ingot cache`; an exit code of 1 is one that says "another collection is running"."""
        command = [os.path.abspath(os.environ["INGOT"]), "cache", *arguments, f"--disk_cache={self.cache}", "--json"]
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.scratch)}
        process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        result = json.loads(process.stdout)
        if process.returncode != 0:
            self.assertIn("another collection is running", result["error"])
        return result

    def entries(self) -> set[Path]:
        """What the cache holds, without what is being written and the collectors' lock."""
        return {
            path
            for area in ("ac", "cas")
            for path in (self.cache / area).rglob("*")
            if path.is_file()
        }

    def ingot_compile(self) -> tuple[str, bytes]:
        """Compiles the kernel; returns "hit" or "miss", and the output."""
        output = self.scratch / "kernel.ptx"
        output.unlink(missing_ok=True)
        command = [
            *(os.path.abspath(os.environ["INGOT"]), "compile", "kernel.ll"),
            *("--target=nvptx64", "--cpu=sm_80", "-o", output.name),
            *(f"--disk_cache={self.cache}", "--json"),
        ]
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.scratch)}
        process = subprocess.run(
            command, cwd=self.scratch, env=environment, capture_output=True, text=True, check=False
        )
        self.assertEqual(process.returncode, 0, process.stderr)
        return json.loads(process.stdout)["results"][0]["cache"], output.read_bytes()

    def test_both_keep_their_hits(self) -> None:
        self.assertEqual(sum(self.bazel_build().values()), ACTIONS + 1)

        cache, compiled = self.ingot_compile()
        self.assertEqual(cache, "miss")
        self.assertIn(b"store_sum", compiled)
        self.assertEqual(self.ingot_compile(), ("hit", compiled))

        self.assertEqual(self.bazel_build(), {"internal": 1, "disk cache hit": ACTIONS})
        self.assertEqual(self.ingot_compile(), ("hit", compiled))

    def test_ingot_shows_what_bazel_stored(self) -> None:
        self.bazel_build()
        results = [path.name for path in (self.cache / "ac").rglob("*") if path.is_file()]
        self.assertTrue(results)
        outputs = 0
        for name in results:
            for command in ("show", "explain"):
                process = subprocess.run(
                    [os.path.abspath(os.environ["INGOT"]), "cache", command, name, f"--disk_cache={self.cache}", "--json"],
                    env={"HOME": str(self.scratch)},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
                answer = json.loads(process.stdout)
                if command == "explain":
                    self.assertEqual(answer["results"][0]["state"], "stored", process.stdout)
                    continue
                self.assertEqual((answer["made_by"], answer["exit_code"]), ("another program", 0))
                self.assertTrue(answer["arguments"], answer)
                self.assertTrue(answer["output_paths"], answer)
                self.assertEqual({output["state"] for output in answer["outputs"]}, {"present"}, answer)
                outputs += len(answer["outputs"])
        self.assertGreater(outputs, 0)

    def test_all_entries_are_where_bazel_looks_for_them(self) -> None:
        self.assertEqual(self.ingot_compile()[0], "miss")
        blobs = [path for path in (self.cache / "cas").rglob("*") if path.is_file()]
        results = [path for path in (self.cache / "ac").rglob("*") if path.is_file()]
        self.assertTrue(blobs)
        self.assertEqual(len(results), 1)
        for entry in blobs + results:
            self.assertRegex(str(entry.relative_to(self.cache)), r"^(ac|cas)/([0-9a-f]{2})/\2[0-9a-f]{62}$")
        for blob in blobs:
            self.assertEqual(hashlib.sha256(blob.read_bytes()).hexdigest(), blob.name)

    def let_bazel_collect(self, bazel: Bazel, compiled: bytes) -> None:
        """Has Bazel take Ingot's result away, which is there."""

        def collected() -> bool:
            cache, output = self.ingot_compile()
            self.assertEqual(output, compiled)
            return cache == "miss"

        # Its server collects once after each command, when it has been idle for the delay; and leaves an entry that was used since
        # it began, as a hit here may.
        for _ in range(9):
            bazel.build("//...")
            with contextlib.suppress(DeadlineExceeded):
                wait_until("Bazel has collected garbage", collected, seconds=20)
                return
        self.fail("Bazel does not collect garbage")

    def test_bazels_collector_takes_results_of_ingot_and_breaks_none(self) -> None:
        _, compiled = self.ingot_compile()
        flags = [
            f"--disk_cache={self.cache}",
            "--experimental_disk_cache_gc_max_size=1",
            "--experimental_disk_cache_gc_idle_delay=1s",
        ]
        with Bazel(self.workspace, flags) as bazel:
            for _ in range(2):
                self.assertEqual(self.ingot_compile(), ("hit", compiled))
                self.let_bazel_collect(bazel, compiled)
        self.assertTrue((self.cache / "gc" / "lock").exists())
        self.assertEqual(self.ingot_compile(), ("hit", compiled))
        self.assertEqual(self.ingot_cache("verify")["damaged"], 0)

    def test_ingots_collector_takes_results_of_bazel_and_breaks_none(self) -> None:
        _, compiled = self.ingot_compile()
        self.bazel_build()
        # What fits stays.
        self.assertEqual(self.ingot_cache("gc")["removed_files"], 0)
        self.assertEqual(self.bazel_build(), {"internal": 1, "disk cache hit": ACTIONS})
        self.assertEqual(self.ingot_compile(), ("hit", compiled))
        # All goes, and is made again.
        self.assertGreater(self.ingot_cache("gc", "--max_size=1")["removed_results"], ACTIONS)
        self.assertEqual(self.entries(), set())
        self.assertNotIn("disk cache hit", self.bazel_build())
        self.assertEqual(self.ingot_compile(), ("miss", compiled))
        self.assertEqual(self.bazel_build(), {"internal": 1, "disk cache hit": ACTIONS})

    def test_both_collect_while_both_build(self) -> None:
        _, compiled = self.ingot_compile()
        building = threading.Event()
        collected: list[dict] = []

        def collect() -> None:
            while not building.is_set():
                collected.append(self.ingot_cache("gc", "--max_size=1"))

        collector = threading.Thread(target=collect)
        collector.start()
        flags = ["--experimental_disk_cache_gc_max_size=1", "--experimental_disk_cache_gc_idle_delay=0s"]
        try:
            for _ in range(3):
                self.assertEqual(sum(self.bazel_build(*flags).values()), ACTIONS + 1)
                self.assertEqual(self.ingot_compile()[1], compiled)
        finally:
            building.set()
            collector.join()
        self.assertGreater(sum(result.get("removed_files", 0) for result in collected), 0)
        self.assertEqual(sum(result.get("failed", 0) for result in collected), 0)
        self.bazel_build()
        self.assertEqual(self.bazel_build(), {"internal": 1, "disk cache hit": ACTIONS})

    def test_verification_leaves_bazels_results_alone(self) -> None:
        self.ingot_compile()
        self.bazel_build()
        before = self.entries()
        result = self.ingot_cache("verify")
        self.assertEqual((result["damaged"], result["results"], result["foreign_results"]), (0, 1, ACTIONS))
        self.assertEqual(self.entries(), before)
        self.assertEqual(self.bazel_build(), {"internal": 1, "disk cache hit": ACTIONS})


if __name__ == "__main__":
    test_main.main()
