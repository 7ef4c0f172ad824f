"""Bazel and Ingot share one disk cache, and each keeps its own hits.

INGOT names the driver.
"""

import hashlib
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.servers import genrule_workspace, test_main
from tests.servers.bazel import Bazel
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

    def bazel_build(self) -> dict[str, int]:
        """Builds the workspace from an output base that knows nothing; returns what the actions were."""
        with Bazel(self.workspace, [f"--disk_cache={self.cache}"]) as bazel:
            return bazel.build("//...").processes

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


if __name__ == "__main__":
    test_main.main()
