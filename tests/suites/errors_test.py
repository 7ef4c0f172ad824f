"""One clear message and the documented exit code for everything that can be wrong."""

import os
import subprocess
import unittest

from tests.suites.ingot_command import CRASHING_KERNEL, KERNEL, Ingot


class ErrorsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("k.ll", KERNEL)

    def fails(self, exit_code: int, *arguments: str, says: tuple[str, ...], **options) -> str:
        run = self.ingot.run("compile", *arguments, **options)
        self.assertEqual(run.exit_code, exit_code, run.err)
        for text in says:
            self.assertIn(text, run.err)
        return run.err

    def test_usage(self) -> None:
        self.fails(2, "k.ll", says=("--target",))
        self.fails(2, "k.ll", "--target=nvtpx64", says=("nvtpx64", "did you mean 'nvptx64'"))
        self.fails(2, "k.ll", "--target=nvptx64", "--cpu=sm_9", says=("sm_9", "did you mean 'sm_90'"))
        self.fails(2, "k.ll", "--target=avr", "--cpu=atmega328", "--emit=ptx", says=("ptx",))
        self.fails(2, "k.ll", "--target=nvptx64", "--emit=obj", says=("obj", "asm"))
        self.fails(2, "k.ll", "--target=nvptx64", "-O7", says=("7",))
        self.fails(2, "k.ll", "--target=nvptx64", "--cpuu=sm_90", says=("--cpuu", "did you mean '--cpu'"))
        self.fails(2, "k.ll", "--target=nvptx64", "--timeout=soon", says=("--timeout", "soon"))
        self.fails(2, "--target=nvptx64", says=("no input",))
        self.fails(2, "k.ll", "k.ll", "--target=nvptx64", "-o", "one.ptx", says=("one.ptx", "folder"))
        self.fails(2, "k.ll", "--target=nvptx64", "-o", "k.ll", says=("overwrite the input",))
        self.assertEqual(self.ingot.run().exit_code, 2)
        self.assertEqual(self.ingot.run("compil").exit_code, 2)
        self.assertIn("did you mean 'compile'", self.ingot.run("compil").err)
        self.assertFalse(self.ingot.store.exists())

    def test_files(self) -> None:
        self.fails(1, "gone.ll", "--target=nvptx64", says=("gone.ll", "No such file"))
        self.fails(1, ".", "--target=nvptx64", "-o", "x", says=("folder",))
        self.fails(1, "k.ll", "--target=nvptx64", "-o", "no/such/folder.ptx", says=("no/such", "does not exist"))

    def test_permissions(self) -> None:
        # To root without the capability that lifts them, permissions are what they are to everybody else.
        prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
        secret = self.ingot.write("secret.ll", KERNEL)
        secret.chmod(0)
        self.fails(1, "secret.ll", "--target=nvptx64", says=("secret.ll", "Permission denied"), prefix=prefix)
        locked = self.ingot.work / "locked"
        locked.mkdir()
        locked.chmod(0o555)
        self.fails(1, "k.ll", "--target=nvptx64", "-o", "locked/k.ptx", says=("locked/k.ptx", "Permission denied"), prefix=prefix)

    def test_names(self) -> None:
        for name in ("[x]", "[a,b]", "a b.ll", "a\\b.ll", "a%b.ll", "-k.ll", "a\nb.ll", "ü.ll", "n" * 255):
            with self.subTest(name=name):
                self.ingot.write(name, KERNEL)
                run = self.ingot.run("compile", "--target=nvptx64", "-o", "named.ptx", "--", name)
                self.assertEqual((run.exit_code, run.err), (0, ""))
                self.assertIn(b".entry scale", self.ingot.read("named.ptx"))
        self.fails(1, "k.ll", "--target=nvptx64", "-o", "n" * 256, says=("too long",))

    def test_closed_and_full_streams(self) -> None:
        for redirection in (">/dev/full", ">&-"):
            for command in ("targets", "--help", "cache stats", "compile k.ll --target=nvptx64 --json"):
                with self.subTest(command=command, redirection=redirection):
                    script = f'exec "$0" {command} {redirection}'
                    run = self.ingot.run("-c", script, self.ingot.program, program="/bin/sh")
                    self.assertEqual(run.exit_code, 1, run.err)
                    self.assertIn("standard output", run.err)
        # With no stream open, an output file must not get the number of one.
        script = 'exec "$0" compile k.ll --target=nvptx64 -v -o closed.ptx <&- >&- 2>&-'
        self.ingot.run("-c", script, self.ingot.program, program="/bin/sh")
        self.ingot.run("compile", "k.ll", "--target=nvptx64", "-o", "open.ptx")
        self.assertEqual(self.ingot.read("closed.ptx"), self.ingot.read("open.ptx"))

    def test_a_parent_that_ignores_its_children(self) -> None:
        self.ingot.write("bad.ll", "nonsense")
        script = "trap '' CHLD; exec \"$0\" compile bad.ll --target=nvptx64"
        run = self.ingot.run("-c", script, self.ingot.program, program="/bin/sh")
        self.assertEqual(run.exit_code, 1, run.err)
        self.assertIn("bad.ll:1:", run.err)

    def test_json_is_json_whatever_the_bytes(self) -> None:
        run = self.ingot.run("compile", "--json", "k.ll", "--target=nvptx64", b"--cpu=\xff")
        self.assertEqual(run.exit_code, 2, run.err)
        self.assertEqual(run.results, [])

    def test_a_state_folder_that_vanishes(self) -> None:
        # Its place is taken by what no folder can be made in.
        run = self.ingot.run("compile", "k.ll", "--target=nvptx64", "-o", "k.ptx", "--state_dir=/dev/null/state")
        self.assertEqual((run.exit_code, run.err), (0, ""))

    def test_invalid_ir_names_line_and_column_of_the_users_file(self) -> None:
        bad = self.ingot.write("sub/bad.ll", "define void @f() {\n  %x = add i32 1, oops\n  ret void\n}\n")
        err = self.fails(1, "sub/bad.ll", "--target=nvptx64", says=("sub/bad.ll:2:", "error: ", "%x = add i32 1, oops"))
        self.assertNotIn("src/bad.ll", err)
        self.fails(1, str(bad), "--target=nvptx64", says=(f"{bad}:2:",))
        self.fails(1, "-", "--target=nvptx64", says=("<stdin>:1:",), stdin=b"nonsense\n")
        self.assertEqual(self.ingot.counters()["compile_failed"], 3)
        self.assertEqual(self.ingot.counters()["published"], 0)

    def test_invalid_bitcode(self) -> None:
        self.ingot.write("bad.bc", b"BC\xc0\xde" + b"\x00\x01\x02\x03" * 16)
        self.fails(1, "bad.bc", "--target=nvptx64", says=("bad.bc",))
        self.ingot.write("empty.ll", "")
        self.assertIn(self.ingot.run("compile", "empty.ll", "--target=nvptx64").exit_code, (0, 1))

    def test_a_module_of_another_machine(self) -> None:
        self.ingot.write("x86.ll", 'target triple = "x86_64-pc-linux-gnu"\ndefine void @f() {\n  ret void\n}\n')
        self.fails(1, "x86.ll", "--target=nvptx64", says=("x86_64-pc-linux-gnu", "nvptx64"))

    def test_missing_toolchain(self) -> None:
        self.fails(3, "k.ll", "--target=nvptx64", "--toolchain=/nowhere", says=("/nowhere", "--toolchain"))

    def test_json_carries_the_same(self) -> None:
        run = self.ingot.compile("gone.ll", "--target=nvptx64")
        self.assertEqual((run.exit_code, run.results[0]["exit_code"]), (1, 1))
        self.assertIn("gone.ll", run.results[0]["error"])
        self.assertEqual(run.err, "")

    def test_help_everywhere(self) -> None:
        for command in ((), ("compile",), ("targets",), ("cache",), ("cache", "stats")):
            run = self.ingot.run(*command, "--help")
            self.assertEqual((run.exit_code, run.err), (0, ""))
            self.assertTrue(run.out)
        self.assertIn(b"Exit codes", self.ingot.run("--help").out)
        self.assertEqual(self.ingot.run("--version").exit_code, 0)


class CrashTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("collects.ll", CRASHING_KERNEL)

    def test_an_abort_in_llvm_is_contained(self) -> None:
        for _ in range(2):
            run = self.ingot.compile("collects.ll", "--target=nvptx64", "-o", "collects.ptx")
            self.assertEqual(run.exit_code, 3)
            (result,) = run.results
            self.assertTrue(result["crashed"])
            self.assertEqual(result["cache"], "miss")
            self.assertFalse((self.ingot.work / "collects.ptx").exists())
        self.assertIn("codegen", result["error"])
        self.assertIn("SIGABRT", result["error"])
        self.assertIn("address space", result["error"])
        self.assertNotRegex(result["error"], "0x[0-9a-f]{6}")
        counters = self.ingot.counters()
        self.assertEqual((counters["tool_crashed"], counters["published"], counters["hit"]), (2, 0, 0))
        self.assertFalse((self.ingot.store / "ac").exists())
        self.assertEqual(list((self.ingot.state / "work").iterdir()), [])

    def test_the_reproducer_reproduces(self) -> None:
        run = self.ingot.compile("collects.ll", "--target=nvptx64", "-o", "collects.ptx")
        script = run.results[0]["reproducer"]
        again = subprocess.run([script], capture_output=True, check=False)
        self.assertLess(again.returncode, 0)
        self.assertIn(b"codegen", again.stderr)

    def test_the_other_inputs_finish(self) -> None:
        self.ingot.write("a.ll", KERNEL)
        self.ingot.write("z.ll", KERNEL)
        run = self.ingot.compile("a.ll", "collects.ll", "z.ll", "--target=nvptx64", "-o", "./")
        self.assertEqual(run.exit_code, 3)
        self.assertEqual([r["exit_code"] for r in run.results], [0, 3, 0])
        self.assertTrue((self.ingot.work / "z.ptx").exists())

    def test_few_reproducers_are_kept(self) -> None:
        for i in range(20):
            self.ingot.write(f"s{i}.ll", CRASHING_KERNEL + f"; {i}\n")
        names = [f"s{i}.ll" for i in range(20)]
        self.assertEqual(self.ingot.run("compile", *names, "--target=nvptx64", "-o", "./").exit_code, 3)
        self.assertLessEqual(len(list((self.ingot.state / "crashes").iterdir())), 17)

    def test_a_state_folder_with_things_of_the_users(self) -> None:
        state = self.ingot.root / "home"
        precious = [state / "work" / "thesis" / "chapter.tex"]
        precious += [state / "crashes" / f"report-{i}" / "notes" for i in range(20)]
        for path in precious:
            path.parent.mkdir(parents=True)
            path.write_text("precious")
        self.ingot.write("crash.ll", CRASHING_KERNEL)
        self.assertEqual(self.ingot.compile("crash.ll", "--target=nvptx64", f"--state_dir={state}").exit_code, 3)
        self.assertEqual([path for path in precious if not path.exists()], [])

    def test_a_time_limit(self) -> None:
        # The legalizer never ends on a target extension type that the target does not know.
        self.ingot.write("hang.ll", 'define void @f(target("spirv.Image", void, 0, 0, 0, 0, 0, 0, 0) %a) {\n  ret void\n}\n')
        run = self.ingot.compile("hang.ll", "--target=avr", "--timeout=1s", "-o", "hang.o")
        self.assertEqual(run.exit_code, 3)
        self.assertIn("time limit of 1s", run.results[0]["error"])
        self.assertIn("codegen", run.results[0]["error"])
        self.assertEqual(self.ingot.counters()["published"], 0)


if __name__ == "__main__":
    unittest.main()
