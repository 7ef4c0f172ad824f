"""Whatever an HTTP cache does - wrong bytes, half bodies, refusals, silence, endless bodies - costs a warning and a bounded time.

INGOT and INGOT_COMPILE name the programs.
"""

import base64
import unittest

from tests.servers import test_main
from tests.servers.faulty_http import (
    ENDLESS,
    HALF_BODY,
    HANG_UP,
    NO_CONTENT,
    REDIRECT,
    STALL,
    WRONG_BYTES,
    WRONG_LENGTH,
    FaultyHttpCache,
)
from tests.suites.ingot_command import Ingot, Run, numbered_kernel, with_number

_JOB = ("k.ll", "--target=nvptx64", "--cpu=sm_80", "-o", "k.ptx")

# What a stalled server may hold a test up for: nobody waits for a server that says nothing longer than this.
_PATIENCE = ("--remote_timeout=300ms", "--remote_budget=1s", "--remote_retries=1")


class FaultyHttpCacheTest(unittest.TestCase):
    def setUp(self) -> None:
        self.cache = self.enterContext(FaultyHttpCache())
        with Ingot() as ingot:
            ingot.write("k.ll", numbered_kernel(1))
            run = ingot.compile(*_JOB, f"--remote_cache={self.cache.url}")
            self.assertTrue(run.results[0]["published"])
            self.right = ingot.read("k.ptx")

    def new_machine(self) -> Ingot:
        """A machine that knows nothing, with a kernel that the server has."""
        ingot = self.enterContext(Ingot())
        ingot.write("k.ll", numbered_kernel(1))
        return ingot

    def compile(self, ingot: Ingot, *more: str) -> Run:
        run = ingot.compile(*_JOB, f"--remote_cache={self.cache.url}", *_PATIENCE, *more)
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertEqual(ingot.read("k.ptx"), self.right)
        return run

    def test_faults_of_reading(self) -> None:
        for fault, reason in (
            (WRONG_BYTES, "corrupt entry"),
            (HALF_BODY, "store error"),
            (WRONG_LENGTH, "store error"),
            (HANG_UP, "store error"),
            (STALL, "store error"),
            (REDIRECT, "store error"),
            (ENDLESS, "corrupt entry"),
            (NO_CONTENT, "not found"),
            (401, "store error"),
            (403, "store error"),
            (404, "not found"),
            (410, "not found"),
            (418, "store error"),
            (500, "store error"),
            (503, "store error"),
        ):
            with self.subTest(fault=fault):
                self.cache.fail("GET", fault)
                ingot = self.new_machine()
                (result,) = self.compile(ingot).results
                self.cache.work()
                self.assertEqual((result["cache"], result["miss_reason"]), ("miss", reason))
                self.assertEqual(len(result["warnings"]), 0 if reason == "not found" else 1, result["warnings"])
                for warning in result["warnings"]:
                    self.assertIn(self.cache.url, warning)
                # The result is kept here, whatever the server does.
                self.assertEqual(self.compile(ingot).results[0]["cache"], "hit")

    def test_faults_of_blobs_behind_a_good_entry(self) -> None:
        for fault, reason in ((WRONG_BYTES, "corrupt blob"), (HALF_BODY, "store error"), (404, "missing blob"), (ENDLESS, "corrupt blob"), (STALL, "store error")):
            with self.subTest(fault=fault):
                self.cache.fail("GET", fault, under="/cas/")
                (result,) = self.compile(self.new_machine()).results
                self.cache.work()
                self.assertEqual((result["cache"], result["miss_reason"]), ("miss", reason))

    def test_a_lie_is_overwritten_with_the_truth(self) -> None:
        for path in list(self.cache.contents):
            self.cache.contents[path] = self.cache.contents[path][:-1] + b"?"
        self.assertEqual(self.compile(self.new_machine()).results[0]["cache"], "miss")
        self.assertEqual(self.compile(self.new_machine()).results[0]["cache"], "hit")

    def test_faults_of_writing(self) -> None:
        for number, fault in enumerate((401, 403, 405, 413, 500, 503, 507, HANG_UP, STALL, REDIRECT), start=2):
            with self.subTest(fault=fault):
                self.cache.fail("PUT", fault)
                ingot = self.enterContext(Ingot())
                ingot.write("k.ll", numbered_kernel(number))
                run = ingot.compile(*_JOB, f"--remote_cache={self.cache.url}", *_PATIENCE)
                self.cache.work()
                self.assertEqual(run.exit_code, 0)
                self.assertEqual(ingot.read("k.ptx"), with_number(self.right, number))
                self.assertEqual(len(run.results[0]["warnings"]), 1, run.results[0]["warnings"])
                self.assertIn(self.cache.url, run.results[0]["warnings"][0])
                self.assertEqual(ingot.counters()["publish_failed"], 1)
                # No entry may name what is not there.
                self.assertFalse([path for path in self.cache.contents if path.startswith("/ac/") and number > 1 and run.results[0]["key"].split("/")[0] in path])
                self.assertEqual(ingot.compile(*_JOB).results[0]["cache"], "hit")

    def test_an_outage_is_paid_for_once(self) -> None:
        ingot = self.enterContext(Ingot())
        names = [f"k{number}.ll" for number in range(40)]
        for number, name in enumerate(names):
            ingot.write(name, numbered_kernel(number))
        (ingot.work / "out").mkdir()
        for fault in (STALL, 503, HANG_UP):
            with self.subTest(fault=fault):
                self.cache.fail("GET", fault)
                before = len(self.cache.requests())
                run = ingot.run("compile", *names, "--target=nvptx64", "--cpu=sm_80", "-o", "out/", "--disk_cache=", f"--remote_cache={self.cache.url}", *_PATIENCE)
                self.cache.work()
                self.assertEqual(run.exit_code, 0, run.err)
                # Two warnings: what happened first, and how many more there were.
                self.assertLessEqual(run.err.count("ingot: warning: "), 2, run.err)
                # Three faults in a row and two threads, each request twice.
                self.assertLess(len(self.cache.requests()) - before, 20)
                for number in range(40):
                    self.assertEqual(ingot.read(f"out/k{number}.ptx"), with_number(self.right, number))

    def test_an_outage_is_told_once(self) -> None:
        ingot = self.enterContext(Ingot())
        names = [f"k{number}.ll" for number in range(12)]
        for number, name in enumerate(names, start=100):
            ingot.write(name, numbered_kernel(number))
        (ingot.work / "out").mkdir()
        for method in ("GET", "PUT"):
            with self.subTest(method=method):
                self.cache.fail(method, 403)
                run = ingot.compile(*names, "-j1", "--target=nvptx64", "--cpu=sm_80", "-o", "out/", "--disk_cache=", f"--remote_cache={self.cache.url}")
                self.cache.work()
                self.assertEqual(run.exit_code, 0, run.err)
                warnings = [warning for result in run.results for warning in result["warnings"]]
                self.assertEqual(len(warnings), 1, warnings)
                self.assertIn("403", warnings[0])

    def test_repetitions(self) -> None:
        for fault, times in ((503, 3), (500, 3), (HANG_UP, 3), (404, 1), (403, 1), (WRONG_BYTES, 1)):
            with self.subTest(fault=fault):
                self.cache.fail("GET", fault, under="/ac/")
                before = len(self.cache.requests())
                self.compile(self.new_machine(), "--remote_retries=2", "--noremote_upload_local_results", "--remote_budget=20s", "--remote_timeout=5s")
                self.assertEqual([request.method for request in self.cache.requests()[before:]], ["GET"] * times)
                self.cache.work()


