"""What all fixtures share: a temporary directory, processes, and an orderly end."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from signal import SIGTERM, Signals
from types import TracebackType
from typing import Self, TypeVar

from tests.servers import deadline, ports
from tests.servers.process import ServerProcess

T = TypeVar("T")
AnyServer = TypeVar("AnyServer", bound="Server")

_LOG_TAIL_LINES = 60


class ServerFailed(Exception):
    """A server ended when it should run, or one of its set-up steps failed."""


class Server:
    """Base of the fixtures: a context manager that starts in `_start` and stops everything in reverse order.

    When the block (or the start) fails, the ends of all logs go to standard error, and whole logs to the folder in
    which Bazel keeps the extra outputs of a test.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._processes: list[ServerProcess] = []
        self._logs: list[Path] = []
        self._cleanup = contextlib.ExitStack()
        self._directory: Path | None = None

    def _start(self) -> None:
        """Starts the server and returns when it answers."""
        raise NotImplementedError

    @property
    def directory(self) -> Path:
        """The temporary directory; it exists inside the `with` block only."""
        assert self._directory is not None, f"{self._name} is not started"
        return self._directory

    def __enter__(self) -> Self:
        # Directly below the system's folder for temporary files, because paths of Unix sockets must be short and
        # because other users (postgres) must be able to get there.
        self._directory = Path(tempfile.mkdtemp(prefix=f"ingot-{self._name}-"))
        self._directory.chmod(0o755)
        self._cleanup.callback(shutil.rmtree, self._directory, ignore_errors=True)
        try:
            self._start()
        except BaseException:
            self._close(failed=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._close(failed=kind is not None)

    def stop(self) -> None:
        """Stops the server before the end of the `with` block, which then has nothing left to do."""
        self._close(failed=False)

    def _close(self, failed: bool) -> None:
        with self._cleanup:
            if failed:
                self._show_logs()

    def _enter(self, server: AnyServer) -> AnyServer:
        """Starts another fixture that this one needs and stops it after this one."""
        self._cleanup.enter_context(server)
        return server

    def _log_file(self, name: str) -> Path:
        """A log in the temporary directory, shown on failure."""
        log = self.directory / f"{name}.log"
        if log not in self._logs:
            self._logs.append(log)
        return log

    def _spawn(
        self,
        name: str,
        argv: Sequence[str],
        *,
        home: Path | None = None,
        user: str | None = None,
        stop_signal: Signals = SIGTERM,
    ) -> ServerProcess:
        """Starts a process that must run until it is stopped."""
        process = ServerProcess(
            name,
            argv,
            log=self._log_file(name),
            home=home or self.directory,
            user=user,
            stop_signal=stop_signal,
        )
        self._processes.append(process)
        self._cleanup.callback(process.stop)
        return process

    def _run_step(self, name: str, argv: Sequence[str], *, user: str | None = None) -> None:
        """Runs a set-up program to its end."""
        with self._log_file(name).open("ab") as output:
            code = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.directory,
                user=user,
                group=user,
                extra_groups=[] if user else None,
                check=False,
            ).returncode
        if code != 0:
            raise ServerFailed(f"{self._name}: {name} ended with exit code {code}")

    def _wait_until(self, what: str, condition: Callable[[], T], seconds: float = 60) -> T:
        """Waits for a condition and fails early when one of the processes has ended."""

        def ask() -> T:
            for process in self._processes:
                if process.exit_code is not None:
                    raise ServerFailed(f"{self._name}: {process.name} ended with exit code {process.exit_code}")
            return condition()

        return deadline.wait_until(f"{self._name}: {what}", ask, seconds)

    def _wait_for_port(self, port: int) -> None:
        self._wait_until(f"port {port} answers", lambda: ports.accepts_connections(port))

    def _show_logs(self) -> None:
        kept = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR")
        for log in filter(Path.exists, self._logs):
            lines = log.read_text(errors="replace").splitlines()
            print(f"--- {log.name} of {self._name}, the last of {len(lines)} lines", file=sys.stderr)
            print("\n".join(lines[-_LOG_TAIL_LINES:]), file=sys.stderr, flush=True)
            if kept:
                shutil.copyfile(log, Path(kept) / f"{self.directory.name}-{log.name}")
