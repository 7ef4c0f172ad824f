"""The examples build the same everywhere: from another checkout's cache, and on remote workers.

The compile tool takes minutes to build. INGOT_E2E_DISK_CACHE names a folder that keeps it between runs.
"""

import os
import tempfile
import unittest
from pathlib import Path

from tests.servers import source_tree, test_main
from tests.servers.bazel import Bazel
from tests.servers.buildgrid import PLATFORM_FLAGS, BuildGrid
from tests.servers.nginx import NginxCache

_EXAMPLES = "//examples/..."
_MNEMONIC = "DeviceCompile"

# The platform is part of every key, so that it must be the same in all builds for the tool to be shared among them.
_FLAGS = (*PLATFORM_FLAGS, "--noremote_upload_local_results")

# A device compilation that really happens, whatever the caches hold.
_UNCACHED = f"--modify_execution_info={_MNEMONIC}=+no-cache"


class ExamplesCacheTest(unittest.TestCase):
    scratch: Path
    store: Path

    @classmethod
    def setUpClass(cls) -> None:
        # One store for all tests: the tool is built once.
        cls.scratch = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        kept = os.environ.get("INGOT_E2E_DISK_CACHE")
        cls.store = Path(kept) if kept else cls.scratch / "store"

    def new_checkout(self) -> Path:
        """Copies the source tree to a place where none was before.

        A place used again would not do: a key with the path in it would be found in a store from an earlier run.
        """
        return source_tree.copy_to(Path(tempfile.mkdtemp(prefix="checkout-", dir=self.scratch)) / "ingot")

    def test_second_checkout_takes_everything_from_an_http_cache(self) -> None:
        with NginxCache(self.store) as cache:
            flags = [*PLATFORM_FLAGS, f"--remote_cache={cache.url}"]
            with Bazel(self.new_checkout(), flags) as bazel:
                first = bazel.build(_EXAMPLES)
            self.assertTrue(first.with_mnemonic(_MNEMONIC), first.stderr)
            requests_of_first = len(cache.requests())

            with Bazel(self.new_checkout(), flags) as bazel:
                second = bazel.build(_EXAMPLES)
            for spawn in second.spawns:
                self.assertEqual(spawn.runner, "remote cache hit", spawn)
            self.assertEqual(set(second.processes), {"internal", "remote cache hit"})
            self.assertEqual(
                {spawn.target for spawn in second.with_mnemonic(_MNEMONIC)},
                {spawn.target for spawn in first.with_mnemonic(_MNEMONIC)},
            )
            for request in cache.requests()[requests_of_first:]:
                self.assertEqual((request.method, request.status), ("GET", 200), request)

    def test_remote_workers_produce_the_local_bytes(self) -> None:
        flags = [*_FLAGS, _UNCACHED, f"--disk_cache={self.store}"]
        with Bazel(self.new_checkout(), flags) as bazel:
            compilations = bazel.build(_EXAMPLES, f"--strategy={_MNEMONIC}=sandboxed").with_mnemonic(_MNEMONIC)
            for spawn in compilations:
                self.assertRegex(spawn.runner, "^(linux|processwrapper)-sandbox$", spawn)
            local = bazel.outputs_of(compilations)
        self.assertTrue(local)

        with BuildGrid(workers=2) as grid, Bazel(self.new_checkout(), flags) as bazel:
            compilations = bazel.build(
                _EXAMPLES,
                f"--remote_executor={grid.endpoint}",
                # Building the tool on the workers would only repeat what others test.
                "--spawn_strategy=sandboxed,local",
                f"--strategy={_MNEMONIC}=remote",
                # A tool that is left in the disk cache could not be sent to the workers.
                "--remote_download_outputs=all",
            ).with_mnemonic(_MNEMONIC)
            for spawn in compilations:
                self.assertEqual(spawn.runner, "remote", spawn)
            self.assertEqual(sum(grid.jobs_by_worker()), len(compilations))
            self.assertEqual(bazel.outputs_of(compilations), local)


if __name__ == "__main__":
    test_main.main()
