"""Runs `ingot` under strace: to learn which system calls it makes, and to make one of them go wrong.

    calls = trace(ingot, "compile", "k.ll", ...)
    run = inject(ingot, calls[17], "signal=SIGKILL", "compile", "k.ll", ...)
    run = inject(ingot, calls[18], "error=ENOSPC", "compile", "k.ll", ...)

Only the driver's own calls are seen, not those of the compile tool that it starts.
"""

import collections
import dataclasses
import re
import shutil

from tests.suites.ingot_command import Ingot, Run

STRACE = shutil.which("strace")

# A call and, with -y, the paths of its file descriptors: 'fsync(4</store/tmp/x>) = 0'.
_CALL = re.compile(r"^(\w+)\((.*)$")


@dataclasses.dataclass(frozen=True)
class Call:
    """One system call of a run: its name, which of that name it is (from 1), and its text."""

    name: str
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.name} number {self.number}: {self.text[:120]}"


def trace(ingot: Ingot, *arguments: str) -> list[Call]:
    """The system calls of a run, which must succeed."""
    log = ingot.root / "strace.log"
    run = ingot.run(*arguments, prefix=(STRACE, "-y", "-o", str(log)))
    if run.exit_code != 0:
        raise AssertionError(f"strace {arguments}: exit code {run.exit_code}\n{run.err}")
    calls, seen = [], collections.Counter()
    for line in log.read_text(errors="replace").splitlines():
        match = _CALL.match(line)
        if match and match[1] not in ("execve", "exit_group"):
            seen[match[1]] += 1
            calls.append(Call(match[1], seen[match[1]], match[2]))
    return calls


def inject(ingot: Ingot, call: Call, what: str, *arguments: str, options: tuple[str, ...] = ()) -> Run:
    """Runs `ingot` with `what` happening at `call`, as strace's --inject has it ("signal=…", "error=…", "delay_exit=…")."""
    return ingot.run(*arguments, prefix=(STRACE, "-qq", *options, "-o", "/dev/null", "-e", f"inject={call.name}:{what}:when={call.number}"))
