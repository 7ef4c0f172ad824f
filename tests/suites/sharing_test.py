"""Several processes on one store, several stores for one process, and stores that cannot be used."""

import os
import pathlib
import shutil
import signal
import stat
import subprocess
import unittest

from tests.suites.ingot_command import KERNEL, Ingot

NVPTX = ("k.ll", "--target=nvptx64", "--cpu=sm_80", "-o", "k.ptx")


def snapshot(folder: pathlib.Path) -> dict[str, tuple[bytes, int]]:
    """The files below `folder` with their bytes and times of change."""
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if path.is_file()}


class SuiteCase(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("k.ll", KERNEL)

    def reference(self) -> bytes:
        """The right output, made without any store."""
        self.assertEqual(self.ingot.cache_word(*NVPTX[:-1], "reference.ptx", "--disk_cache="), "off")
        return self.ingot.read("reference.ptx")

    def start(self, number: int, *arguments: str, environment: dict | None = None) -> subprocess.Popen:
        """Starts a compilation of k.ll in a folder of its own."""
        folder = self.ingot.root / f"p{number}"
        folder.mkdir(exist_ok=True)
        shutil.copy(self.ingot.work / "k.ll", folder)
        return subprocess.Popen([self.ingot.program, "compile", *NVPTX, *arguments], cwd=folder, env={**self.ingot.environment, **(environment or {})}, stderr=subprocess.PIPE)

    def made(self, number: int) -> bytes:
        return (self.ingot.root / f"p{number}" / "k.ptx").read_bytes()

    def blocking_toolchain(self) -> tuple[pathlib.Path, pathlib.Path, pathlib.Path]:
        """A toolchain whose tool says that it runs, then waits: its folder, and the two pipes."""
        folder = self.ingot.root / "blocking"
        folder.mkdir()
        started, proceed = folder / "started", folder / "proceed"
        os.mkfifo(started)
        os.mkfifo(proceed)
        tool = folder / "ingot-compile"
        tool.write_text(f'#!/bin/sh\necho x > {started}\nread line < {proceed}\nexec {self.ingot.toolchain}/ingot-compile "$@"\n')
        tool.chmod(0o755)
        return folder, started, proceed


class OneStoreTest(SuiteCase):
    def test_equal_compilations_at_once_run_once(self) -> None:
        right = self.reference()
        processes = [self.start(i) for i in range(16)]
        self.assertEqual([process.wait() for process in processes], [0] * 16)
        self.assertEqual({self.made(i) for i in range(16)}, {right})
        counters = self.ingot.counters()
        self.assertEqual(counters["miss_not_found"], 1)
        self.assertEqual(counters["published"], 1)
        self.assertEqual(counters["hit"], 15)
        self.assertEqual(counters["wait_timed_out"], 0)

    def test_without_a_place_for_the_lock_all_is_right_all_the_same(self) -> None:
        right = self.reference()
        processes = [self.start(i, environment={"INGOT_STATE_DIR": "/dev/null/state"}) for i in range(8)]
        self.assertEqual([process.wait() for process in processes], [0] * 8)
        self.assertEqual({self.made(i) for i in range(8)}, {right})
        self.assertEqual(self.ingot.cache_word(*NVPTX), "hit")

    def test_a_killed_compilation_holds_nobody_up(self) -> None:
        folder, started, _ = self.blocking_toolchain()
        holder = self.start(0, f"--toolchain={folder}")
        with open(started, encoding="utf-8") as pipe:
            pipe.read()
        waiter = self.start(1, f"--toolchain={folder}")
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        # The second one runs the tool now: nobody else could.
        with open(started, encoding="utf-8") as pipe:
            pipe.read()
        with open(folder / "proceed", "w", encoding="utf-8") as pipe:
            pipe.write("go\n")
        self.assertEqual(waiter.wait(), 0)
        self.assertEqual(self.made(1), self.reference())
        self.assertFalse((self.ingot.root / "p0" / "k.ptx").exists())
        self.assertEqual(list((self.ingot.state / "work").iterdir()), [])

    def test_one_waits_for_the_other_and_takes_its_result(self) -> None:
        folder, started, proceed = self.blocking_toolchain()
        first = self.start(0, f"--toolchain={folder}")
        with open(started, encoding="utf-8") as pipe:
            pipe.read()
        second = self.start(1, f"--toolchain={folder}")
        with open(proceed, "w", encoding="utf-8") as pipe:
            pipe.write("go\n")
        # The tool blocks each time it runs: that the second ends shows that it did not run again.
        self.assertEqual((first.wait(), second.wait()), (0, 0))
        self.assertEqual(self.made(0), self.made(1))
        counters = self.ingot.counters()
        self.assertEqual((counters["published"], counters["hit"]), (1, 1))


class LayersTest(SuiteCase):
    def setUp(self) -> None:
        super().setUp()
        self.image = self.ingot.root / "image"
        self.mine = self.ingot.root / "mine"
        self.assertEqual(self.ingot.cache_word(*NVPTX, f"--disk_cache={self.image}"), "miss")
        self.before = snapshot(self.image)
        self.both = (f"--disk_cache={self.image}", f"--disk_cache={self.mine}")

    def test_a_layer_is_read_and_copied_from_and_never_written(self) -> None:
        (result,) = self.ingot.compile(*NVPTX, *self.both).results
        self.assertEqual((result["cache"], result["hit_from"]), ("hit", str(self.image)))
        self.assertEqual(self.ingot.cache_word("k.ll", "--target=nvptx64", "--cpu=sm_90", "-o", "k.ptx", *self.both), "miss")
        self.assertEqual(snapshot(self.image), self.before)
        (result,) = self.ingot.compile(*NVPTX, *self.both).results
        self.assertEqual((result["cache"], result["hit_from"]), ("hit", str(self.mine)))
        shutil.rmtree(self.image)
        self.assertEqual(self.ingot.cache_word(*NVPTX, *self.both), "hit")

    def test_a_damaged_layer_costs_a_warning_and_then_nothing(self) -> None:
        for path in (self.image / "cas").rglob("*"):
            if path.is_file() and b".visible .entry" in path.read_bytes():
                path.write_bytes(path.read_bytes()[:-3] + b"xyz")
        run = self.ingot.compile(*NVPTX, *self.both)
        self.assertEqual(run.exit_code, 0)
        self.assertEqual(run.results[0]["cache"], "miss")
        self.assertEqual(len(run.results[0]["warnings"]), 1)
        self.assertIn(str(self.image), run.results[0]["warnings"][0])
        (result,) = self.ingot.compile(*NVPTX, *self.both).results
        self.assertEqual((result["cache"], result["warnings"]), ("hit", []))

    def test_an_empty_value_takes_back_those_before_it(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX, *self.both, "--disk_cache="), "off")
        self.assertEqual(self.ingot.cache_word(*NVPTX, f"--disk_cache={self.image}", "--disk_cache=", f"--disk_cache={self.mine}"), "miss")

    @unittest.skipIf(os.geteuid() == 0, "root can write to every folder, so the order alone decides")
    def test_a_folder_that_cannot_be_written_is_a_layer_wherever_it_stands(self) -> None:
        self.image.chmod(0o555)
        run = self.ingot.compile(*NVPTX, f"--disk_cache={self.mine}", f"--disk_cache={self.image}")
        self.assertEqual(run.results[0]["warnings"], [])
        self.assertEqual(self.ingot.cache_word(*NVPTX, f"--disk_cache={self.mine}"), "hit")


    @unittest.skipIf(os.geteuid() == 0, "root can make every folder")
    def test_a_folder_that_cannot_be_made_is_not_the_store(self) -> None:
        run = self.ingot.compile(*NVPTX, f"--disk_cache={self.mine}", "--disk_cache=/nobody/makes/this")
        self.assertEqual(run.results[0]["warnings"], [])
        self.assertEqual(self.ingot.cache_word(*NVPTX, f"--disk_cache={self.mine}"), "hit")


