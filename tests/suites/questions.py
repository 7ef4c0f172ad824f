"""What the suites of `ingot cache show`, `explain`, `disown` and `recheck` have in common: to ask, and to look behind."""

import hashlib
import json
import pathlib
import shutil
import unittest

from tests.suites.ingot_command import FIRMWARE, KERNEL, Ingot, Run

OPTIONS = ("--target=nvptx64", "--cpu=sm_80")
ARGUMENTS = ("k.ll", *OPTIONS, "-o", "k.ptx")

# Compiles, and adds a line to the output that no other run adds.
MOODY_TOOL = """\
#!/bin/sh
{tool} "$@" || exit $?
while [ "$1" != "-o" ]; do shift; done
read -r line < /proc/sys/kernel/random/uuid
echo "// $line" >> "$2"
"""


def field(number: int, payload: bytes) -> bytes:
    """A field of a protobuf message: bytes, a text or a message, of less than 128 bytes."""
    return bytes([number << 3 | 2, len(payload)]) + payload


def varint(number: int, value: int) -> bytes:
    """A field of a protobuf message: a number."""
    out = bytes([number << 3])
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def foreign_entry(path: str, contents: bytes) -> bytes:
    """An ActionResult as another program stores it, with one output."""
    digest = field(1, hashlib.sha256(contents).hexdigest().encode()) + varint(2, len(contents))
    output = field(1, path.encode()) + field(2, digest)
    return field(2, output) + field(9, field(1, b"build-host-7"))


class QuestionsCase(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("k.ll", KERNEL)
        self.ingot.write("f.ll", FIRMWARE)

    # Helpers.

    def compile(self, *arguments: str, **options) -> dict:
        """Compiles one input, which must succeed, and returns its result."""
        run = self.ingot.compile(*arguments, **options)
        self.assertEqual(run.exit_code, 0, run.err)
        (result,) = run.results
        return result

    def snapshot(self) -> dict:
        """Everything that asking could change."""
        files = [p for folder in (self.ingot.store, self.ingot.state, self.ingot.work) for p in folder.rglob("*")]
        # The digests of toolchains are remembered by whoever computes one.
        return {str(p): (p.stat().st_mtime_ns, p.read_bytes()) for p in files if p.is_file() and p.name != "file_digests"}

    def ask(self, command: str, *arguments: str, exit_code: int = 0, **options) -> dict:
        """Runs `ingot cache COMMAND --json`, which must change nothing."""
        before = self.snapshot()
        run = self.ingot.run("cache", command, "--json", *arguments, **options)
        self.assertEqual(run.exit_code, exit_code, run.out.decode() + run.err)
        self.assertEqual(self.snapshot(), before)
        return json.loads(run.out)

    def explain(self, *arguments: str, **options) -> dict:
        (result,) = self.ask("explain", *arguments, **options)["results"]
        return result

    def first_difference(self, *arguments: str, **options) -> dict:
        """Why `arguments` were never stored."""
        result = self.explain(*arguments, **options)
        self.assertEqual(result["state"], "never stored")
        return result["nearest"]["differences"][0]

    def entry(self, key: str) -> pathlib.Path:
        return self.ingot.store / "ac" / key[:2] / key.split("/")[0]

    def blob(self, contents: bytes) -> pathlib.Path:
        name = hashlib.sha256(contents).hexdigest()
        return self.ingot.store / "cas" / name[:2] / name

    def forget(self) -> None:
        """Makes this a machine that knows nothing of what it compiled."""
        for folder in (self.ingot.store, self.ingot.state):
            shutil.rmtree(folder, ignore_errors=True)

    def history(self) -> pathlib.Path:
        (path,) = self.ingot.state.glob("store-*/history")
        return path

    def disown(self, *arguments: str) -> Run:
        stored = self.ingot.stored_files()
        run = self.ingot.run("cache", "disown", *arguments)
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertEqual(self.ingot.stored_files(), stored)
        return run
