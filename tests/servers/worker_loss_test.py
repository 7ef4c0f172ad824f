"""A build survives the sudden death of a remote worker.

Slow by nature: the scheduler gives the lost job to another worker only after the dead one has been silent for the
keep-alive time of a bot session.
"""

import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.servers import genrule_workspace, test_main
from tests.servers.bazel import Bazel
from tests.servers.buildgrid import PLATFORM_FLAGS, BuildGrid
from tests.servers.genrule_workspace import ACTIONS

_WAIT_FOR_GATE = """\
while [ ! -e {gate} ]; do sleep 0.05; done
echo {{index}} > $@
"""


class WorkerLossTest(unittest.TestCase):
    def test_job_of_a_killed_worker_is_done_by_the_other(self) -> None:
        scratch = Path(self.enterContext(tempfile.TemporaryDirectory()))
        workspace = scratch / "workspace"
        gate = scratch / "gate"
        genrule_workspace.write(workspace, _WAIT_FOR_GATE.format(gate=gate))
        with BuildGrid(workers=2) as grid, Bazel(workspace, PLATFORM_FLAGS) as bazel, ThreadPoolExecutor(1) as thread:
            flags = (f"--jobs={ACTIONS}", f"--remote_executor={grid.endpoint}")
            build = thread.submit(bazel.build, "//...", *flags)
            try:
                grid.wait_until_busy(0)
                grid.wait_until_busy(1)
                grid.kill_worker(0)
            finally:
                # No action can end before; without this the build would wait for ever.
                gate.touch()
            result = build.result()
            self.assertEqual(result.processes, {"internal": 1, "remote": ACTIONS})
            outputs = bazel.outputs_of(result.spawns)
            self.assertEqual(sorted(outputs.values()), sorted(f"{index}\n".encode() for index in range(ACTIONS)))
            self.assertEqual(grid.jobs_by_worker(), [0, ACTIONS])


if __name__ == "__main__":
    test_main.main()