class RefusedStoreTest(SuiteCase):
    def test_a_store_of_our_own_making_is_never_refused(self) -> None:
        script = 'umask 0; exec "$0" "$@"'
        for word in ("miss", "hit"):
            run = self.ingot.run("-c", script, self.ingot.program, "compile", "--json", *NVPTX, program="/bin/sh")
            self.assertEqual((run.results[0]["cache"], run.results[0]["warnings"]), (word, []))

    def test_a_store_that_everybody_can_write_to_is_refused_unless_asked_for(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        self.ingot.store.chmod(self.ingot.store.stat().st_mode | stat.S_IWOTH)
        before = snapshot(self.ingot.store)
        run = self.ingot.compile(*NVPTX)
        self.assertEqual(run.exit_code, 0)
        (result,) = run.results
        self.assertEqual(result["cache"], "off")
        self.assertEqual(len(result["warnings"]), 1)
        for word in (str(self.ingot.store), "every user", "chmod o-w", "--allow_world_writable_cache"):
            self.assertIn(word, result["warnings"][0])
        self.assertEqual(snapshot(self.ingot.store), before)
        self.assertEqual(self.ingot.counters()["store_refused"], 1)
        self.assertEqual(self.ingot.cache_word(*NVPTX, "--allow_world_writable_cache"), "hit")
        self.ingot.store.chmod(0o775)
        self.assertEqual(self.ingot.cache_word(*NVPTX), "hit")


if __name__ == "__main__":
    unittest.main()
