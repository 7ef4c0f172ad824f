"""A nested Bazel whose state belongs to one test."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.servers import execution_log, programs, source_tree
from tests.servers.execution_log import Spawn

# The modules which a distribution's own bazelrc overrides with folders; the empty value takes the override back, so
# that the registry alone decides.
_OVERRIDDEN_MODULES = (
    "bazel_features",
    "bazel_skylib",
    "platforms",
    "rules_cc",
    "rules_java",
    "rules_license",
    "rules_proto",
    "rules_python",
)

_SUMMARY = re.compile(r"^INFO: \d+ process(?:es)?: (.*)\.$", re.MULTILINE)


class BazelFailed(Exception):
    """A command failed that had to succeed."""


@dataclass(frozen=True)
class BazelResult:
    """What one command did."""

    exit_code: int
    stdout: str
    stderr: str
    # The counts of the summary line: {"internal": 1, "remote cache hit": 10}; empty when nothing was to be done.
    processes: dict[str, int]
    # What was executed or taken from a cache, action by action; only a build has it.
    spawns: list[Spawn]

    def with_mnemonic(self, mnemonic: str) -> list[Spawn]:
        """The spawns of one kind of action."""
        return [spawn for spawn in self.spawns if spawn.mnemonic == mnemonic]


class Bazel:
    """Runs commands in one workspace with an output base of its own, and leaves neither server nor files behind."""

    def __init__(self, workspace: Path, flags: Sequence[str] = ()) -> None:
        """`flags` go to every command, after those that keep the machine's state out."""
        self.workspace = workspace
        self._flags = [
            f"--registry={source_tree.registry().as_uri()}",
            *(f"--override_module={module}=" for module in _OVERRIDDEN_MODULES),
            "--noenable_workspace",
            "--lockfile_mode=off",
            "--nosandbox_debug",
            "--noshow_progress",
            "--color=no",
            "--curses=no",
            *flags,
        ]
        self._directory: Path | None = None

    def __enter__(self) -> Self:
        self._directory = Path(tempfile.mkdtemp(prefix="ingot-bazel-"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._directory is not None
        try:
            self._stop_server()
        finally:
            _remove_tree(self._directory)
            self._directory = None

    def build(self, *arguments: str, check: bool = True) -> BazelResult:
        """Builds targets; flags may stand among them. With `check`, a failed build is an exception with its output."""
        log = self._state() / "execution_log.json"
        log.unlink(missing_ok=True)
        process = self._run("build", f"--execution_log_json_file={log}", *arguments)
        result = BazelResult(
            exit_code=process.returncode,
            stdout=process.stdout,
            stderr=process.stderr,
            processes=parse_summary(process.stderr),
            spawns=execution_log.read(log) if log.exists() else [],
        )
        if check and result.exit_code != 0:
            raise BazelFailed(f"bazel build {' '.join(arguments)}: exit code {result.exit_code}\n{result.stderr}")
        return result

    def outputs_of(self, spawns: Sequence[Spawn]) -> dict[str, bytes]:
        """The bytes of all outputs of these spawns as they lie on disk now."""
        root = self._execution_root()
        return {path: (root / path).read_bytes() for spawn in spawns for path in spawn.outputs}

    def _state(self) -> Path:
        assert self._directory is not None, "used outside its `with` block"
        return self._directory

    def _execution_root(self) -> Path:
        process = self._run("info", "execution_root")
        if process.returncode != 0:
            raise BazelFailed(f"bazel info: exit code {process.returncode}\n{process.stderr}")
        return Path(process.stdout.strip())

    def _run(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._startup(), command, *self._flags, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=self.workspace,
            env=self._environment(),
            check=False,
        )

    def _environment(self) -> dict[str, str]:
        return {"PATH": programs.SEARCH_PATH, "HOME": str(self._state()), "LANG": "C.UTF-8"}

    def _startup(self) -> list[str]:
        return [
            programs.find("bazel"),
            "--nohome_rc",
            f"--output_user_root={self._state() / 'user'}",
            f"--output_base={self._output_base()}",
            # Should the test be killed, the server ends by itself.
            "--max_idle_secs=60",
        ]

    def _output_base(self) -> Path:
        return self._state() / "base"

    def _stop_server(self) -> None:
        pid_file = self._output_base() / "server" / "server.pid.txt"
        if not pid_file.exists():
            return
        pid = int(pid_file.read_text())
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            stopped = subprocess.run(
                [*self._startup(), "shutdown"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd=self.workspace,
                env=self._environment(),
                timeout=60,
                check=False,
            )
            if stopped.returncode == 0:
                return
        print(f"bazel shutdown failed, killing server {pid}", file=sys.stderr)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def parse_summary(stderr: str) -> dict[str, int]:
    """The counts of the last "INFO: 12 processes: 1 internal, 11 remote cache hit." line."""
    lines = _SUMMARY.findall(stderr)
    if not lines:
        return {}
    return {name: int(count) for count, name in (entry.split(" ", 1) for entry in lines[-1].split(", "))}


def _remove_tree(top: Path) -> None:
    """Removes a tree in which Bazel has made folders read-only."""
    for folder, _, _ in os.walk(top):
        os.chmod(folder, 0o755)
    shutil.rmtree(top)