class CredentialsTest(unittest.TestCase):
    def check(self, authorization: str, url_user: str, *more: str, prepare=lambda ingot: None, **options) -> None:
        with FaultyHttpCache(authorization) as cache, Ingot() as ingot:
            ingot.write("k.ll", numbered_kernel(1))
            prepare(ingot)
            url = cache.url.replace("http://", f"http://{url_user}")
            run = ingot.compile(*_JOB, f"--remote_cache={url}", *more, **options)
            self.assertEqual(run.exit_code, 0, run.err)
            self.assertEqual(run.results[0]["warnings"], [])
            self.assertTrue(cache.contents)
            self.assertNotIn("secret", run.out.decode() + run.err)
            for path in [*ingot.store.rglob("*"), *ingot.state.rglob("*")]:
                if path.is_file():
                    self.assertNotIn(b"secret", path.read_bytes(), path)

    def test_basic(self) -> None:
        self.check("Basic " + base64.b64encode(b"me:secret").decode(), "me:secret@")

    def test_bearer(self) -> None:
        self.check("Bearer secret", "", "--remote_header=Authorization=Bearer secret")
        self.check("Bearer secret", "", environment={"INGOT_REMOTE_HEADER": "Authorization=Bearer secret"})

    def test_netrc(self) -> None:
        def prepare(ingot: Ingot) -> None:
            (ingot.root / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")

        self.check("Basic " + base64.b64encode(b"me:secret").decode(), "", prepare=prepare)

    def test_wrong_ones_are_one_warning_without_them(self) -> None:
        with FaultyHttpCache("Bearer right") as cache, Ingot() as ingot:
            ingot.write("k.ll", numbered_kernel(1))
            run = ingot.run("compile", *_JOB, f"--remote_cache={cache.url.replace('http://', 'http://me:secret@')}")
            self.assertEqual(run.exit_code, 0)
            self.assertEqual(run.err.count("ingot: warning: "), 1, run.err)
            self.assertIn("401", run.err)
            self.assertNotIn("secret", run.err)


class WrongFlagsTest(unittest.TestCase):
    def test_what_cannot_be_is_a_usage_error(self) -> None:
        ingot = self.enterContext(Ingot())
        ingot.write("k.ll", numbered_kernel(1))
        for flags, word in (
            (("--remote_cache=grpc://cache",), "grpc"),
            (("--remote_cache=cache:8080",), "http://"),
            (("--remote_cache=http://cache", "--remote_header=secret"), "--remote_header"),
            (("--remote_cache=http://cache", "--remote_timeout=soon"), "--remote_timeout"),
            (("--remote_cache=http://cache", "--remote_retries=-1"), "--remote_retries"),
            (("--remote_cache=http://me:secret@",), "--remote_cache"),
        ):
            with self.subTest(flags=flags):
                run = ingot.run("compile", *_JOB, *flags)
                self.assertEqual(run.exit_code, 2, run.err)
                self.assertIn(word, run.err)
                self.assertNotIn("secret", run.err)
                self.assertFalse((ingot.work / "k.ptx").exists())


if __name__ == "__main__":
    test_main.main()
