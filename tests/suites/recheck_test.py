"""`ingot cache recheck`, with a compile tool that gives the same bytes each time and with one that does not."""

import hashlib
import pathlib
import unittest

from tests.servers.faulty_http import FaultyHttpCache
from tests.suites.questions import ARGUMENTS, MOODY_TOOL, OPTIONS, QuestionsCase


class RecheckTest(QuestionsCase):
    def moody(self) -> str:
        """The --toolchain of a compile tool that is not deterministic."""
        folder = self.ingot.root / "moody"
        folder.mkdir()
        tool = folder / "ingot-compile"
        tool.write_text(MOODY_TOOL.format(tool=pathlib.Path(self.ingot.toolchain) / "ingot-compile"))
        tool.chmod(0o755)
        return f"--toolchain={folder}"

    def test_the_same_bytes(self) -> None:
        (fresh,) = self.ask("recheck", *ARGUMENTS)["results"]
        self.assertEqual((fresh["same"], fresh["stored"], len(fresh["runs"])), (True, False, 2))
        self.assertEqual(list((self.ingot.state / "work").iterdir()), [])
        self.compile(*ARGUMENTS)
        output = self.ingot.read("k.ptx")
        (stored,) = self.ask("recheck", *ARGUMENTS)["results"]
        self.assertEqual((stored["same"], stored["stored"], len(stored["runs"])), (True, True, 2))
        for run in (*fresh["runs"], *stored["runs"]):
            self.assertEqual(run["output"], f"{hashlib.sha256(output).hexdigest()}/{len(output)}")
        self.assertEqual(len(self.ask("recheck", *ARGUMENTS, "--runs=3")["results"][0]["runs"]), 4)
        self.assertEqual(self.ingot.counters()["conflict"], 0)
        self.assertIn("the same bytes", self.ingot.run("cache", "recheck", *ARGUMENTS).out.decode())

    def test_other_bytes_without_a_stored_result(self) -> None:
        (result,) = self.ask("recheck", *ARGUMENTS, self.moody(), exit_code=1)["results"]
        self.assertFalse(result["same"])
        self.assertEqual(len({run["output"] for run in result["runs"]}), 2)
        clean = self.ingot.run("compile", "k.ll", *OPTIONS, "-o", "-", "--disk_cache=").out
        self.assertIn("from offset ", result["differences"][0])
        offset = int(result["differences"][0].split("from offset ")[1].split(" ")[0])
        # The line that is added starts with "// ", and two of them can have a few digits in common.
        self.assertIn(offset, range(len(clean) + 3, len(clean) + 12))
        self.assertEqual(self.ingot.counters()["conflict"], 0)
        self.assertFalse(self.ingot.store.exists())

    def test_other_bytes_than_the_stored_ones(self) -> None:
        toolchain = self.moody()
        self.compile(*ARGUMENTS, toolchain)
        stored = {p: p.read_bytes() for p in self.ingot.stored_files()}
        run = self.ingot.run("cache", "recheck", *ARGUMENTS, toolchain)
        self.assertEqual(run.exit_code, 1, run.err)
        self.assertIn("NOT the same bytes", run.out.decode())
        self.assertIn("the result stored in", run.out.decode())
        self.assertEqual({p: p.read_bytes() for p in self.ingot.stored_files()}, stored)
        self.assertEqual(self.ingot.counters()["conflict"], 1)

    def test_against_what_a_remote_has(self) -> None:
        toolchain = self.moody()
        with FaultyHttpCache() as cache:
            remote = f"--remote_cache={cache.url}"
            self.compile(*ARGUMENTS, remote)
            self.compile(*ARGUMENTS, toolchain, remote)
            self.forget()
            (result,) = self.ask("recheck", *ARGUMENTS, remote)["results"]
            self.assertEqual((result["same"], result["stored"], result["found_in"], len(result["runs"])), (True, True, "remote", 2))
            self.assertNotIn("remote_error", result)
            run = self.ingot.run("cache", "recheck", *ARGUMENTS, toolchain, remote)
            self.assertEqual(run.exit_code, 1, run.err)
            self.assertIn(f"the result stored in the remote cache {cache.url}", run.out.decode())
            self.assertFalse(self.ingot.store.exists())

    def test_a_remote_that_cannot_answer(self) -> None:
        with FaultyHttpCache() as cache:
            cache.fail("GET", 503)
            remote = f"--remote_cache={cache.url}"
            (result,) = self.ask("recheck", *ARGUMENTS, remote)["results"]
            self.assertEqual((result["same"], result["stored"], len(result["runs"])), (True, False, 2))
            self.assertIn("503", result["remote_error"])
            run = self.ingot.run("cache", "recheck", *ARGUMENTS, remote)
            self.assertEqual(run.exit_code, 0)
            self.assertIn(f"warning: remote error: {cache.url}", run.err)
            self.ask("recheck", *ARGUMENTS, "--remote_cache=ftp://cache", exit_code=2)

    def test_what_cannot_be_compiled(self) -> None:
        self.ingot.write("bad.ll", "nonsense")
        run = self.ingot.run("cache", "recheck", "bad.ll", *OPTIONS)
        self.assertEqual(run.exit_code, 1)
        self.assertIn("bad.ll:1:", run.err)
        self.ask("recheck", "gone.ll", *OPTIONS, exit_code=1)
        self.ask("recheck", "k.ll", exit_code=2)
        self.assertEqual(self.ingot.run("cache", "recheck", *ARGUMENTS, "--runs=0").exit_code, 2)

    def test_without_a_store(self) -> None:
        (result,) = self.ask("recheck", *ARGUMENTS, "--disk_cache=")["results"]
        self.assertTrue(result["same"])


if __name__ == "__main__":
    unittest.main()
