"""Each example is a Bazel module of its own that builds as a newcomer's copy would, with Ingot as a dependency."""

import os
import tempfile
import unittest
from pathlib import Path

from tests.servers import source_tree, test_main
from tests.servers.bazel import Bazel

_MNEMONIC = "DeviceCompile"


class ExamplesModuleTest(unittest.TestCase):
    def test_every_example_builds_by_itself(self) -> None:
        scratch = Path(self.enterContext(tempfile.TemporaryDirectory()))
        kept = os.environ.get("INGOT_E2E_DISK_CACHE")
        store = Path(kept) if kept else scratch / "store"
        checkout = source_tree.copy_to(scratch / "ingot")
        examples = sorted(module.parent for module in (checkout / "examples").glob("*/MODULE.bazel"))
        self.assertTrue(examples)
        for example in examples:
            with self.subTest(example=example.name), Bazel(example, [f"--disk_cache={store}"]) as bazel:
                compilations = bazel.build("//...").with_mnemonic(_MNEMONIC)
                self.assertTrue(compilations)
                for path, contents in bazel.outputs_of(compilations).items():
                    self.assertTrue(contents.startswith((b"//", b"\x7fELF")), path)
                if example.name == "blink":
                    self._check_that_a_header_must_be_declared(example, bazel)

    def _check_that_a_header_must_be_declared(self, example: Path, bazel: Bazel) -> None:
        build_file = example / "BUILD.bazel"
        build_file.write_text(build_file.read_text().replace('        hdrs = ["board.h"],\n', ""))
        result = bazel.build("//:firmware_attiny85", check=False)
        self.assertNotEqual(result.exit_code, 0)
        self.assertIn("'board.h' file not found", result.stderr)


if __name__ == "__main__":
    test_main.main()
