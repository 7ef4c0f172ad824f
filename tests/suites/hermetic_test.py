"""The compile tool sees the files it is given and nothing else of the machine."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tests.suites.ingot_command import FIRMWARE, KERNEL, from_runfiles

# What the C library itself looks at when a static program starts.
STARTUP = {"/proc/self/exe", "/dev/null"}


class HermeticTest(unittest.TestCase):
    def setUp(self) -> None:
        self.tool = from_runfiles("INGOT_COMPILE")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def compile(self, folder: pathlib.Path, environment: dict[str, str], prefix: tuple[str, ...] = ()) -> dict[str, bytes]:
        """Compiles a kernel and a firmware source in `folder` and returns the outputs."""
        outputs = {}
        for name, text, target in (("k.ll", KERNEL, "nvptx64"), ("f.ll", FIRMWARE, "avr")):
            (folder / name).write_text(text)
            subprocess.run(
                [*prefix, self.tool, f"--target={target}", "-o", "out", name],
                cwd=folder,
                env=environment,
                check=True,
            )
            outputs[name] = (folder / "out").read_bytes()
        return outputs

    def test_opens_its_input_and_output_only(self) -> None:
        strace = shutil.which("strace")
        if strace is None:
            self.skipTest("strace is not installed; ./tools/dev test brings it")
        trace = self.folder / "trace"
        probe = subprocess.run([strace, "-o", os.devnull, "true"], capture_output=True, check=False)
        if probe.returncode != 0:
            self.skipTest(f"this machine does not let strace trace: {probe.stderr.decode()}")
        work = self.folder / "work"
        work.mkdir()
        self.compile(work, {}, (strace, "-f", "-A", "-e", "trace=%file,%network", "-o", str(trace)))
        calls = [line for line in trace.read_text().splitlines() if "execve(" not in line and "+++" not in line]
        self.assertTrue(any('"k.ll"' in call for call in calls), calls)
        for call in calls:
            self.assertNotRegex(call, r"socket\(|connect\(|sendto\(", call)
            if '"/proc/self/exe"' in call:
                continue  # the answer, another quoted path, is where the tool itself is
            for path in re.findall(r'"((?:[^"\\]|\\.)*)"', call):
                known = path in STARTUP or path in ("k.ll", "f.ll") or path.startswith(("out", ".ingot-")) or path in (".", "")
                self.assertTrue(known, f"{path} in {call}")

    def test_same_bytes_whatever_surrounds_it(self) -> None:
        plain = self.folder / "plain"
        deep = self.folder / "a much" / "deeper" / "place"
        plain.mkdir()
        deep.mkdir(parents=True)
        # Files that a compiler might take for its own.
        for decoy in ("libdevice.10.bc", "ingot.cfg", ".ingotrc", "include"):
            (deep / decoy).write_text("decoy")
        loud = {
            "PATH": str(deep),
            "HOME": str(deep),
            "LANG": "tr_TR.UTF-8",
            "LC_ALL": "de_DE.UTF-8",
            "TZ": "Asia/Kathmandu",
            "CUDA_HOME": str(deep),
            "CPATH": str(deep),
            "TMPDIR": str(deep),
            "SOURCE_DATE_EPOCH": "1",
            "LLVM_SYMBOLIZER_PATH": str(deep),
        }
        first = self.compile(plain, {})
        self.assertEqual(self.compile(plain, {}), first)
        self.assertEqual(self.compile(deep, loud), first)


if __name__ == "__main__":
    unittest.main()
