"""Collecting, verifying and resetting a store, alone and while others compile."""

import json
import os
import pathlib
import shutil
import subprocess
import threading
import time
import unittest

from tests.servers.faulty_http import STALL, WRONG_BYTES, FaultyHttpCache
from tests.suites.ingot_command import KERNEL, Ingot

NVPTX = ("k.ll", "--target=nvptx64", "--cpu=sm_80", "-o", "k.ptx")

# An ActionResult as another program stores it: one output file "out" with a digest whose blob is not here.
_FOREIGN_DIGEST = b"\x0a\x40" + b"ab" * 32 + b"\x10\x05"
FOREIGN_ENTRY = b"\x12" + bytes([len(_FOREIGN_DIGEST) + 7]) + b"\x0a\x03out\x12" + bytes([len(_FOREIGN_DIGEST)]) + _FOREIGN_DIGEST


def age(path: pathlib.Path, seconds: float) -> None:
    """Makes a file look as if it had last been used some seconds ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))


class MaintenanceCase(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("k.ll", KERNEL)

    def fill(self, count: int) -> list[str]:
        """Compiles `count` kernels, of which each is a day older than the next; returns their names."""
        names = [f"k{i}.ll" for i in range(count)]
        for i, name in enumerate(names):
            before = set(self.ingot.stored_files())
            self.ingot.write(name, KERNEL.replace("@scale", f"@scale{i}"))
            self.assertEqual(self.word(name), "miss")
            for path in set(self.ingot.stored_files()) - before:
                age(path, (count - i) * 86400)
        return names

    def word(self, name: str) -> str:
        return self.ingot.cache_word(name, "--target=nvptx64", "--cpu=sm_80", "-o", name + ".ptx")

    def cache(self, *arguments: str, exit_code: int = 0) -> dict:
        run = self.ingot.run("cache", *arguments, "--json")
        self.assertEqual(run.exit_code, exit_code, run.out.decode() + run.err)
        return json.loads(run.out)

    def in_area(self, area: str) -> list[pathlib.Path]:
        return [p for p in self.ingot.stored_files() if p.relative_to(self.ingot.store).parts[0] == area]


class CollectionTest(MaintenanceCase):
    def test_by_age(self) -> None:
        names = self.fill(4)
        result = self.cache("gc", "--max_size=0", "--max_age=60h")
        self.assertEqual(result["removed_results"], 2)
        self.assertEqual(result["failed"], 0)
        self.assertEqual([self.word(name) for name in names], ["miss", "miss", "hit", "hit"])

    def test_by_size_the_oldest_go(self) -> None:
        names = self.fill(6)
        # The last was stored last, and everything that it shares with the others with the first.
        total = sum(path.stat().st_size for path in self.in_area("ac") + self.in_area("cas"))
        result = self.cache("gc", f"--max_size={total * 2 // 3}")
        self.assertEqual(result["bytes_before"], total)
        self.assertLessEqual(result["bytes_after"], total * 2 // 3 * 9 // 10)
        left = sum(path.stat().st_size for path in self.in_area("ac") + self.in_area("cas"))
        self.assertEqual(result["bytes_after"], left)
        words = [self.word(name) for name in names]
        self.assertEqual(words, sorted(words, reverse=True), "misses are the older ones")
        self.assertIn("hit", words)
        self.assertIn("miss", words)

    def test_what_is_used_stays(self) -> None:
        names = self.fill(3)
        self.assertEqual(self.word(names[0]), "hit")
        self.cache("gc", "--max_size=0", "--max_age=1h")
        self.assertEqual([self.word(name) for name in names], ["hit", "miss", "miss"])

    def test_a_dry_run_changes_nothing(self) -> None:
        self.fill(3)
        before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in self.ingot.root.rglob("*") if path.is_file()}
        dry = self.cache("gc", "--max_size=1", "--dry-run")
        self.assertEqual(dry["bytes_after"], 0)
        self.assertEqual(dry["removed_results"], 3)
        after = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in self.ingot.root.rglob("*") if path.is_file()}
        self.assertEqual(before, after)
        real = self.cache("gc", "--max_size=1")
        self.assertEqual(real["removed_files"], dry["removed_files"])
        self.assertEqual(self.in_area("ac") + self.in_area("cas"), [])

    def test_nothing_to_do_and_wrong_words(self) -> None:
        self.fill(1)
        self.assertEqual(self.cache("gc")["removed_files"], 0)
        for wrong in ("--max_size=much", "--max_age=30"):
            run = self.ingot.run("cache", "gc", wrong)
            self.assertEqual(run.exit_code, 2)
            self.assertEqual(run.err.count("error: "), 1, run.err)
            self.assertIn(wrong.split("=")[0], run.err)
        nowhere = self.ingot.run("cache", "gc", "--disk_cache=/nowhere/at/all")
        self.assertEqual(nowhere.exit_code, 1)
        self.assertIn("/nowhere/at/all", nowhere.err)

    def test_a_folder_with_an_ac_of_the_users(self) -> None:
        home = self.ingot.root / "home"
        precious = [home / name for name in ("ac/00/photo.jpg", "cas/ab/cd/song", "ac/notes/x", "letter")]
        for path in precious:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("precious")
            os.utime(path, (0, 0))
        self.ingot.run("cache", "gc", "--max_size=1", "--max_age=1d", f"--disk_cache={home}")
        # What a compilation does on its own at its end.
        self.ingot.run("compile", *NVPTX, "--max_size=1", "--max_age=1d", f"--disk_cache={home}")
        self.assertEqual(self.ingot.run("cache", "reset", f"--disk_cache={home}").exit_code, 1)
        self.ingot.run("cache", "verify", f"--disk_cache={home}")
        self.assertEqual([path for path in precious if not path.exists()], [])

    def test_compilations_go_on_meanwhile(self) -> None:
        names = self.fill(3)
        expected = {name: self.ingot.read(name + ".ptx") for name in names}
        compiling = threading.Event()
        collections = []

        def collect() -> None:
            while not compiling.is_set():
                collections.append(self.cache("gc", "--max_size=1"))

        collector = threading.Thread(target=collect)
        collector.start()
        try:
            for _ in range(15):
                for name in names:
                    (self.ingot.work / (name + ".ptx")).unlink()
                    self.assertIn(self.word(name), ("hit", "miss"))
                    self.assertEqual(self.ingot.read(name + ".ptx"), expected[name])
        finally:
            compiling.set()
            collector.join()
        self.assertTrue(all(collection["failed"] == 0 for collection in collections))
        self.assertGreater(sum(collection["removed_files"] for collection in collections), 0)
        counters = self.ingot.counters()
        self.assertEqual(counters["conflict"] + counters["miss_corrupt_entry"] + counters["miss_corrupt_blob"], 0)
        self.assertEqual(counters["miss_store_error"], 0)


class VerificationTest(MaintenanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        self.expected = self.ingot.read("k.ptx")

    def test_a_good_store(self) -> None:
        result = self.cache("verify")
        self.assertEqual((result["damaged"], result["results"], result["findings"]), (0, 1, []))
        self.assertEqual(result["blobs"], len(self.in_area("cas")))
        self.assertEqual(self.ingot.cache_word(*NVPTX), "hit")

    def test_every_kind_of_damage_is_found_and_repaired(self) -> None:
        def flip(path: pathlib.Path) -> None:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 0x10
            path.write_bytes(data)

        def folder(path: pathlib.Path) -> None:
            path.unlink()
            (path / "inner").mkdir(parents=True)

        def empty(path: pathlib.Path) -> None:
            os.truncate(path, 0)

        def truncate(path: pathlib.Path) -> None:
            os.truncate(path, path.stat().st_size // 2)

        (output,) = [p for p in self.in_area("cas") if p.read_bytes() == self.expected]
        (entry,) = self.in_area("ac")
        damages = [(entry, damage) for damage in (flip, empty, truncate, folder)]
        damages += [(output, damage) for damage in (flip, empty, truncate, folder, pathlib.Path.unlink)]
        for path, damage in damages:
            with self.subTest(damage=damage.__name__, path=path.parts[-3]):
                damage(path)
                looked = self.cache("verify", "--dry-run", exit_code=1)
                self.assertGreater(looked["damaged"], 0)
                self.assertEqual(looked["repaired"], 0)
                again = self.cache("verify", "--dry-run", exit_code=1)
                self.assertEqual(again["findings"], looked["findings"])
                repaired = self.cache("verify")
                self.assertGreaterEqual(repaired["damaged"], looked["damaged"])
                self.assertEqual(repaired["repaired"], repaired["damaged"])
                self.assertEqual(self.cache("verify")["damaged"], 0)
                # The next lookup is a plain miss: nothing to warn of.
                run = self.ingot.compile(*NVPTX)
                self.assertEqual(run.results[0]["warnings"], [])
                self.assertEqual(run.results[0]["miss_reason"], "not found")
                self.assertEqual(self.ingot.read("k.ptx"), self.expected)
                self.assertEqual(self.ingot.cache_word(*NVPTX), "hit")

    def test_foreign_entries_are_respected(self) -> None:
        path = self.ingot.store / "ac" / "cd" / ("cd" * 32)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(FOREIGN_ENTRY)
        result = self.cache("verify")
        self.assertEqual((result["damaged"], result["results"], result["foreign_results"]), (0, 1, 1))
        self.assertEqual(path.read_bytes(), FOREIGN_ENTRY)

    def flip(self, *paths: pathlib.Path) -> None:
        for path in paths:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 0x10
            path.write_bytes(data)

    def output(self) -> pathlib.Path:
        (path,) = [p for p in self.in_area("cas") if p.read_bytes() == self.expected]
        return path

    def test_what_a_layer_has_is_put_right(self) -> None:
        image = self.ingot.root / "image"
        shutil.copytree(self.ingot.store, image)
        before = {path: path.read_bytes() for path in self.in_area("cas") + self.in_area("ac")}
        (entry,) = self.in_area("ac")
        # All blobs that a result or its description names: the output, Action, Command and folders.
        self.flip(*self.in_area("cas"))
        orphan = self.ingot.store / "cas" / "ab" / ("ab" * 32)
        orphan.parent.mkdir(parents=True, exist_ok=True)
        orphan.write_text("nobody's")
        both = (f"--disk_cache={image}", f"--disk_cache={self.ingot.store}")
        looked = self.cache("verify", "--dry-run", *both, exit_code=1)
        self.assertEqual((looked["repaired"], looked["sources"]), (0, [{"name": str(image), "restored": 0}]))
        result = self.cache("verify", *both)
        blobs = len(before) - 1
        self.assertEqual((result["damaged"], result["restored"], result["removed"]), (blobs + 1, blobs, 1))
        self.assertEqual(result["sources"], [{"name": str(image), "restored": blobs}])
        for finding in result["findings"]:
            gone = finding["path"] == str(orphan)
            self.assertEqual((finding["repair"], finding.get("source")), ("removed", None) if gone else ("restored", str(image)))
        self.assertEqual({path: path.read_bytes() for path in self.in_area("cas") + self.in_area("ac")}, before)
        self.assertTrue(entry.exists())
        self.assertEqual(self.ingot.cache_word(*NVPTX), "hit")

    def test_what_a_remote_has_is_put_right(self) -> None:
        with FaultyHttpCache() as cache:
            remote = f"--remote_cache={cache.url}"
            self.cache("reset")
            self.assertEqual(self.ingot.cache_word(*NVPTX, remote), "miss")
            os.truncate(self.output(), 3)
            cache.forget_requests()
            result = self.cache("verify", "--dry-run", remote, exit_code=1)
            self.assertEqual(cache.requests(), [])
            run = self.ingot.run("cache", "verify", remote)
            self.assertEqual(run.exit_code, 0, run.err)
            self.assertIn(f"{self.output()}: damaged blob, restored from {cache.url}: ", run.out.decode())
            self.assertIn(f"damaged        1, repaired 1: 1 restored from {cache.url}", run.out.decode())
            self.assertEqual(self.ingot.cache_word(*NVPTX), "hit")
            # One that cannot answer costs a removal, and a word.
            for fault, word in ((503, "503"), (WRONG_BYTES, "other bytes"), (STALL, "silent")):
                self.flip(self.output())
                cache.fail("GET", fault)
                run = self.ingot.run("cache", "verify", remote, "--json", "--remote_timeout=300ms", "--remote_budget=1s")
                cache.work()
                result = json.loads(run.out)
                self.assertEqual((run.exit_code, result["restored"], result["removed"]), (0, 0, 2), run.out)
                self.assertIn(word, result["sources"][0]["error"])
                self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
            self.flip(self.output())
            cache.fail("GET", 403)
            run = self.ingot.run("cache", "verify", remote)
            self.assertEqual(run.exit_code, 0)
            self.assertIn(f"warning: not everything could be asked for in {cache.url}: ", run.err)
            self.assertIn("damaged        2, repaired 2: 2 removed", run.out.decode())
            self.assertEqual(self.ingot.run("cache", "verify", "--disk_cache=", remote).exit_code, 2)

    def test_text(self) -> None:
        (entry,) = self.in_area("ac")
        entry.write_bytes(b"nonsense")
        run = self.ingot.run("cache", "verify", "--dry-run")
        self.assertEqual(run.exit_code, 1)
        self.assertIn(f"{entry}: damaged entry, left: ", run.out.decode())
        self.assertIn("damaged        1, repaired 0", run.out.decode())


class TroubleTest(MaintenanceCase):
    def test_counters_that_cannot_be_read_leave_the_sizes(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        (counters,) = self.ingot.state.glob("store-*/counters")
        counters.unlink()
        counters.mkdir()
        for more in ((), ("--zero",)):
            stats = self.cache("stats", *more, exit_code=1)
            self.assertEqual((stats["results"], stats["zeroed"]), (1, False))
            self.assertIn(str(counters), stats["error"])
            self.assertNotIn("counters", stats)
        run = self.ingot.run("cache", "stats")
        self.assertEqual(run.exit_code, 1)
        self.assertIn("results        1", run.out.decode())
        self.assertIn("the counters are not known: ", run.err)

    def test_a_path_that_is_too_long_is_no_misuse(self) -> None:
        for command in ("gc", "verify", "reset"):
            for path in ("/" + "x" * 300, "/x" * 3000):
                with self.subTest(command=command, length=len(path)):
                    run = self.ingot.run("cache", command, f"--disk_cache={path}")
                    self.assertEqual(run.exit_code, 1, run.err)
                    self.assertIn("longer than this system allows", run.err)


class ResetTest(MaintenanceCase):
    def test_a_clean_slate(self) -> None:
        names = self.fill(2)
        result = self.cache("reset")
        self.assertGreater(result["removed_files"], 0)
        self.assertEqual(self.ingot.stored_files(), [])
        self.assertEqual(list((self.ingot.store / "tmp").iterdir()), [])
        self.assertEqual([self.word(name) for name in names], ["miss", "miss"])
        self.assertEqual([self.word(name) for name in names], ["hit", "hit"])
        self.assertEqual(self.cache("reset")["exit_code"], 0)
        self.assertEqual(self.cache("reset")["removed_files"], 0)

    def test_only_a_store_is_reset(self) -> None:
        project = self.ingot.root / "project"
        for name in (".git/config", "ac/00/file", "src/main.c"):
            (project / name).parent.mkdir(parents=True)
            (project / name).write_text("precious")
        run = self.ingot.run("cache", "reset", f"--disk_cache={project}")
        self.assertEqual(run.exit_code, 1)
        self.assertIn("does not look like a store", run.err)
        self.assertEqual(sum(path.is_file() for path in project.rglob("*")), 3)
        nowhere = self.ingot.run("cache", "reset", f"--disk_cache={project}/nowhere")
        self.assertEqual(nowhere.exit_code, 1)

    def test_what_is_not_ours_stays(self) -> None:
        self.fill(1)
        other = self.ingot.store / "blake3" / "cas" / "00" / ("00" * 32)
        other.parent.mkdir(parents=True)
        other.write_text("bazel's")
        bazels = self.ingot.store / "tmp" / "0b4b7a0e-bazel"
        bazels.write_text("being written")
        self.cache("reset")
        self.assertEqual(self.ingot.stored_files(), [other, bazels])

    def test_32_processes_compile_meanwhile(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        expected = self.ingot.read("k.ptx")
        folders = []
        for i in range(32):
            folder = self.ingot.root / f"p{i}"
            folder.mkdir()
            shutil.copy(self.ingot.work / "k.ll", folder)
            folders.append(folder)
        # The first resets happen while all of them are starting, the last after the last has ended.
        compiling = threading.Event()
        resets = []

        def reset() -> None:
            while not compiling.is_set():
                resets.append(self.ingot.run("cache", "reset", "--json"))

        resetter = threading.Thread(target=reset)
        resetter.start()
        try:
            script = "for i in 1 2 3; do rm -f k.ptx; \"$0\" \"$@\" || exit; done"
            command = ["sh", "-c", script, self.ingot.program, "compile", *NVPTX]
            processes = [
                subprocess.Popen(command, cwd=folder, env=self.ingot.environment, stderr=subprocess.PIPE) for folder in folders
            ]
            for process in processes:
                _, err = process.communicate()
                self.assertEqual(process.returncode, 0, err.decode())
        finally:
            compiling.set()
            resetter.join()
        for folder in folders:
            self.assertEqual((folder / "k.ptx").read_bytes(), expected)
        self.assertGreater(len(resets), 1)
        for run in resets:
            self.assertEqual(run.exit_code, 0, run.out.decode() + run.err)
        counters = self.ingot.counters()
        self.assertEqual(counters["conflict"], 0)
        self.assertEqual(counters["miss_corrupt_blob"] + counters["miss_corrupt_entry"] + counters["miss_store_error"], 0)
        # Entries whose blobs a reset took between the two are repaired; then all is well.
        self.cache("verify")
        self.assertEqual(self.cache("verify", "--dry-run")["damaged"], 0)


if __name__ == "__main__":
    unittest.main()
