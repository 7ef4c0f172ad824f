"""Every fault that a store can have costs a warning and never the compilation: injected into single system calls, and real ones."""

import os
import re
import shutil
import subprocess
import unittest

from tests.suites.ingot_command import Ingot, numbered_kernel, with_number
from tests.suites.system_calls import STRACE, Call, inject, trace

TARGET = ("--target=nvptx64", "--cpu=sm_80")

# What the system answers about files, by the calls that it can answer so.
FAULTS = {
    "openat": ("EMFILE", "ENFILE", "EACCES", "EIO", "ENOSPC", "EROFS", "ENAMETOOLONG", "ESTALE", "ENOMEM"),
    "write": ("ENOSPC", "EDQUOT", "EIO"),
    "pwrite64": ("ENOSPC", "EIO"),
    "read": ("EIO", "ESTALE"),
    "pread64": ("EIO",),
    "fsync": ("EIO", "ENOSPC", "EDQUOT"),
    "close": ("EIO", "ENOSPC"),
    "rename": ("EACCES", "ENOSPC", "EXDEV", "EIO", "ESTALE"),
    "renameat2": ("EACCES", "ENOSPC", "EXDEV", "EINVAL", "ENOSYS"),
    "mkdir": ("EACCES", "ENOSPC", "EROFS", "EMLINK"),
    "fstat": ("EIO",),
    "newfstatat": ("EIO", "EACCES", "ESTALE"),
    "utimensat": ("EPERM", "EROFS"),
    "fcntl": ("ENOLCK", "EINVAL"),
    "flock": ("ENOLCK", "ENOSYS", "EOPNOTSUPP"),
    "unlink": ("EACCES", "EBUSY"),
    "linkat": ("EMLINK", "EPERM"),
    "getdents64": ("EIO",),
}


