"""`ingot cache disown`: which keys change, and that nothing takes it back."""

import json
import unittest

from tests.suites.questions import QuestionsCase, foreign_entry


class DisownTest(QuestionsCase):
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


if __name__ == "__main__":
    unittest.main()
