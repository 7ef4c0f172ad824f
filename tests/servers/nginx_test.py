"""nginx serves one build's results to another."""

import tempfile
import unittest
from pathlib import Path

from tests.servers import genrule_workspace, test_main
from tests.servers.bazel import Bazel, BazelResult
from tests.servers.genrule_workspace import ACTIONS
from tests.servers.nginx import NginxCache


class NginxTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.workspace = scratch / "workspace"
        self.store = scratch / "store"
        genrule_workspace.write(self.workspace)

    def build(self, cache: NginxCache) -> BazelResult:
        """Builds everything from an output base that knows nothing."""
        with Bazel(self.workspace) as bazel:
            return bazel.build("//...", f"--remote_cache={cache.url}")

    def test_second_build_takes_everything_from_the_cache(self) -> None:
        with NginxCache() as cache:
            first = self.build(cache)
            self.assertNotIn("remote cache hit", first.processes)
            after_first = cache.requests()
            stored = {request.path for request in after_first if request.method == "PUT" and request.status == 201}
            self.assertEqual(sum(path.startswith("/ac/") for path in stored), ACTIONS)

            second = self.build(cache)
            self.assertEqual(second.processes, {"internal": 1, "remote cache hit": ACTIONS})
            self.assertEqual({spawn.runner for spawn in second.spawns}, {"remote cache hit"})
            for request in cache.requests()[len(after_first) :]:
                self.assertEqual((request.method, request.status), ("GET", 200), request)

    def test_store_has_the_layout_of_a_disk_cache(self) -> None:
        with NginxCache(self.store) as cache:
            self.build(cache)
        with Bazel(self.workspace) as bazel:
            result = bazel.build("//...", f"--disk_cache={self.store}")
        self.assertEqual(result.processes, {"internal": 1, "disk cache hit": ACTIONS})

    def test_store_outlives_the_server(self) -> None:
        with NginxCache(self.store) as cache:
            self.build(cache)
        with NginxCache(self.store) as cache:
            self.assertEqual(self.build(cache).processes, {"internal": 1, "remote cache hit": ACTIONS})


if __name__ == "__main__":
    test_main.main()
