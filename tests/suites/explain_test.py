"""`ingot cache explain`: each answer, and what is written down for it."""

import hashlib
import os
import pathlib
import shutil
import unittest

from tests.suites.ingot_command import KERNEL
from tests.suites.questions import ARGUMENTS, OPTIONS, QuestionsCase


class ExplainTest(QuestionsCase):
    def test_never_stored_by_anybody(self) -> None:
        result = self.explain(*ARGUMENTS)
        self.assertEqual(result["state"], "never stored")
        self.assertNotIn("nearest", result)
        self.assertFalse(self.ingot.store.exists())

    def test_stored(self) -> None:
        key = self.compile(*ARGUMENTS)["key"]
        result = self.explain(*ARGUMENTS)
        self.assertEqual((result["state"], result["key"]), ("stored", key))
        for name in (key, key.split("/")[0], key[:8], key[:20]):
            with self.subTest(name=name):
                self.assertEqual(self.explain(name)["state"], "stored")
                self.assertEqual(self.explain(name)["key"], key)

    def test_a_changed_option(self) -> None:
        earlier = self.compile(*ARGUMENTS)["key"]
        result = self.explain("k.ll", "--target=nvptx64", "--cpu=sm_90", "-o", "k.ptx")
        self.assertEqual(result["nearest"]["key"], earlier)
        (difference,) = result["nearest"]["differences"]
        self.assertEqual(difference["text"], "argument --cpu was sm_80 and is sm_90")
        text = self.ingot.run("cache", "explain", "k.ll", "--target=nvptx64", "--cpu=sm_90").out.decode()
        self.assertIn("k.ll: never stored", text)
        self.assertIn("argument --cpu was sm_80 and is sm_90", text)
        self.assertEqual(self.first_difference(*ARGUMENTS, "-O3")["kind"], "argument")

    def test_the_nearest_request_is_compared_with(self) -> None:
        near = self.compile(*ARGUMENTS)["key"]
        self.compile("k.ll", "--target=nvptx64", "--cpu=sm_90", "-O0", "-o", "k.ptx")
        self.ingot.write("k.ll", KERNEL + "; edited\n")
        result = self.explain(*ARGUMENTS)
        self.assertEqual(result["nearest"]["key"], near)
        self.assertEqual([d["kind"] for d in result["nearest"]["differences"]], ["input contents"])

    def test_a_changed_input(self) -> None:
        self.compile(*ARGUMENTS)
        edited = KERNEL + "; edited\n"
        self.ingot.write("k.ll", edited)
        difference = self.first_difference(*ARGUMENTS)
        self.assertEqual((difference["kind"], difference["subject"]), ("input contents", "src/k.ll"))
        for text, side in ((KERNEL, "before"), (edited, "after")):
            self.assertEqual(difference[side], f"{hashlib.sha256(text.encode()).hexdigest()}/{len(text)}")

    def test_a_changed_name(self) -> None:
        self.compile(*ARGUMENTS)
        os.rename(self.ingot.work / "k.ll", self.ingot.work / "renamed.ll")
        difference = self.first_difference("renamed.ll", *OPTIONS)
        self.assertEqual(difference["kind"], "input renamed")
        self.assertIn("src/k.ll is called src/renamed.ll now", difference["text"])

    def test_a_changed_toolchain(self) -> None:
        self.compile(*ARGUMENTS)
        other = self.ingot.root / "other"
        other.mkdir()
        tool = other / "ingot-compile"
        shutil.copy(pathlib.Path(self.ingot.toolchain) / "ingot-compile", tool)
        self.assertEqual(self.explain(*ARGUMENTS, f"--toolchain={other}")["state"], "stored")
        tool.chmod(0o755)
        with open(tool, "ab") as file:
            file.write(b"x")
        difference = self.first_difference(*ARGUMENTS, f"--toolchain={other}")
        self.assertEqual(difference["kind"], "tool")
        self.assertIn("the tool (toolchain/ingot-compile) is another one: ", difference["text"])

    def test_evicted(self) -> None:
        key = self.compile(*ARGUMENTS)["key"]
        output = self.blob(self.ingot.read("k.ptx"))
        output.unlink()
        result = self.explain(*ARGUMENTS)
        self.assertEqual(result["state"], "evicted")
        self.assertIn(str(output), result["text"])
        self.entry(key).unlink()
        result = self.explain(*ARGUMENTS)
        self.assertEqual(result["state"], "evicted")
        self.assertIn("time", result)
        shutil.rmtree(self.ingot.store)
        self.assertEqual(self.explain(*ARGUMENTS)["state"], "evicted")
        self.assertEqual(self.explain(key[:12])["state"], "evicted")
        self.compile(*ARGUMENTS)
        self.assertEqual(self.explain(*ARGUMENTS)["state"], "stored")

    def test_reset(self) -> None:
        self.compile(*ARGUMENTS)
        self.assertEqual(self.ingot.run("cache", "reset").exit_code, 0)
        result = self.explain(*ARGUMENTS)
        self.assertEqual(result["state"], "reset")
        self.assertIn("time", result)
        self.compile(*ARGUMENTS)
        self.assertEqual(self.explain(*ARGUMENTS)["state"], "stored")
        # After the last reset it was stored once more.
        shutil.rmtree(self.ingot.store)
        self.assertEqual(self.explain(*ARGUMENTS)["state"], "evicted")

    def test_corrupt(self) -> None:
        key = self.compile(*ARGUMENTS)["key"]
        for path in (self.entry(key), self.blob(self.ingot.read("k.ptx"))):
            good = path.read_bytes()
            path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
            result = self.explain(*ARGUMENTS)
            self.assertEqual(result["state"], "corrupt")
            self.assertIn(str(path), result["text"])
            self.assertEqual(self.explain(key)["state"], "corrupt")
            path.write_bytes(good)
        self.assertEqual(self.explain(*ARGUMENTS)["state"], "stored")

    def test_disowned(self) -> None:
        key = self.compile(*ARGUMENTS)["key"]
        for arguments, words in (((key,), "by its key"), (("--target=nvptx64",), "its generation 1"), (("--all",), "generation 1")):
            with self.subTest(arguments=arguments):
                self.disown(*arguments)
                result = self.explain(*ARGUMENTS)
                self.assertEqual(result["state"], "disowned")
                self.assertNotEqual(result["key"], key)
                self.assertIn(key, result["text"])
                self.assertIn(words, result["text"])
                self.assertIn("time", result)
                self.assertEqual(self.explain(key)["state"], "disowned")
                (self.ingot.state / "generations").unlink()
        self.disown("--all")
        self.compile(*ARGUMENTS)
        self.assertEqual(self.explain(*ARGUMENTS)["state"], "stored")

    def test_two_keys(self) -> None:
        a = self.compile(*ARGUMENTS)["key"]
        self.ingot.write("k.ll", KERNEL + "; edited\n")
        b = self.compile(*ARGUMENTS, "-O3")["key"]
        differences = self.ask("explain", a, b[:16])["differences"]
        self.assertEqual([d["kind"] for d in differences], ["argument", "input contents"])
        self.assertEqual(self.ask("explain", a, a)["differences"], [])
        short = self.ingot.run("cache", "explain", a, b).out.decode()
        self.assertIn("and 1 more", short)
        self.assertNotIn("other contents", short)
        for flag in ("--all", "-v"):
            self.assertIn("other contents", self.ingot.run("cache", "explain", flag, a, b).out.decode())

    def test_a_store_that_cannot_be_asked(self) -> None:
        self.compile(*ARGUMENTS)
        self.ingot.store.chmod(0o777)
        self.assertEqual(self.explain(*ARGUMENTS)["state"], "unreadable")

    def test_many_inputs_and_wrong_ones(self) -> None:
        self.compile(*ARGUMENTS)
        answer = self.ask("explain", "k.ll", "gone.ll", *OPTIONS, exit_code=1)
        self.assertEqual(answer["results"][0]["state"], "stored")
        self.assertIn("gone.ll", answer["results"][1]["error"])
        self.ask("explain", "k.ll", "0" * 64, *OPTIONS, exit_code=2)
        self.ask("explain", *["0" * 64] * 3, exit_code=2)
        self.ask("explain", "k.ll", exit_code=2)
        self.ask("explain", exit_code=2)
        self.ask("explain", "abcdef01", exit_code=1)
        self.ask("explain", *ARGUMENTS, "--disk_cache=", exit_code=2)
        # A file is a file, whatever its name looks like.
        self.ingot.write("abcdef01", KERNEL)
        self.assertEqual(self.explain("abcdef01", *OPTIONS)["nearest"]["differences"][0]["kind"], "input renamed")

    def test_a_damaged_history_is_no_obstacle(self) -> None:
        self.compile(*ARGUMENTS)
        self.history().write_bytes(os.urandom(5000))
        self.assertEqual(self.explain(*ARGUMENTS)["state"], "stored")
        self.assertEqual(self.explain(*ARGUMENTS, "-O3")["state"], "never stored")


class HistoryTest(QuestionsCase):
    def test_a_hit_writes_nothing(self) -> None:
        self.compile(*ARGUMENTS)
        before = self.history().read_bytes()
        self.assertEqual(before.count(b"\n"), 1)
        self.assertEqual(self.compile(*ARGUMENTS)["cache"], "hit")
        self.assertEqual(self.history().read_bytes(), before)

    def test_a_repair_is_written_down(self) -> None:
        self.compile(*ARGUMENTS)
        self.blob(self.ingot.read("k.ptx")).write_bytes(b"x")
        self.compile(*ARGUMENTS)
        self.assertIn(b"\trepaired\t", self.history().read_bytes().splitlines()[1])

    def test_the_description_of_a_toolchain_is_stored_and_repaired(self) -> None:
        self.compile(*ARGUMENTS)
        (folder,) = [p for p in self.ingot.stored_files() if b"ingot-compile" in p.read_bytes() and p.stat().st_size < 150]
        folder.unlink()
        result = self.compile(*ARGUMENTS)
        self.assertEqual(result["cache"], "hit")
        self.assertTrue(folder.exists())


if __name__ == "__main__":
    unittest.main()
