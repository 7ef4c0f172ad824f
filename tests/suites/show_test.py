"""`ingot cache show`, on entries of our own, of others and on damaged ones."""

import hashlib
import pathlib
import unittest

from tests.servers.faulty_http import FaultyHttpCache
from tests.suites.ingot_command import KERNEL
from tests.suites.questions import ARGUMENTS, QuestionsCase, foreign_entry


class ShowTest(QuestionsCase):
    def test_an_entry_of_our_own(self) -> None:
        result = self.compile(*ARGUMENTS)
        shown = self.ask("show", result["key"][:10])
        self.assertEqual(shown["key"], result["key"])
        self.assertEqual(shown["arguments"][0], "toolchain/ingot-compile")
        self.assertIn("--cpu=sm_80", shown["arguments"])
        inputs = {i["path"]: i for i in shown["inputs"]}
        self.assertEqual(inputs["src/k.ll"]["digest"], f"{hashlib.sha256(KERNEL.encode()).hexdigest()}/{len(KERNEL)}")
        self.assertTrue(inputs["toolchain/ingot-compile"]["executable"])
        tool = pathlib.Path(self.ingot.toolchain) / "ingot-compile"
        self.assertEqual(inputs["toolchain/ingot-compile"]["size"], tool.stat().st_size)
        (output,) = shown["outputs"]
        contents = self.ingot.read("k.ptx")
        self.assertEqual(output["digest"], f"{hashlib.sha256(contents).hexdigest()}/{len(contents)}")
        self.assertEqual((output["path"], output["state"]), ("out/k.ptx", "present"))
        self.assertEqual((shown["made_by"], shown["exit_code"], shown["salt"], shown["problems"]), ("ingot", 0, "ingot.1", []))
        self.assertEqual(shown["first_stored_for"], str(self.ingot.work / "k.ll"))
        for name in ("made", "last_used", "first_stored", "execution_ms", "stdout_size", "stderr_size", "worker"):
            self.assertIn(name, shown)
        text = self.ingot.run("cache", "show", result["key"]).out.decode()
        for part in (result["key"], "--cpu=sm_80", "src/k.ll", output["digest"], "present", "salt", "OSFamily=linux"):
            self.assertIn(part, text)

    def test_blobs_that_are_gone_or_damaged(self) -> None:
        key = self.compile(*ARGUMENTS)["key"]
        blob = self.blob(self.ingot.read("k.ptx"))
        blob.write_bytes(b"damaged")
        self.assertIn("damaged", self.ask("show", key)["outputs"][0]["state"])
        blob.unlink()
        self.assertEqual(self.ask("show", key)["outputs"][0]["state"], "missing")

    def test_a_foreign_entry(self) -> None:
        # Bazel stores Action and Command beside a result, or, as here, nobody does.
        self.compile(*ARGUMENTS)
        contents = b"made elsewhere"
        key = hashlib.sha256(b"an action of Bazel's").hexdigest()
        self.entry(key).parent.mkdir(parents=True, exist_ok=True)
        self.entry(key).write_bytes(foreign_entry("bazel-out/x.o", contents))
        shown = self.ask("show", key[:9])
        self.assertEqual((shown["made_by"], shown["worker"]), ("another program", "build-host-7"))
        self.assertEqual(shown["outputs"][0]["path"], "bazel-out/x.o")
        self.assertEqual(shown["outputs"][0]["state"], "missing")
        self.assertTrue(shown["problems"])
        self.assertEqual(self.explain(key)["state"], "evicted")
        self.blob(contents).parent.mkdir(parents=True, exist_ok=True)
        self.blob(contents).write_bytes(contents)
        self.assertEqual(self.explain(key)["state"], "stored")

    def test_no_such_key(self) -> None:
        self.compile(*ARGUMENTS)
        for key, code, word in (("0" * 64, 1, "no result"), ("00000000", 1, "starts with"), ("abc", 2, "abc"), ("0" * 64 + "/x", 2, "x")):
            run = self.ingot.run("cache", "show", key)
            self.assertEqual(run.exit_code, code, run.err)
            self.assertIn(word, run.err)
        self.assertEqual(self.ingot.run("cache", "show").exit_code, 2)

    def test_a_damaged_entry(self) -> None:
        key = self.compile(*ARGUMENTS)["key"]
        self.entry(key).write_bytes(b"damaged")
        shown = self.ask("show", key, exit_code=1)
        self.assertIn("src/k.ll", [i["path"] for i in shown["inputs"]])
        self.assertTrue(any(str(self.entry(key)) in problem for problem in shown["problems"]))


class RemoteTest(QuestionsCase):
    def setUp(self) -> None:
        super().setUp()
        self.cache = self.enterContext(FaultyHttpCache())
        self.remote = f"--remote_cache={self.cache.url}"
        self.key = self.compile(*ARGUMENTS, self.remote)["key"]

    def test_what_only_the_remote_has(self) -> None:
        here = self.ask("show", self.key, self.remote)
        self.assertEqual(here["found_in"], "local")
        self.forget()
        there = self.ask("show", self.key, self.remote)
        self.assertEqual((there["found_in"], there["entry"]), ("remote", f"{self.cache.url}/ac/{self.key.split('/')[0]}"))
        for name in ("arguments", "inputs", "outputs", "made", "made_by", "worker", "problems"):
            self.assertEqual(there[name], here[name], name)
        self.assertNotIn("last_used", there)
        text = self.ingot.run("cache", "show", self.key, self.remote).out.decode()
        self.assertIn("found in      remote", text)
        for path in list(self.cache.contents):
            if self.cache.contents[path] == self.ingot.read("k.ptx"):
                del self.cache.contents[path]
        self.assertEqual(self.ask("show", self.key, self.remote)["outputs"][0]["state"], "missing")

    def test_a_remote_that_cannot_answer(self) -> None:
        self.cache.fail("GET", 503)
        self.assertEqual(self.ask("show", self.key, self.remote)["found_in"], "local")
        self.entry(self.key).unlink()
        shown = self.ask("show", self.key, self.remote, exit_code=1)
        self.assertIn("503", shown["remote_error"])
        self.assertIn("src/k.ll", [i["path"] for i in shown["inputs"]])
        self.forget()
        shown = self.ask("show", self.key, self.remote, exit_code=1)
        self.assertIn(self.cache.url, shown["remote_error"])
        self.assertTrue(shown["error"].startswith("remote error: "))
        run = self.ingot.run("cache", "show", self.key, self.remote)
        self.assertEqual(run.exit_code, 1)
        self.assertIn("remote error: ", run.err)

    def test_the_remote_needs_the_size(self) -> None:
        self.forget()
        answer = self.ask("show", self.key.split("/")[0], self.remote, exit_code=1)
        self.assertIn("HASH/SIZE", answer["error"])


class HelpTest(QuestionsCase):
    def test_each_has_help_with_examples(self) -> None:
        for command in ("show", "explain", "disown", "recheck"):
            run = self.ingot.run("cache", command, "--help")
            self.assertEqual((run.exit_code, run.err), (0, ""))
            self.assertIn(f"ingot cache {command} ".encode(), run.out)
            self.assertIn(b"--json", run.out)
            self.assertIn(b"Examples:", run.out)


if __name__ == "__main__":
    unittest.main()
