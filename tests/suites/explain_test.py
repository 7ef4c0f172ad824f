"""`ingot cache explain`: each answer, and what is written down for it."""

import hashlib
import json
import os
import pathlib
import shutil
import unittest

from tests.servers.faulty_http import (
    HALF_BODY,
    HANG_UP,
    REDIRECT,
    STALL,
    WRONG_BYTES,
    FaultyHttpCache,
)
from tests.servers.ports import free_port
from tests.suites.ingot_command import KERNEL, numbered_kernel
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


class RemoteTest(QuestionsCase):
    def setUp(self) -> None:
        super().setUp()
        self.cache = self.enterContext(FaultyHttpCache())
        self.remote = f"--remote_cache={self.cache.url}"
        self.key = self.compile(*ARGUMENTS, self.remote)["key"]

    def test_where_the_result_is(self) -> None:
        here = self.explain(*ARGUMENTS, self.remote)
        self.assertEqual((here["state"], here["found_in"], here["found_at"]), ("stored", "local", str(self.ingot.store)))
        image = self.ingot.root / "image"
        shutil.copytree(self.ingot.store, image)
        self.forget()
        there = self.explain(*ARGUMENTS, self.remote)
        self.assertEqual((there["state"], there["found_in"], there["found_at"], there["notes"]), ("stored", "remote", self.cache.url, []))
        self.assertIn(f"the result is in the remote cache {self.cache.url}", there["text"])
        self.assertEqual(self.explain(self.key, self.remote)["found_in"], "remote")
        layers = (f"--disk_cache={image}", f"--disk_cache={self.ingot.store}")
        self.assertEqual(self.explain(*ARGUMENTS, self.remote, *layers)["found_in"], "layer 1")
        self.assertEqual(self.explain(*ARGUMENTS, self.remote, "--disk_cache=")["found_in"], "remote")
        # Without the option nothing is asked for there.
        self.assertEqual(self.explain(*ARGUMENTS)["state"], "never stored")
        text = self.ingot.run("cache", "explain", *ARGUMENTS, self.remote).out.decode()
        self.assertIn(f"k.ll: stored: the result is in the remote cache {self.cache.url}, made ", text)

    def test_the_remote_is_asked_only_for_what_is_not_here(self) -> None:
        self.cache.forget_requests()
        self.explain(*ARGUMENTS, self.remote)
        self.explain(self.key, self.remote)
        self.assertEqual(self.cache.requests(), [])
        self.forget()
        self.explain(*ARGUMENTS, self.remote)
        self.assertEqual({request.method for request in self.cache.requests()}, {"GET"})

    def test_a_remote_that_cannot_answer(self) -> None:
        self.forget()
        patience = ("--remote_timeout=300ms", "--remote_budget=1s", "--remote_retries=1")
        for fault, word in ((503, "503"), (401, "401"), (403, "403"), (HANG_UP, ""), (HALF_BODY, ""), (STALL, "silent"), (REDIRECT, "redirect")):
            for subject in (ARGUMENTS, (self.key,)):
                with self.subTest(fault=fault, subject=subject[0]):
                    self.cache.fail("GET", fault)
                    result = self.explain(*subject, self.remote, *patience)
                    self.cache.work()
                    self.assertEqual((result["state"], result["local_state"]), ("remote error", "never stored"))
                    self.assertIn(self.cache.url, result["text"])
                    self.assertIn(word, result["text"])
                    self.assertIn("on this machine: never stored", result["notes"][0])

    def test_nobody_listens_and_no_secret_is_shown(self) -> None:
        self.forget()
        host = self.cache.url.removeprefix("http://")
        self.cache.fail("GET", 401)
        run = self.ingot.run("cache", "explain", *ARGUMENTS, f"--remote_cache=http://me:secret@{host}")
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertIn("k.ll: remote error: ", run.out.decode())
        self.assertIn("(unauthorized)", run.out.decode())
        self.assertNotIn("secret", run.out.decode() + run.err)
        dead = self.explain(*ARGUMENTS, f"--remote_cache=http://me:secret@127.0.0.1:{free_port()}")
        self.assertEqual(dead["state"], "remote error")
        self.assertIn("http://127.0.0.1:", dead["text"])
        self.assertNotIn("secret", json.dumps(dead))

    def test_an_outage_is_no_obstacle(self) -> None:
        names = [f"k{number}.ll" for number in range(20)]
        for number, name in enumerate(names):
            self.ingot.write(name, numbered_kernel(number))
        self.cache.fail("GET", STALL)
        self.cache.forget_requests()
        answer = self.ask("explain", "k.ll", *names, *OPTIONS, self.remote, "--remote_timeout=300ms", "--remote_budget=1s")
        self.assertEqual([result["state"] for result in answer["results"]], ["stored"] + ["remote error"] * 20)
        self.assertLess(len(self.cache.requests()), 10)

    def test_a_remote_that_lies(self) -> None:
        self.forget()
        self.cache.fail("GET", WRONG_BYTES)
        result = self.explain(*ARGUMENTS, self.remote)
        self.assertEqual(result["state"], "corrupt")
        self.assertIn(self.cache.url, result["text"])

    def test_damage_here_is_graver_than_an_outage(self) -> None:
        self.entry(self.key).write_bytes(b"damaged")
        self.cache.fail("GET", 503)
        result = self.explain(*ARGUMENTS, self.remote)
        self.assertEqual(result["state"], "corrupt")
        self.assertIn("remote error: ", result["notes"][0])
        self.cache.work()
        result = self.explain(*ARGUMENTS, self.remote)
        self.assertEqual((result["state"], result["found_in"]), ("stored", "remote"))
        self.assertIn(str(self.entry(self.key)), result["notes"][0])

    def test_a_copy_that_was_evicted_was_stored(self) -> None:
        self.forget()
        self.assertEqual(self.compile(*ARGUMENTS, self.remote)["cache"], "hit")
        self.assertIn(b"\tcopied\t", self.history().read_bytes())
        shutil.rmtree(self.ingot.store)
        for more in ((), (self.remote,)):
            self.cache.contents.clear()
            result = self.explain(*ARGUMENTS, *more)
            self.assertEqual(result["state"], "evicted")
            self.assertIn("copied here", result["text"])
        self.assertEqual(self.explain(self.key[:12])["state"], "evicted")
        self.cache.fail("GET", 503)
        result = self.explain(*ARGUMENTS, self.remote)
        self.assertEqual((result["state"], result["local_state"]), ("remote error", "evicted"))

    def test_a_copy_of_a_layer_is_written_down_once(self) -> None:
        both = (f"--disk_cache={self.ingot.store}", f"--disk_cache={self.ingot.root / 'mine'}")
        self.assertEqual(self.compile(*ARGUMENTS, *both)["cache"], "hit")
        self.assertEqual(self.compile(*ARGUMENTS, *both)["cache"], "hit")
        histories = [path.read_bytes() for path in self.ingot.state.glob("store-*/history")]
        self.assertEqual(sum(history.count(b"\tcopied\t") for history in histories), 1)

    def test_what_only_the_remote_has_can_be_disowned_and_compared(self) -> None:
        other = self.compile(*ARGUMENTS, "-O3", self.remote)["key"]
        self.forget()
        differences = self.ask("explain", self.key, other, self.remote)["differences"]
        self.assertEqual([d["kind"] for d in differences], ["argument"])
        self.disown("--all")
        self.assertEqual(self.explain(self.key, self.remote)["state"], "disowned")
        result = self.explain(*ARGUMENTS, self.remote)
        self.assertEqual(result["state"], "disowned")
        self.assertIn(self.key, result["text"])

    def test_flags_that_make_no_sense(self) -> None:
        self.ask("explain", *ARGUMENTS, "--remote_cache=grpc://cache", exit_code=2)
        self.ask("explain", *ARGUMENTS, self.remote, "--remote_timeout=soon", exit_code=2)


class KeySizeTest(QuestionsCase):
    def test_a_wrong_size_is_no_damage(self) -> None:
        key = self.compile(*ARGUMENTS)["key"]
        name, size = key.split("/")
        answer = self.ask("explain", f"{name}/{int(size) + 1}", exit_code=2)["results"][0]
        self.assertIn("size", answer["error"])
        self.assertIn(key, answer["error"])


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
