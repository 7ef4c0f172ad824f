"""One server process and everything that it starts."""

import contextlib
import ctypes
import functools
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.servers.programs import SEARCH_PATH

_PR_SET_PDEATHSIG = 1
_STOP_SECONDS = 20


class ServerProcess:
    """A program started in a session of its own, so that its descendants can be found and ended with it.

    The kernel sends it the stop signal when the test itself dies, so that not even a killed test leaves it behind.
    """

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        home: Path,
        user: str | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
    ) -> None:
        self.name = name
        self.log = log
        self._stop_signal = stop_signal
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=home,
                env={"PATH": SEARCH_PATH, "HOME": str(home), "LANG": "C.UTF-8", "TMPDIR": str(home)},
                user=user,
                group=user,
                extra_groups=[] if user else None,
                start_new_session=True,
                preexec_fn=_die_with_parent(stop_signal),
            )

    @property
    def exit_code(self) -> int | None:
        """The exit code, or None while the process runs."""
        return self._process.poll()

    def stop(self) -> None:
        """Asks the process to end, waits, and kills what is left of its family."""
        if self.exit_code is None:
            self._process.send_signal(self._stop_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_STOP_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kills the process and every descendant at once, with no chance to say goodbye."""
        for pid in _family(self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()


def _die_with_parent(stop_signal: signal.Signals) -> Callable[[], None]:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return functools.partial(prctl, _PR_SET_PDEATHSIG, int(stop_signal))


def _family(leader: int) -> set[int]:
    """The living members of the leader's session and all their descendants.

    A process group would not do, because workers put each job into a group of its own; nor would the session alone,
    because PostgreSQL puts each of its processes into a session of its own.
    """
    parents: dict[int, int] = {}
    family = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                # pid (name) state ppid pgrp session ...; the name may hold spaces and brackets.
                state, parent, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
                if state != "Z":
                    parents[int(entry.name)] = int(parent)
                    if int(session) == leader:
                        family.add(int(entry.name))
    while children := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= children
    return family
