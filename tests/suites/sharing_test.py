"""Several processes on one store, several stores for one process, and stores that cannot be used."""

import contextlib
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import stat
import struct
import subprocess
import unittest

from tests.servers import deadline
from tests.servers.faulty_http import STALL, FaultyHttpCache
from tests.suites.ingot_command import KERNEL, Ingot

NVPTX = ("k.ll", "--target=nvptx64", "--cpu=sm_80", "-o", "k.ptx")


def snapshot(folder: pathlib.Path) -> dict[str, tuple[bytes, int]]:
    """The files below `folder` with their bytes and times of change."""
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if path.is_file()}


class Signals:
    """The two pipes of tools that say when they run, and then wait to be let go."""

    def __init__(self, started: pathlib.Path, proceed: pathlib.Path) -> None:
        # Open in both directions, a pipe has no end of file and opening it waits for nobody.
        self._started, self._proceed = os.open(started, os.O_RDWR), os.open(proceed, os.O_RDWR)

    def __enter__(self) -> "Signals":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._started)
        os.close(self._proceed)

    def wait_for(self, tools: int) -> None:
        """Returns when that many more tools have started."""
        for _ in range(tools):
            while os.read(self._started, 1) != b"\n":
                pass

    def let_go(self, tools: int) -> None:
        # A line of one byte, as tools that read at once would share the bytes of a longer one.
        os.write(self._proceed, b"\n" * tools)


def first_to_end(processes: list[subprocess.Popen]) -> subprocess.Popen:
    """Waits for one of the processes to end."""
    with contextlib.ExitStack() as stack:
        poll = select.poll()
        by_fd = {}
        for process in processes:
            fd = os.pidfd_open(process.pid)
            stack.callback(os.close, fd)
            poll.register(fd, select.POLLIN)
            by_fd[fd] = process
        fd, _ = poll.poll()[0]
        by_fd[fd].wait()
        return by_fd[fd]


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
        return subprocess.Popen([self.ingot.program, "compile", *NVPTX, *arguments], cwd=folder, env={**self.ingot.environment, **(environment or {})}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def made(self, number: int) -> bytes:
        return (self.ingot.root / f"p{number}" / "k.ptx").read_bytes()

    def claims(self) -> pathlib.Path:
        """The file of claims of the store."""
        (path,) = self.ingot.state.glob("store-*/in_flight")
        return path

    def is_claimed(self) -> bool:
        """Whether there is a compilation that others would wait for."""
        # struct flock: l_type, l_whence, l_start, l_len, l_pid. A length of 0 is all of the file.
        layout = "hhqqi4x"
        with open(self.claims(), "r+b") as file:
            answer = fcntl.fcntl(file, fcntl.F_OFD_GETLK, struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        return struct.unpack(layout, answer)[0] != fcntl.F_UNLCK

    def waits(self, process: subprocess.Popen) -> bool:
        """Whether a compilation waits for an equal one: with the file of claims open it does nothing else that lets it sleep."""
        proc = pathlib.Path("/proc") / str(process.pid)
        with contextlib.suppress(OSError):
            files = [os.readlink(link) for link in (proc / "fd").iterdir()]
            return str(self.claims()) in files and (proc / "stat").read_text().rpartition(")")[2].split()[0] == "S"
        return False

    def blocking_toolchain(self, work: str | None = None) -> tuple[pathlib.Path, pathlib.Path, pathlib.Path]:
        """A toolchain whose tool says that it runs, waits, and then does some work, or compiles: its folder, and the two pipes."""
        folder = self.ingot.root / "blocking"
        folder.mkdir()
        started, proceed = folder / "started", folder / "proceed"
        os.mkfifo(started)
        os.mkfifo(proceed)
        tool = folder / "ingot-compile"
        compile_it = f'exec {self.ingot.toolchain}/ingot-compile "$@"'
        tool.write_text(f"#!/bin/sh\necho x > {started}\nread line < {proceed}\n{work or compile_it}\n")
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

    def test_those_who_waited_for_nothing_run_at_the_same_time(self) -> None:
        folder, started, proceed = self.blocking_toolchain("exit 1")
        with Signals(started, proceed) as tool:
            first = self.start(0, f"--toolchain={folder}")
            tool.wait_for(1)
            others = [self.start(i, f"--toolchain={folder}") for i in range(1, 5)]
            for other in others:
                deadline.wait_until("it waits", lambda other=other: self.waits(other))
            tool.let_go(1)
            self.assertEqual(first.wait(), 1)
            # None of them is let go before all of them run.
            tool.wait_for(len(others))
            tool.let_go(len(others))
            self.assertEqual([other.wait() for other in others], [1] * len(others))
        counters = self.ingot.counters()
        self.assertEqual((counters["waited"], counters["wait_timed_out"], counters["compile_failed"]), (4, 0, 5))

    def test_nobody_waits_for_an_upload(self) -> None:
        folder, started, proceed = self.blocking_toolchain()
        with FaultyHttpCache() as cache, Signals(started, proceed) as tool:
            cache.fail("PUT", STALL)
            process = self.start(0, f"--toolchain={folder}", f"--remote_cache={cache.url}", "--remote_timeout=1h", "--remote_budget=1h")
            tool.wait_for(1)
            self.assertTrue(self.is_claimed())
            tool.let_go(1)
            deadline.wait_until("it uploads", lambda: [request for request in cache.requests() if request.method == "PUT"])
            self.assertFalse(self.is_claimed())
            self.assertEqual(self.start(1, f"--toolchain={folder}").wait(), 0)
            self.assertEqual(self.made(1), self.reference())
            cache.work()
            self.assertEqual(process.wait(), 0)
        self.assertEqual(self.ingot.counters()["hit"], 1)

    def test_what_another_has_stored_meanwhile_is_not_counted_as_stored(self) -> None:
        folder, started, proceed = self.blocking_toolchain()
        # Nobody waits for who has another state: both run the tool, and one of them comes second.
        states = [self.ingot.root / f"state{i}" for i in range(2)]
        processes = [self.start(i, "--json", f"--toolchain={folder}", environment={"INGOT_STATE_DIR": str(state)}) for i, state in enumerate(states)]
        with Signals(started, proceed) as tool:
            tool.wait_for(2)
            results = []
            for _ in processes:
                tool.let_go(1)
                # One ends before the other goes on.
                ended = first_to_end([process for process in processes if process.returncode is None])
                results.append(json.loads(ended.stdout.read())["results"][0])
        self.assertEqual([result["cache"] for result in results], ["miss", "miss"])
        self.assertEqual([result["published"] for result in results], [True, False])
        self.assertEqual([result.get("already_stored", False) for result in results], [False, True])
        counted = [self.ingot.counters(environment={"INGOT_STATE_DIR": str(state)}) for state in states]
        self.assertEqual(sorted(counters["published"] for counters in counted), [0, 1])
        self.assertEqual(sum(counters["publish_failed"] + counters["conflict"] for counters in counted), 0)


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
