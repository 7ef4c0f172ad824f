"""Files that change while they are compiled, and files that are no files: the right answer or a clear one, and never a wrong hit."""

import os
import pathlib
import shlex
import unittest

from tests.suites.ingot_command import Ingot, Run

AVR = ("--target=avr", "--cpu=atmega328p")
COMMAND = ("main.c", *AVR, "-Ifirst", "-Isecond", "-o", "main.o")

# To root without the capability that lifts them, permissions are what they are to everybody else.
AS_ANYBODY = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()


class Sources(Ingot):
    """An `ingot` with a source that finds one header beside it and one in the second folder of its search path."""

    def __init__(self) -> None:
        super().__init__()
        self.write("main.c", "#include <shared.h>\n#include \"local.h\"\nint result(int x) { return x * LOCAL + SHARED; }\n")
        self.write("local.h", "#define LOCAL 3\n")
        self.write("second/shared.h", "#define SHARED 7\n")
        (self.work / "first").mkdir()

    def correct_output(self) -> bytes:
        """What a compilation without any cache makes of the files as they are."""
        run = self.compile(*COMMAND[:-1], "clean.o", environment={"INGOT_DISK_CACHE": "", "INGOT_TOOLCHAIN": self.toolchain})
        if run.exit_code != 0:
            raise AssertionError(run.err)
        return self.read("clean.o")


class ChangingInputsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Sources())

    def compile_while(self, before: str = "", after: str = "") -> Run:
        """Compiles with a tool that runs a shell command in the working directory before or after it does its work."""
        folder = self.ingot.root / "unsteady"
        folder.mkdir(exist_ok=True)
        tool = folder / "ingot-compile"
        here = f"(cd {shlex.quote(str(self.ingot.work))} && {{ %s; }})"
        tool.write_text(
            f"#!/bin/sh\n{here % (before or ':')}\n{shlex.quote(self.ingot.toolchain)}/ingot-compile \"$@\"\ncode=$?\n{here % (after or ':')}\nexit $code\n"
        )
        tool.chmod(0o755)
        self.ingot.environment["INGOT_TOOLCHAIN"] = str(folder)
        return self.ingot.compile(*COMMAND)

    def settle(self) -> None:
        """From now on nothing happens beside the tool, which stays the same one."""
        for name in ("before.sh", "after.sh"):
            (self.ingot.work / name).write_text(":\n")

    def assert_delivered_but_not_published(self, run: Run, output: bytes) -> None:
        self.assertEqual(run.exit_code, 0, run.err)
        (result,) = run.results
        self.assertEqual(result["cache"], "miss")
        self.assertEqual(len(result["warnings"]), 1)
        self.assertIn("changed meanwhile", result["warnings"][0])
        self.assertEqual(self.ingot.read("main.o"), output)
        counters = self.ingot.counters()
        self.assertEqual((counters["input_changed"], counters["published"], counters["hit"]), (1, 0, 0))
        # Whatever is asked for next gets what the files hold then.
        self.settle()
        expected = self.ingot.correct_output()
        for word in ("miss", "hit"):
            self.assertEqual(self.ingot.cache_word(*COMMAND), word)
            self.assertEqual(self.ingot.read("main.o"), expected)

    def test_a_header_that_is_edited_after_it_was_read(self) -> None:
        before = self.ingot.correct_output()
        self.ingot.write("after.sh", "echo '#define LOCAL 4' > local.h\n")
        run = self.compile_while(after="sh ./after.sh")
        self.assert_delivered_but_not_published(run, before)
        self.assertNotEqual(self.ingot.correct_output(), before)

    def test_a_header_that_appears_earlier_in_the_search_path(self) -> None:
        before = self.ingot.correct_output()
        self.ingot.write("after.sh", "echo '#define SHARED 8' > first/shared.h\n")
        run = self.compile_while(after="sh ./after.sh")
        self.assert_delivered_but_not_published(run, before)

    def test_a_header_that_is_replaced_by_an_equal_one(self) -> None:
        before = self.ingot.correct_output()
        self.ingot.write("after.sh", "cp local.h new.h && mv new.h local.h\n")
        run = self.compile_while(after="sh ./after.sh")
        # It is another file, and what it held in between nobody knows.
        self.assert_delivered_but_not_published(run, before)

    def test_a_header_that_vanishes(self) -> None:
        before = self.ingot.correct_output()
        self.ingot.write("after.sh", "rm local.h\n")
        run = self.compile_while(after="sh ./after.sh")
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertEqual(self.ingot.read("main.o"), before)
        self.assertEqual(self.ingot.counters()["published"], 0)
        self.settle()
        self.assertEqual(self.ingot.compile(*COMMAND).exit_code, 1)

    def test_a_header_that_is_edited_before_it_is_read(self) -> None:
        self.ingot.write("before.sh", "echo '#define LOCAL 4' > local.h\n")
        run = self.compile_while(before="sh ./before.sh")
        self.assertEqual(run.exit_code, 0, run.err)
        # What was compiled is what is there: the key is that of the new contents.
        self.settle()
        self.assertEqual(self.ingot.read("main.o"), self.ingot.correct_output())
        self.assertEqual(self.ingot.cache_word(*COMMAND), "hit")
        self.ingot.write("local.h", "#define LOCAL 3\n")
        self.assertEqual(self.ingot.cache_word(*COMMAND), "miss")
        self.assertEqual(self.ingot.read("main.o"), self.ingot.correct_output())

    def test_a_source_that_is_edited(self) -> None:
        before = self.ingot.correct_output()
        self.ingot.write("before.sh", "echo 'int other;' >> main.c\n")
        run = self.compile_while(before="sh ./before.sh")
        # The driver's copy is what was compiled, and the key is of that copy.
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertEqual(self.ingot.read("main.o"), before)
        self.settle()
        self.assertEqual(self.ingot.cache_word(*COMMAND), "miss")
        self.assertEqual(self.ingot.read("main.o"), self.ingot.correct_output())


class OddFilesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Sources())
        self.header = self.ingot.work / "local.h"

    def assert_hits_and_is_right(self) -> None:
        expected = self.ingot.correct_output()
        for word in ("miss", "hit"):
            self.assertEqual(self.ingot.cache_word(*COMMAND), word)
            self.assertEqual(self.ingot.read("main.o"), expected)

    def assert_is_an_error(self, pattern: str, prefix: tuple[str, ...] = ()) -> None:
        for _ in range(2):
            run = self.ingot.run("compile", *COMMAND, prefix=("timeout", "60", *prefix))
            self.assertEqual(run.exit_code, 1, run.err)
            self.assertRegex(run.err, pattern)
        self.assertEqual(self.ingot.counters()["published"], 0)

    def test_a_header_that_may_not_be_read(self) -> None:
        self.header.chmod(0)
        self.assert_is_an_error(r"main\.c:2:10: fatal error: cannot open file 'local\.h': Permission denied", AS_ANYBODY)
        self.header.chmod(0o644)
        self.assert_hits_and_is_right()

    def test_a_folder_that_may_not_be_entered_is_no_absence(self) -> None:
        (self.ingot.work / "first").chmod(0)
        run = self.ingot.compile(*COMMAND, prefix=AS_ANYBODY)
        (self.ingot.work / "first").chmod(0o755)
        self.assertEqual(run.exit_code, 1)
        self.assertIn("main.c:1:10: fatal error: cannot open file 'first/shared.h': Permission denied", run.results[0]["diagnostics"])
        self.assertEqual(self.ingot.counters()["published"], 0)
        self.assert_hits_and_is_right()

    def test_a_folder_in_a_headers_place(self) -> None:
        (self.ingot.work / "first/shared.h").mkdir()
        self.assert_hits_and_is_right()
        (self.ingot.work / "first/shared.h").rmdir()
        self.ingot.write("first/shared.h", "#define SHARED 8\n")
        self.assert_hits_and_is_right()

    def test_a_symlink_to_nothing(self) -> None:
        link = self.ingot.work / "first/shared.h"
        link.symlink_to("nowhere.h")
        self.assert_hits_and_is_right()
        self.ingot.write("first/nowhere.h", "#define SHARED 8\n")
        self.assert_hits_and_is_right()

    def test_a_symlink_to_itself(self) -> None:
        self.header.unlink()
        self.header.symlink_to("local.h")
        self.assert_is_an_error(r"main\.c:2:10: fatal error: .*local\.h")

    def test_pipes_and_devices_are_no_headers(self) -> None:
        self.header.unlink()
        os.mkfifo(self.header)
        self.assert_is_an_error(r"main\.c:2:10: fatal error: .*local\.h")
        self.header.unlink()
        self.header.symlink_to("/dev/zero")
        self.assert_is_an_error(r"main\.c:2:10: fatal error: .*local\.h")

    def test_a_source_without_an_end_is_an_error(self) -> None:
        source = self.ingot.work / "main.c"
        source.unlink()
        source.symlink_to("/dev/zero")
        run = self.ingot.run("compile", *COMMAND, prefix=("timeout", "60"))
        self.assertEqual(run.exit_code, 1, run.err)
        self.assertIn("cannot read main.c: it has more than 256 MiB", run.err)
        source.unlink()
        with open(source, "wb") as file:
            file.truncate(5 << 30)
        run = self.ingot.run("compile", *COMMAND)
        self.assertEqual(run.exit_code, 1, run.err)
        self.assertIn("cannot read main.c: it has more than 2047 MiB", run.err)

    def test_nothing_in_it(self) -> None:
        self.ingot.write("second/empty.h", "")
        self.ingot.write("main.c", "#include <empty.h>\n#include <shared.h>\nint result = SHARED;\n")
        self.assert_hits_and_is_right()
        self.ingot.write("second/empty.h", "int more;\n")
        self.assert_hits_and_is_right()

    def test_zero_bytes_and_no_newline(self) -> None:
        for contents in (b"#define LOCAL 3 \0\n", b"#define LOCAL 5", b"\xef\xbb\xbf#define LOCAL 6\n", b"#define LOCAL 7\r\n"):
            self.ingot.write("local.h", contents)
            self.assert_hits_and_is_right()

    def test_odd_names(self) -> None:
        for name in ("with space.h", "50%.h", "täglich.h", "back\\slash.h", "a\tb.h", "-dash.h", "#.h", "$HOME.h"):
            self.ingot.write("main.c", f'#include "{name}"\nint result = ODD;\n')
            self.ingot.write(name, "#define ODD 1\n")
            self.assert_hits_and_is_right()
            self.ingot.write(name, "#define ODD 2\n")
            self.assert_hits_and_is_right()

    def test_bytes_that_are_no_text(self) -> None:
        name = os.fsdecode(b"caf\xe9.h")
        self.ingot.write("main.c", b'#include "caf\xe9.h"\nint result = ODD;\n')
        pathlib.Path(self.ingot.work / name).write_text("#define ODD 1\n")
        self.assert_hits_and_is_right()

    def test_a_file_too_large_for_a_compiler(self) -> None:
        with open(self.header, "wb") as file:
            file.truncate(5 << 30)
        self.assert_is_an_error(r"main\.c:2:10: fatal error: cannot open file 'local\.h': File too large")


if __name__ == "__main__":
    unittest.main()
