"""BuildGrid and its workers execute Bazel's actions."""

import tempfile
import unittest
from pathlib import Path

from tests.servers import genrule_workspace, test_main
from tests.servers.bazel import Bazel
from tests.servers.buildgrid import PLATFORM_FLAGS, BuildGrid
from tests.servers.genrule_workspace import ACTIONS

# Ends only when another action has started too. As a worker runs one action at a time, the first ones cannot end
# before two workers are at work.
_MEET_ANOTHER = """\
touch {meeting}/{{index}}
while [ $$(ls {meeting} | wc -l) -lt 2 ]; do sleep 0.05; done
echo {{index}} > $@
"""


class BuildGridTest(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.workspace = self.scratch / "workspace"

    def test_remote_results_equal_local_ones_and_are_kept(self) -> None:
        genrule_workspace.write(self.workspace)
        with Bazel(self.workspace) as bazel:
            result = bazel.build("//...")
            self.assertNotIn("remote", result.processes)
            local = bazel.outputs_of(result.spawns)
        self.assertEqual(len(local), ACTIONS)

        with BuildGrid(workers=2) as grid:
            with Bazel(self.workspace, PLATFORM_FLAGS) as bazel:
                result = bazel.build("//...", f"--remote_executor={grid.endpoint}")
                self.assertEqual(result.processes, {"internal": 1, "remote": ACTIONS})
                self.assertEqual(bazel.outputs_of(result.spawns), local)
            with Bazel(self.workspace, PLATFORM_FLAGS) as bazel:
                result = bazel.build("//...", f"--remote_executor={grid.endpoint}")
                self.assertEqual(result.processes, {"internal": 1, "remote cache hit": ACTIONS})
            self.assertEqual(sum(grid.jobs_by_worker()), ACTIONS)

    def test_workers_work_at_the_same_time(self) -> None:
        meeting = self.scratch / "meeting"
        meeting.mkdir()
        genrule_workspace.write(self.workspace, _MEET_ANOTHER.format(meeting=meeting))
        with BuildGrid(workers=2) as grid, Bazel(self.workspace, PLATFORM_FLAGS) as bazel:
            result = bazel.build("//...", f"--jobs={ACTIONS}", f"--remote_executor={grid.endpoint}")
            self.assertEqual(result.processes, {"internal": 1, "remote": ACTIONS})
            self.assertTrue(all(grid.jobs_by_worker()), grid.jobs_by_worker())


if __name__ == "__main__":
    test_main.main()
