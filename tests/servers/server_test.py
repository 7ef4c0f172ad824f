"""Fixtures end what they started, however the test ends, and show their logs when it fails."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.servers import deadline, test_main
from tests.servers.nginx import NginxCache
from tests.servers.server import Server, ServerFailed

# Starts two processes that ignore the polite signal, the second in a session of its own.
_STUBBORN = "trap '' TERM; setsid sh -c 'echo child $$; sleep 1000' & echo leader $$; wait; sleep 1000"


class StubbornServer(Server):
    """Does nothing and does not want to end."""

    def __init__(self) -> None:
        super().__init__("stubborn")

    def _start(self) -> None:
        self.process = self._spawn("stubborn", ["sh", "-c", _STUBBORN])
        log = self.directory / "stubborn.log"
        self._wait_until("both have started", lambda: len(log.read_text().splitlines()) == 2)
        self.pids = [int(line.split()[1]) for line in log.read_text().splitlines()]


class DyingServer(Server):
    """Ends with a message at once."""

    def __init__(self) -> None:
        super().__init__("dying")

    def _start(self) -> None:
        self._spawn("dying", ["sh", "-c", "echo cannot go on; exit 7"])
        self._wait_until("the impossible happens", lambda: False)


def runs(pid: int) -> bool:
    """Whether a process is there and not just waiting for its parent to notice its end."""
    with contextlib.suppress(OSError):
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


class ServerTest(unittest.TestCase):
    def test_kill_ends_the_whole_family(self) -> None:
        with StubbornServer() as server:
            self.assertTrue(all(map(runs, server.pids)))
            server.process.kill()
            deadline.wait_until("both are gone", lambda: not any(map(runs, server.pids)))

    def test_early_end_is_reported_with_the_log(self) -> None:
        errors = io.StringIO()
        kept = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.dict(os.environ, TEST_UNDECLARED_OUTPUTS_DIR=kept))
        with contextlib.redirect_stderr(errors), self.assertRaisesRegex(ServerFailed, "exit code 7"):
            DyingServer().__enter__()
        self.assertIn("cannot go on", errors.getvalue())

    def test_failure_of_the_test_stops_the_server_and_shows_the_log(self) -> None:
        errors = io.StringIO()
        cache = NginxCache()
        kept = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.dict(os.environ, TEST_UNDECLARED_OUTPUTS_DIR=str(kept)))
        with contextlib.redirect_stderr(errors), self.assertRaises(ZeroDivisionError), cache:
            pid = int((cache.directory / "nginx.pid").read_text())
            directory = cache.directory
            raise ZeroDivisionError
        self.assertFalse(runs(pid))
        self.assertFalse(directory.exists())
        self.assertIn("access.log", errors.getvalue())
        self.assertTrue(list(kept.glob("*access.log")))

    def test_success_shows_nothing(self) -> None:
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), NginxCache():
            pass
        self.assertEqual(errors.getvalue(), "")

    def test_killed_test_leaves_no_server_behind(self) -> None:
        script = (
            "from tests.servers.nginx import NginxCache\n"
            "with NginxCache() as cache:\n"
            "    print((cache.directory / 'nginx.pid').read_text().strip(), cache.directory, flush=True)\n"
            "    input()\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        ) as test:
            assert test.stdout is not None
            pid, directory = test.stdout.readline().split()
            self.assertTrue(runs(int(pid)))
            test.send_signal(signal.SIGKILL)
            deadline.wait_until("nginx is gone", lambda: not runs(int(pid)))
        # Nobody was left to do that.
        subprocess.run(["rm", "-r", directory], check=True)


if __name__ == "__main__":
    test_main.main()