class FaultCase(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.number = 1
        self.ingot.write("k.ll", numbered_kernel(1))
        self.assertEqual(self.ingot.cache_word(*self.command()), "miss")
        self.template = self.ingot.read("k.ptx")
        # The digest of a compile tool that was only just built is not remembered, so the system calls of one run would
        # not be those of the next.
        while not (self.ingot.state / "file_digests").exists():
            self.assertEqual(self.ingot.cache_word(*self.command()), "hit")

    def command(self, *more: str) -> tuple[str, ...]:
        return ("k.ll", *TARGET, "-o", "k.ptx", *more)

    def next_kernel(self) -> bytes:
        """Puts a kernel in place that nobody has compiled yet and returns its right output."""
        self.number += 1
        self.ingot.write("k.ll", numbered_kernel(self.number))
        return with_number(self.template, self.number)

    def check_right(self, right: bytes, run, what: object, most_warnings: int = 1) -> None:
        self.assertEqual(run.exit_code, 0, f"{what}\n{run.err}")
        self.assertEqual(self.ingot.read("k.ptx"), right, str(what))
        self.assertLessEqual(len(re.findall("^ingot: warning: ", run.err, re.MULTILINE)), most_warnings, f"{what}\n{run.err}")


@unittest.skipIf(STRACE is None, "strace is not installed")
class InjectedFaultTest(FaultCase):
    def check_each(self, calls: list[Call], prepare) -> None:
        """Injects each fault into each call that concerns the store or the state."""
        injected = 0
        ours = re.compile(f"{re.escape(str(self.ingot.store))}|{re.escape(str(self.ingot.state))}/store-|{re.escape(str(self.ingot.state))}/file_digests")
        for call in calls:
            if not ours.search(call.text):
                continue
            for fault in FAULTS.get(call.name, ()):
                right = prepare()
                run = inject(self.ingot, call, f"error={fault}", "compile", *self.command())
                self.check_right(right, run, f"{fault} at {call}")
                injected += 1
        self.assertGreater(injected, 50)
        self.assertEqual(self.ingot.counters()["conflict"], 0)
        # Nothing that was stored on the way is wrong.
        for number in range(2, self.number + 1, 7):
            self.ingot.write("k.ll", numbered_kernel(number))
            run = self.ingot.run("compile", *self.command())
            self.check_right(with_number(self.template, number), run, f"after all: {number}", most_warnings=0)

    def test_a_miss(self) -> None:
        self.next_kernel()
        self.check_each(trace(self.ingot, "compile", *self.command()), self.next_kernel)

    def test_a_hit(self) -> None:
        right = self.next_kernel()
        self.ingot.cache_word(*self.command())

        def stored() -> bytes:
            # A fault of the disk counts as damage, and the repair must not be in the next round's way.
            self.ingot.cache_word(*self.command())
            return right

        self.check_each(trace(self.ingot, "compile", *self.command()), stored)

    def test_names_that_appear_late(self) -> None:
        """As on a network file system, where a rename takes its time to be seen."""
        for name in ("rename", "renameat2"):
            right = self.next_kernel()
            processes = [
                subprocess.Popen(
                    [STRACE, "-qq", "-o", "/dev/null", "-e", f"inject={name}:delay_exit=20000", self.ingot.program, "compile", "k.ll", *TARGET, "-o", f"late{i}.ptx"],
                    cwd=self.ingot.work,
                    env=self.ingot.environment,
                )
                for i in range(8)
            ]
            self.assertEqual([process.wait() for process in processes], [0] * 8)
            for i in range(8):
                self.assertEqual(self.ingot.read(f"late{i}.ptx"), right)
            self.assertEqual(self.ingot.counters()["conflict"], 0)


def can_mount() -> bool:
    """Whether a mount of one's own can be made here, in a namespace of its own."""
    done = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
    return done.returncode == 0


@unittest.skipUnless(can_mount(), "no user namespaces here, so no file systems of our own")
class RealFaultTest(FaultCase):
    def mounted(self, mount: str, *arguments: str):
        """Runs `ingot` in a mount namespace in which `mount` was done before."""
        script = f'{mount} && exec "$@"'
        return self.ingot.run(*arguments, prefix=("unshare", "-rm", "sh", "-c", script, "sh"))

    def check_faulty(self, mount: str, word: str) -> None:
        right = self.next_kernel()
        run = self.mounted(mount, "compile", "--json", *self.command())
        self.check_right(right, run, mount)
        (result,) = run.results
        self.assertEqual((result["cache"], result["published"]), ("miss", False), mount)
        self.assertEqual(len(result["warnings"]), 1, result["warnings"])
        self.assertIn(word, result["warnings"][0])
        self.assertIn(str(self.ingot.store), result["warnings"][0])
        self.assertEqual(self.ingot.counters()["publish_failed"], 1)

    def test_a_read_only_file_system_hits_and_stores_nothing(self) -> None:
        mount = f"mount --bind {self.ingot.store} {self.ingot.store} && mount -o remount,bind,ro {self.ingot.store}"
        run = self.mounted(mount, "compile", "--json", *self.command())
        self.assertEqual(run.results[0]["cache"], "hit")
        self.assertEqual(run.results[0]["warnings"], [])
        self.check_faulty(mount, "Read-only file system")

    def test_a_full_file_system(self) -> None:
        # A file system of one page, which the folders leave no room in.
        self.check_faulty(f"mount -t tmpfs -o size=4k,mode=0755 none {self.ingot.store} && mkdir {self.ingot.store}/tmp && head -c 4096 /dev/zero > {self.ingot.store}/full", "No space left")

    def test_without_proc(self) -> None:
        """As in a chroot: a file that was made without a name cannot be given one there."""
        hide_proc = "mount -t tmpfs none /proc"
        right = self.next_kernel()
        for word in ("miss", "hit"):
            run = self.mounted(hide_proc, "compile", "--json", *self.command())
            self.check_right(right, run, word, most_warnings=0)
            self.assertEqual(run.results[0]["cache"], word)
            # A new output, and one to replace.
            (self.ingot.work / "new.ptx").unlink(missing_ok=True)
            self.assertEqual(self.mounted(hide_proc, "compile", "k.ll", *TARGET, "-o", "new.ptx").exit_code, 0)
            self.assertEqual(self.ingot.read("new.ptx"), right)
        self.assertEqual([path.name for path in self.ingot.work.glob(".ingot*")], [])

    def test_no_more_inodes(self) -> None:
        self.check_faulty(f"mount -t tmpfs -o nr_inodes=4,mode=0755 none {self.ingot.store}", "No space left")


class HostileSurroundingsTest(FaultCase):
    def test_a_store_that_is_a_file(self) -> None:
        path = self.ingot.root / "file"
        path.write_text("I am a file")
        right = self.next_kernel()
        run = self.ingot.run("compile", *self.command(f"--disk_cache={path}"))
        self.check_right(right, run, "file")
        self.assertIn(str(path), run.err)
        self.assertEqual(path.read_text(), "I am a file")

    def test_a_path_that_is_too_long(self) -> None:
        for path in ("/x" * 3000, "y" * 300):
            right = self.next_kernel()
            run = self.ingot.run("compile", *self.command(f"--disk_cache={self.ingot.root}/{path}"))
            self.check_right(right, run, "long path")

    def test_few_file_descriptors(self) -> None:
        right = self.next_kernel()
        for limit in (12, 16, 24):
            run = self.ingot.run("compile", *self.command(), prefix=("sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"))
            self.check_right(right, run, f"{limit} file descriptors")

    def test_a_store_deleted_under_our_feet_and_write_protected(self) -> None:
        right = self.next_kernel()
        processes = []
        for i in range(32):
            folder = self.ingot.root / f"p{i}"
            folder.mkdir()
            shutil.copy(self.ingot.work / "k.ll", folder)
            processes.append(subprocess.Popen([self.ingot.program, "compile", *self.command()], cwd=folder, env=self.ingot.environment, stderr=subprocess.DEVNULL))
        while any(process.poll() is None for process in processes):
            subprocess.run(["rm", "-rf", str(self.ingot.store)], check=False, stderr=subprocess.DEVNULL)
            if self.ingot.store.exists():
                os.chmod(self.ingot.store, 0o555)
                os.chmod(self.ingot.store, 0o755)
        self.assertEqual([process.returncode for process in processes], [0] * 32)
        for i in range(32):
            self.assertEqual((self.ingot.root / f"p{i}" / "k.ptx").read_bytes(), right)
        self.assertEqual(self.ingot.counters()["conflict"], 0)


if __name__ == "__main__":
    unittest.main()
