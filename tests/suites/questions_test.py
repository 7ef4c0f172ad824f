"""`ingot cache show`, `explain`, `disown` and `recheck`: each answer, and that asking changes nothing."""

import hashlib
import json
import os
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


class QuestionsTest(unittest.TestCase):
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

    def history(self) -> pathlib.Path:
        (path,) = self.ingot.state.glob("store-*/history")
        return path

    def disown(self, *arguments: str) -> Run:
        stored = self.ingot.stored_files()
        run = self.ingot.run("cache", "disown", *arguments)
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertEqual(self.ingot.stored_files(), stored)
        return run


class ExplainTest(QuestionsTest):
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


class HistoryTest(QuestionsTest):
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


class ShowTest(QuestionsTest):
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


class DisownTest(QuestionsTest):
    JOBS = (("k.ll", "--target=nvptx64", "--cpu=sm_80", "-o", "80.ptx"), ("k.ll", "--target=nvptx64", "--cpu=sm_90", "-o", "90.ptx"), ("f.ll", "--target=avr", "-o", "f.o"))

    def words(self) -> list[str]:
        return [self.compile(*job)["cache"] for job in self.JOBS]

    def setUp(self) -> None:
        super().setUp()
        self.assertEqual(self.words(), ["miss"] * 3)
        self.keys = [self.compile(*job)["key"] for job in self.JOBS]

    def test_a_key(self) -> None:
        self.assertIn("1 key is disowned", self.disown(self.keys[0][:12]).out.decode())
        self.assertEqual(self.words(), ["miss", "hit", "hit"])
        self.assertEqual(self.words(), ["hit"] * 3)
        # The key that took its place can be disowned in its turn.
        second = self.compile(*self.JOBS[0])["key"]
        self.assertNotEqual(second, self.keys[0])
        self.disown(second)
        self.assertEqual(self.words(), ["miss", "hit", "hit"])
        self.assertEqual(self.words(), ["hit"] * 3)
        self.assertNotIn(self.compile(*self.JOBS[0])["key"], (self.keys[0], second))

    def test_a_target(self) -> None:
        self.disown("--target=avr")
        self.assertEqual(self.words(), ["hit", "hit", "miss"])
        self.assertEqual(self.words(), ["hit"] * 3)
        self.disown("--target=nvptx64")
        self.assertEqual(self.words(), ["miss", "miss", "hit"])
        self.assertEqual(self.words(), ["hit"] * 3)

    def test_all(self) -> None:
        for _ in range(2):
            self.disown("--all")
            self.assertEqual(self.words(), ["miss"] * 3)
            self.assertEqual(self.words(), ["hit"] * 3)

    def test_a_key_of_a_remote_cache_alone(self) -> None:
        run = self.ingot.run("cache", "disown", "--json", "ab" * 32)
        self.assertEqual(json.loads(run.out)["keys"], ["ab" * 32])
        self.assertEqual(self.words(), ["hit"] * 3)

    def test_every_store_of_the_user(self) -> None:
        other = f"--disk_cache={self.ingot.root}/other"
        self.compile(*self.JOBS[0], other)
        self.disown(self.keys[0])
        self.assertEqual(self.compile(*self.JOBS[0], other)["cache"], "miss")

    def test_a_poisoned_entry_is_escaped(self) -> None:
        good = self.ingot.read("80.ptx")
        wrong = self.ingot.read("90.ptx")
        poisoned = foreign_entry("out/k.ptx", wrong)
        self.entry(self.keys[0]).write_bytes(poisoned)
        self.assertEqual(self.compile(*self.JOBS[0])["cache"], "hit")
        self.assertEqual(self.ingot.read("80.ptx"), wrong)
        # Who made it, and of what; and that it is wrong.
        self.assertEqual(self.ask("show", self.keys[0])["made_by"], "another program")
        self.assertEqual(self.ingot.run("cache", "recheck", *self.JOBS[0]).exit_code, 1)
        self.disown(self.keys[0])
        result = self.compile(*self.JOBS[0])
        self.assertEqual((result["cache"], self.ingot.read("80.ptx")), ("miss", good))
        self.assertEqual(self.words(), ["hit"] * 3)
        self.assertEqual(self.ingot.read("80.ptx"), good)
        self.assertEqual(self.entry(self.keys[0]).read_bytes(), poisoned)

    def test_damage_does_not_take_it_back(self) -> None:
        self.disown(self.keys[0])
        generations = self.ingot.state / "generations"
        good = generations.read_bytes()
        for bad in (good[:-1], b"", good.replace(b"key", b"kez"), good.replace(self.keys[0][:64].encode(), b"a" * 64)):
            generations.write_bytes(bad)
            run = self.ingot.run("compile", *self.JOBS[0])
            self.assertEqual((run.exit_code, run.err.count("warning")), (0, 1), run.err)
            self.assertIn(str(generations), run.err)
            result = self.compile(*self.JOBS[0])
            self.assertEqual((result["cache"], len(result["warnings"])), ("off", 1))
            self.assertEqual(self.ask("explain", *self.JOBS[0])["results"][0]["state"], "unreadable")
            self.assertEqual(self.ingot.run("cache", "disown", self.keys[1]).exit_code, 1)
        self.assertEqual(self.ingot.counters()["generations_unreadable"], 8)
        self.disown("--all")
        self.assertEqual(self.words(), ["miss"] * 3)
        self.assertEqual(self.words(), ["hit"] * 3)

    def test_only_arguments_say_what(self) -> None:
        (self.ingot.root / ".ingotrc").write_text("common --target=avr\n")
        run = self.ingot.run("cache", "disown", "--json", self.keys[0], environment={"INGOT_TARGET": "avr", "INGOT_ALL": "1"})
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertEqual((json.loads(run.out)["generation"], json.loads(run.out)["targets"]), (0, {}))
        self.assertEqual(self.ingot.run("cache", "disown", environment={"INGOT_TARGET": "avr"}).exit_code, 2)

    def test_usage(self) -> None:
        for arguments in ((), ("--all", "--target=avr"), ("abc",), ("--target=nothing",), ("--all", "0" * 64)):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.ingot.run("cache", "disown", *arguments).exit_code, 2)
        self.assertFalse((self.ingot.state / "generations").exists())
        nowhere = {"INGOT_STATE_DIR": None, "HOME": None}
        self.assertEqual(self.ingot.run("cache", "disown", "--all", environment=nowhere).exit_code, 1)


class RecheckTest(QuestionsTest):
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


class HelpTest(QuestionsTest):
    def test_each_has_help_with_examples(self) -> None:
        for command in ("show", "explain", "disown", "recheck"):
            run = self.ingot.run("cache", command, "--help")
            self.assertEqual((run.exit_code, run.err), (0, ""))
            self.assertIn(f"ingot cache {command} ".encode(), run.out)
            self.assertIn(b"--json", run.out)
            self.assertIn(b"Examples:", run.out)


if __name__ == "__main__":
    unittest.main()
