"""Sources with headers: what hits, what misses, and with which bytes.

Each test says by counter whether something was a hit, and by bytes that what came out is what a compilation without
any cache makes of the files as they are.
"""

import json
import os
import pathlib
import shutil
import unittest

from tests.suites.ingot_command import Ingot

AVR = ("--target=avr", "--cpu=atmega328p")

MAIN = """\
#include "local.h"
#include <shared.h>
int result(int x) { return x * LOCAL + SHARED; }
"""


class HeadersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.write("main.c", MAIN)
        self.write("local.h", "#define LOCAL 3\n")
        self.write("second/shared.h", "#define SHARED 7\n")
        (self.ingot.work / "first").mkdir()
        self.command = ("main.c", *AVR, "-Ifirst", "-Isecond", "-o", "main.o")

    def write(self, name: str, text: str) -> pathlib.Path:
        return self.ingot.write(name, text)

    def word(self, *arguments: str, **options) -> str:
        """Compiles through the cache, compares with a compilation without one, and says "hit" or "miss"."""
        command = arguments or self.command
        word = self.ingot.cache_word(*command, **options)
        cwd = options.get("cwd") or self.ingot.work
        output = cwd / command[command.index("-o") + 1]
        cached = output.read_bytes()
        environment = {**(options.get("environment") or {}), "INGOT_DISK_CACHE": ""}
        self.ingot.cache_word(*command, **{**options, "environment": environment})
        self.assertEqual(cached, output.read_bytes(), "the cache gave other bytes than the compiler")
        return word

    def test_the_second_time_is_a_hit(self) -> None:
        self.assertEqual(self.word(), "miss")
        self.assertEqual(self.word(), "hit")
        counters = self.ingot.counters()
        self.assertEqual((counters["hit"], counters["miss_not_found"], counters["published"]), (1, 1, 1))

    def test_touch_hits(self) -> None:
        self.assertEqual(self.word(), "miss")
        for name in ("main.c", "local.h", "second/shared.h"):
            os.utime(self.ingot.work / name, (1, 1))
            self.assertEqual(self.word(), "hit")

    def test_edit_misses_and_revert_hits(self) -> None:
        self.assertEqual(self.word(), "miss")
        for name, edited in (("local.h", "#define LOCAL 4\n"), ("second/shared.h", "#define SHARED 8\n")):
            before = (self.ingot.work / name).read_text()
            self.write(name, edited)
            self.assertEqual(self.word(), "miss")
            self.assertEqual(self.word(), "hit")
            self.write(name, before)
            self.assertEqual(self.word(), "hit")

    def test_an_edit_that_keeps_size_and_time_misses(self) -> None:
        header = self.ingot.work / "local.h"
        self.assertEqual(self.word(), "miss")
        times = header.stat()
        self.write("local.h", "#define LOCAL 9\n")
        os.utime(header, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertEqual(self.word(), "miss")

    def test_a_header_earlier_in_the_search_path_misses(self) -> None:
        self.assertEqual(self.word(), "miss")
        self.write("first/shared.h", "#define SHARED 100\n")
        self.assertEqual(self.word(), "miss")
        self.assertEqual(self.word(), "hit")
        (self.ingot.work / "first/shared.h").unlink()
        self.assertEqual(self.word(), "hit")

    def test_a_header_beside_the_source_hides_the_search_path(self) -> None:
        self.write("main.c", '#include "shared.h"\nint result(void) { return SHARED; }\n')
        self.assertEqual(self.word(), "miss")
        self.write("shared.h", "#define SHARED 5\n")
        self.assertEqual(self.word(), "miss")

    def test_a_folder_that_appears_in_the_search_path_misses(self) -> None:
        self.write("main.c", "#include <sub/deep.h>\nint result(void) { return DEEP; }\n")
        self.write("second/sub/deep.h", "#define DEEP 1\n")
        self.assertEqual(self.word(), "miss")
        (self.ingot.work / "first/sub").mkdir()
        self.assertEqual(self.word(), "miss", "a folder that was not there may hold anything")
        self.write("first/sub/deep.h", "#define DEEP 2\n")
        self.assertEqual(self.word(), "miss")

    def test_has_include_is_a_lookup(self) -> None:
        self.write("main.c", "#if __has_include(<maybe.h>)\nint result = 1;\n#else\nint result = 2;\n#endif\n")
        self.assertEqual(self.word(), "miss")
        self.write("second/maybe.h", "")
        self.assertEqual(self.word(), "miss")
        self.assertEqual(self.word(), "hit")
        (self.ingot.work / "second/maybe.h").unlink()
        self.assertEqual(self.word(), "hit")

    def test_an_absence_counts_for_the_contents_that_looked(self) -> None:
        """A record of other contents with the same files must not vouch for what these contents did not find."""
        plain, curious = "#define SHARED 7\n", "#if __has_include(<maybe.h>)\n#define SHARED 1\n#else\n#define SHARED 2\n#endif\n"
        self.assertEqual(self.word(), "miss")
        self.write("second/shared.h", curious)
        self.assertEqual(self.word(), "miss")
        self.write("second/maybe.h", "")
        self.assertEqual(self.word(), "miss")
        self.write("second/shared.h", plain)
        self.assertEqual(self.word(), "hit")

    def test_a_deleted_header_is_an_error(self) -> None:
        self.assertEqual(self.word(), "miss")
        (self.ingot.work / "local.h").unlink()
        run = self.ingot.run("compile", *self.command)
        self.assertEqual(run.exit_code, 1)
        self.assertIn("main.c:1:10: fatal error: 'local.h' file not found", run.err)
        self.write("local.h", "#define LOCAL 3\n")
        self.assertEqual(self.word(), "hit")

    def test_a_macro_of_the_command_line_misses(self) -> None:
        self.write("main.c", MAIN + "#ifdef X\nint x = X;\n#endif\n")
        self.assertEqual(self.word(), "miss")
        self.assertEqual(self.word(*self.command, "-DX=1"), "miss")
        self.assertEqual(self.word(*self.command, "-DX=2"), "miss")
        self.assertEqual(self.word(*self.command, "-D", "X=1"), "hit")
        self.assertEqual(self.word(*self.command, "-DX=1", "-UX"), "miss")

    def test_an_unrelated_file_hits(self) -> None:
        self.assertEqual(self.word(), "miss")
        self.write("unrelated.h", "#error\n")
        self.write("second/unrelated.h", "#error\n")
        self.assertEqual(self.word(), "hit")

    def test_checkouts_at_different_depths_share(self) -> None:
        for debug in ((), ("-g",)):
            with self.subTest(debug=debug):
                command = (*self.command, *debug)
                self.assertEqual(self.word(*command), "miss")
                first = self.ingot.read("main.o")
                moved = self.ingot.root / "quite" / f"another{len(debug)}" / "depth"
                shutil.copytree(self.ingot.work, moved)
                self.assertEqual(self.word(*command, cwd=moved), "hit")
                self.assertEqual((moved / "main.o").read_bytes(), first)
                absolute = (str(moved / "main.c"), *AVR, f"-I{moved}/first", f"-I{moved}/second", "-o", "abs.o", *debug)
                self.assertEqual(self.word(*absolute), "hit")
                self.assertEqual(self.ingot.read("abs.o"), first)

    def test_no_host_path_is_in_the_output(self) -> None:
        self.write("main.c", MAIN + "const char *where = __FILE__;\n")
        for kind in ("obj", "asm", "bc", "ll"):
            self.word(*self.command, "-g", f"--emit={kind}")
            self.assertNotIn(str(self.ingot.root).encode(), self.ingot.read("main.o"), kind)

    def test_a_symlinked_checkout_hits(self) -> None:
        self.assertEqual(self.word(), "miss")
        link = self.ingot.root / "link"
        link.symlink_to(self.ingot.work)
        self.assertEqual(self.word(cwd=link), "hit")
        self.assertEqual(self.word(f"{link}/main.c", *AVR, f"-I{link}/first", f"-I{link}/second", "-o", "main.o"), "hit")

    def test_a_symlinked_header_is_its_contents(self) -> None:
        self.assertEqual(self.word(), "miss")
        header = self.ingot.work / "second/shared.h"
        header.rename(self.ingot.work / "real.h")
        header.symlink_to("../real.h")
        self.assertEqual(self.word(), "hit")
        self.write("real.h", "#define SHARED 70\n")
        self.assertEqual(self.word(), "miss")
        self.write("other.h", "#define SHARED 71\n")
        header.unlink()
        header.symlink_to("../other.h")
        self.assertEqual(self.word(), "miss")

    def test_one_header_by_two_names_is_one_file(self) -> None:
        """#pragma once asks for the file, not for its name."""
        self.write("second/once.h", "#pragma once\nstruct once { int a; };\n")
        self.write("main.c", '#include "second/once.h"\n#include <once.h>\nint result = sizeof(struct once);\n')
        self.assertEqual(self.word(), "miss")
        self.assertEqual(self.word(), "hit")
        alias = self.ingot.work / "first/once.h"
        alias.symlink_to("../second/once.h")
        self.assertEqual(self.word(), "miss")
        self.assertEqual(self.word(), "hit")

    def test_headers_above_the_source(self) -> None:
        self.write("app/src/main.c", '#include "../include/a.h"\n#include "../../top.h"\nint result = A + TOP;\n')
        self.write("app/include/a.h", "#define A 1\n")
        self.write("top.h", "#define TOP 2\n")
        command = ("app/src/main.c", *AVR, "-g", "-o", "main.o")
        self.assertEqual(self.word(*command), "miss")
        self.assertEqual(self.word(*command), "hit")
        self.assertEqual(
            self.word("main.c", *AVR, "-g", "-o", "main.o", cwd=self.ingot.work / "app/src"),
            "hit",
            "from another working directory",
        )
        self.write("top.h", "#define TOP 3\n")
        self.assertEqual(self.word(*command), "miss")

    def test_dot_dot_follows_symlinks_as_the_kernel_does(self) -> None:
        self.write("elsewhere/deep/x.h", "")
        self.write("elsewhere/y.h", "#define Y 1\n")
        (self.ingot.work / "link").symlink_to("elsewhere/deep")
        self.write("main.c", '#include "link/../y.h"\nint result = Y;\n')
        self.assertEqual(self.word(), "miss")
        self.assertEqual(self.word(), "hit")
        self.write("y.h", "#define Y 2\n")
        self.word()
        self.write("main.c", '#include "link/../y.h"\nint result = Y;\n#undef Y\n#include "y.h"\nint other = Y;\n')
        self.assertEqual(self.word(), "miss", "one name in the input root would stand for two files")
        self.assertEqual(self.word(), "miss")
        self.assertEqual(self.ingot.counters()["uncacheable"], 2)

    def test_include_next_and_forced_includes(self) -> None:
        self.write("first/shared.h", "#include_next <shared.h>\n#define MORE 1\n")
        self.write("config.h", "#define CONFIG 5\n")
        self.write("main.c", MAIN + "int more = MORE + CONFIG;\n")
        command = (*self.command, "-include", "config.h")
        self.assertEqual(self.word(*command), "miss")
        self.assertEqual(self.word(*command), "hit")
        self.write("config.h", "#define CONFIG 6\n")
        self.assertEqual(self.word(*command), "miss")
        self.write("second/shared.h", "#define SHARED 9\n")
        self.assertEqual(self.word(*command), "miss")

    def test_embedded_files_are_inputs(self) -> None:
        self.write("main.c", "const unsigned char data[] = {\n#embed \"data.bin\"\n};\n")
        self.write("data.bin", "abc")
        command = ("main.c", *AVR, "-std=c23", "-o", "main.o")
        self.assertEqual(self.word(*command), "miss")
        self.assertEqual(self.word(*command), "hit")
        self.write("data.bin", "abd")
        self.assertEqual(self.word(*command), "miss")

    def test_case_of_names_matters(self) -> None:
        self.assertEqual(self.word(), "miss")
        self.write("first/SHARED.H", "#define SHARED 1\n")
        self.assertEqual(self.word(), "hit")

    def test_a_generated_header(self) -> None:
        """Written anew before each compilation, mostly with the same contents."""
        for number, expected in ((1, "miss"), (1, "hit"), (2, "miss"), (1, "hit"), (2, "hit")):
            (self.ingot.work / "local.h").unlink()
            self.write("local.h", f"#define LOCAL {number}\n")
            self.assertEqual(self.word(), expected)

    def test_a_thousand_headers(self) -> None:
        for number in range(1000):
            self.write(f"second/h{number}.h", f"#define H{number} {number}\n")
        self.write("main.c", "".join(f"#include <h{n}.h>\n" for n in range(1000)) + "int result = H1 + H999;\n")
        self.assertEqual(self.word(), "miss")
        self.assertEqual(self.word(), "hit")
        self.write("second/h500.h", "#define H500 1\n")
        self.assertEqual(self.word(), "miss")
        self.write("first/h999.h", "#define H999 1\n")
        self.assertEqual(self.word(), "miss")

    def test_time_does_not_enter(self) -> None:
        self.write("main.c", 'const char *when = __DATE__ __TIME__ __TIMESTAMP__;\n')
        self.assertEqual(self.word(), "miss")
        first = self.ingot.read("main.o")
        self.assertIn(b"Jan  1 1970", first)
        os.utime(self.ingot.work / "main.c", (1, 1))
        self.assertEqual(self.word(environment={"SOURCE_DATE_EPOCH": "86400"}), "hit")
        self.assertEqual(self.ingot.read("main.o"), first)

    def test_the_environment_does_not_enter(self) -> None:
        self.assertEqual(self.word(), "miss")
        self.write("first/shared.h.not", "")
        variables = {name: str(self.ingot.work / "evil") for name in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")}
        self.write("evil/shared.h", "#error not this one\n")
        (self.ingot.work / "second/shared.h").rename(self.ingot.work / "moved.h")
        self.assertEqual(self.ingot.run("compile", *self.command, environment=variables).exit_code, 1)

    def test_diagnostics_name_the_users_files_on_hits_too(self) -> None:
        self.write("second/shared.h", "#define SHARED 7\nstatic inline int f(void) { int unused; return 0; }\n")
        command = (*self.command, "-Wall", "-Wno-unused-function")
        shown = []
        for _ in range(2):
            run = self.ingot.run("compile", *command)
            self.assertEqual(run.exit_code, 0)
            shown.append(run.err)
        self.assertEqual(shown[0], shown[1])
        self.assertIn("second/shared.h:2:33: warning: unused variable 'unused' [-Wunused-variable]", shown[0])
        self.assertIn("In file included from main.c:2:", shown[0])
        self.assertNotIn("\x1b", shown[0])
        self.assertEqual(self.ingot.counters()["hit"], 1)

    def test_diagnostics_for_programs(self) -> None:
        self.write("main.c", "int f(void) { int unused; return 0; }\n")
        for _ in range(2):
            for name in ("json", "sarif"):
                run = self.ingot.run("compile", *self.command, "-Wall", f"--diagnostics={name}")
                self.assertEqual(run.exit_code, 0)
                document = json.loads(run.err)
                if name == "json":
                    self.assertEqual((document[0]["file"], document[0]["line"], document[0]["option"]), ("main.c", 1, "-Wunused-variable"))
                else:
                    self.assertEqual(document["runs"][0]["results"][0]["ruleId"], "-Wunused-variable")
        self.assertEqual(self.ingot.counters()["hit"], 3)
        run = self.ingot.run("compile", *self.command, "--diagnostics=xml")
        self.assertEqual(run.exit_code, 2)
        self.assertIn("--diagnostics", run.err)

    def test_standard_input(self) -> None:
        command = ("-", "-x", "c", *AVR, "-Ifirst", "-Isecond", "-o", "main.o")
        self.assertEqual(self.word(*command, stdin=MAIN.encode()), "miss")
        self.assertEqual(self.word(*command, stdin=MAIN.encode()), "hit")
        self.assertEqual(self.word(*command, stdin=b"int a;\n"), "miss")

    def test_without_state_it_compiles(self) -> None:
        environment = {"INGOT_STATE_DIR": "/dev/null/state"}
        for _ in range(2):
            self.assertEqual(self.word(environment=environment), "miss")

    def test_damaged_records_cost_a_miss(self) -> None:
        self.assertEqual(self.word(), "miss")
        (record,) = [path for path in (self.ingot.state / "dependencies").rglob("*") if path.is_file()]
        good = record.read_bytes()
        for damaged in (b"", good[: len(good) // 2], good.replace(b"shared.h", b"shared.x"), b"\0" * 100):
            record.write_bytes(damaged)
            self.assertEqual(self.word(), "miss")
            self.assertEqual(self.word(), "hit")
        self.assertEqual(self.ingot.counters()["conflict"], 0)

    def test_explain_names_the_header_that_changed(self) -> None:
        self.assertEqual(self.word(), "miss")
        self.write("second/shared.h", "#define SHARED 8\n")
        run = self.ingot.run("cache", "explain", *self.command)
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertIn("inc/1/shared.h", run.out.decode())

    def test_explain_says_when_it_does_not_know_what_is_included(self) -> None:
        unknown = "what it includes is not known"
        self.assertIn(unknown, self.ingot.run("cache", "explain", *self.command).out.decode())
        self.assertEqual(self.word(), "miss")
        self.assertNotIn(unknown, self.ingot.run("cache", "explain", *self.command).out.decode())
        (self.ingot.work / "local.h").unlink()
        self.assertIn(unknown, self.ingot.run("cache", "explain", *self.command).out.decode())

    def test_recheck_finds_the_same_bytes(self) -> None:
        self.assertEqual(self.word(), "miss")
        run = self.ingot.run("cache", "recheck", *self.command[:-2])
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertIn("the same bytes each time", run.out.decode())


if __name__ == "__main__":
    unittest.main()
