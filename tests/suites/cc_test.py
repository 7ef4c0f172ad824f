"""`ingot cc` as Make, CMake and people call it: clang's command line, files and messages, and the cache's hits."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from tests.suites.ingot_command import Ingot, Run, from_runfiles

MAIN = """\
#include "local.h"
#include <shared.h>
int result(int x) { return x * LOCAL + SHARED; }
"""

AVR = "-mmcu=atmega328p"


class CcTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("main.c", MAIN)
        self.ingot.write("local.h", "#define LOCAL 3\n")
        self.ingot.write("sys/shared.h", "#define SHARED 7\n")

    def cc(self, *arguments: str, exit_code: int = 0, **options) -> Run:
        run = self.ingot.run("cc", *arguments, **options)
        self.assertEqual(run.exit_code, exit_code, f"{arguments}\n{run.err}")
        return run

    def link(self, name: str) -> str:
        """The program under another name."""
        path = self.ingot.root / "bin" / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            path.symlink_to(self.ingot.program)
        return str(path)

    def hits(self) -> tuple[int, int]:
        counters = self.ingot.counters()
        return counters["hit"], counters["published"]

    def test_object_is_that_of_compile(self) -> None:
        self.cc(AVR, "-Os", "-isystem", "sys", "-c", "main.c", "-o", "cc.o")
        self.ingot.cache_word("main.c", "--target=avr", "--cpu=atmega328p", "-Os", "-isystem", "sys", "-o", "compile.o")
        self.assertEqual(self.ingot.read("cc.o"), self.ingot.read("compile.o"))
        self.assertEqual(self.hits(), (1, 1), "both commands ask for the same key")

    def test_dependency_files_on_a_miss_and_on_a_hit(self) -> None:
        command = (AVR, "-isystem", "sys", "-c", "main.c", "-o", "out.o")
        for flags, name, rule in (
            (("-MD",), "out.d", "out.o: main.c local.h sys/shared.h\n"),
            (("-MMD", "-MP"), "out.d", "out.o: main.c local.h\nlocal.h:\n"),
            (("-MD", "-MF", "x/deps", "-MT", "$(OUT)", "-MQ", "a$b"), "x/deps", "$(OUT) a$$b: main.c local.h sys/shared.h\n"),
            (("-Wp,-MMD,w.d",), "w.d", "out.o: main.c local.h\n"),
        ):
            with self.subTest(flags=flags):
                (self.ingot.work / "x").mkdir(exist_ok=True)
                self.cc(*command, *flags)
                self.assertEqual(self.ingot.read(name).decode(), rule)
                (self.ingot.work / name).unlink()
        self.assertEqual(self.hits(), (3, 1))
        self.assertEqual(self.cc(*command[:-2], "-M").out.decode(), "main.o: main.c local.h sys/shared.h\n")
        self.assertEqual(self.cc(*command[:-2], "-MM").out.decode(), "main.o: main.c local.h\n")

    def test_no_dependency_file_for_a_failure(self) -> None:
        self.cc(AVR, "-MD", "-c", "main.c", exit_code=1)
        self.assertFalse((self.ingot.work / "main.d").exists())
        self.assertFalse((self.ingot.work / "main.o").exists())

    def test_preprocesses_to_standard_output(self) -> None:
        out = self.cc(AVR, "-isystem", "sys", "-E", "main.c").out.decode()
        self.assertIn("int result(int x) { return x * 3 + 7; }", out)
        self.assertEqual(self.cc(AVR, "-isystem", "sys", "-E", "-", stdin=MAIN.encode()).exit_code, 0)
        # Line markers name the user's files, with a hit too, and the text is a source again.
        for name in ("main.c", "./main.c", str(self.ingot.work / "main.c")):
            out = self.cc(AVR, "-isystem", "sys", "-E", name).out.decode()
            folder = name.removesuffix("main.c").removeprefix("./")
            files = set(re.findall(r'^# \d+ "([^<"]+)"', out, re.MULTILINE))
            self.assertEqual(files, {name, f"{folder}local.h", "sys/shared.h"})
        self.ingot.write("main.i", out.replace("return x", "return y"))
        self.assertIn(f"{self.ingot.work}/main.c:", self.cc(AVR, "-c", "main.i", exit_code=1).err)

    def test_checks_only(self) -> None:
        self.cc(AVR, "-isystem", "sys", "-fsyntax-only", "main.c")
        self.ingot.write("wrong.c", "int f(void) { return x; }\n")
        run = self.cc(AVR, "-fsyntax-only", "wrong.c", exit_code=1)
        self.assertTrue(run.err.startswith("wrong.c:1:22: error: use of undeclared identifier 'x'\n"), run.err)
        self.assertTrue(run.err.endswith("1 error generated.\n"), run.err)
        self.assertEqual(sorted(path.name for path in self.ingot.work.glob("*.o")), [])

    def test_inline_assembly_is_wrong_where_the_source_says_it(self) -> None:
        self.ingot.write(
            "sub/asm.c",
            '#define BAD(x) asm volatile("bogus " x)\nvoid f(void) {\n\tasm volatile("nop\\n\\tldi r33, 1\\n");\n  BAD("r1");\n}\n',
        )
        run = self.cc(AVR, "-c", "sub/asm.c", exit_code=1)
        self.assertEqual(
            run.err,
            "sub/asm.c:3:21: error: invalid operand for instruction\n"
            '    3 | \tasm volatile("nop\\n\\tldi r33, 1\\n");\n'
            "      | \t                   ^\n"
            "<inline asm>:2:6: note: instantiated into assembly here\n"
            "    2 | \tldi r33, 1\n"
            "      | \t    ^\n"
            "sub/asm.c:4:3: error: invalid instruction\n"
            '    4 |   BAD("r1");\n'
            "      |   ^\n"
            "<inline asm>:1:2: note: instantiated into assembly here\n"
            "    1 | \tbogus r1\n"
            "      | \t^\n",
        )
        self.ingot.write("constraint.c", 'int f(long long x) {\n  asm volatile("nop" : : "z"(x));\n  return 0;\n}\n')
        self.assertTrue(self.cc(AVR, "-c", "constraint.c", exit_code=1).err.startswith("constraint.c:2:"))

    def test_assembly_ir_and_bitcode(self) -> None:
        self.cc(AVR, "-isystem", "sys", "-S", "main.c")
        self.assertIn(b"result:", self.ingot.read("main.s"))
        self.cc(AVR, "-isystem", "sys", "-S", "-emit-llvm", "main.c")
        self.assertIn(b"define", self.ingot.read("main.ll"))
        self.cc(AVR, "-isystem", "sys", "-c", "-emit-llvm", "main.c")
        self.assertEqual(self.ingot.read("main.bc")[:2], b"BC")

    def test_several_inputs_in_order(self) -> None:
        for name in "abc":
            self.ingot.write(f"{name}.c", f"#warning {name}\nint {name};\n")
        run = self.cc(AVR, "-c", "a.c", "b.c", "c.c")
        self.assertEqual(re.findall(r"^(\w\.c):1:2: warning", run.err, re.M), ["a.c", "b.c", "c.c"])
        self.assertEqual(sorted(path.name for path in self.ingot.work.glob("*.o")), ["a.o", "b.o", "c.o"])
        self.cc(AVR, "-c", "a.c", "b.c", "-o", "x.o", exit_code=2)
        out = self.cc(AVR, "-E", "-P", "a.c", "b.c").out if self.takes("-P") else b"int a;\nint b;\n"
        self.assertLess(out.index(b"int a;"), out.index(b"int b;"))

    def takes(self, option: str) -> bool:
        return self.ingot.run("cc", AVR, option, "-fsyntax-only", "-xc", "-").exit_code == 0

    def test_response_files(self) -> None:
        self.ingot.write("my dir/h.h", "#define LOCAL 1\n")
        self.ingot.write("args", f"{AVR} -isystem sys\n'-Imy dir' @more")
        self.ingot.write("more", '-DNAME="\\"x\\"" -c main.c')
        self.cc("@args", "-o", "r.o")
        self.assertTrue((self.ingot.work / "r.o").exists())
        self.assertIn("ingot cc: error: cannot read none", self.cc("@none", exit_code=1).err)

    def test_names(self) -> None:
        gcc, gxx = self.link("avr-ingot-gcc"), self.link("avr-ingot-g++")
        self.ingot.write("lang.c", "#ifdef __cplusplus\nint cxx;\n#else\nint c;\n#endif\n")
        for program, word in ((gcc, b"int c;"), (gxx, b"int cxx;")):
            run = self.ingot.run("-E", "lang.c", program=program)
            self.assertIn(word, run.out, run.err)
            self.assertEqual(self.ingot.run("-dumpmachine", program=program).out, b"avr\n")
        clang = self.link("nvptx64-ingot-clang")
        run = self.ingot.run("-c", "lang.c", "-march=sm_90", "-o", "k.o", program=clang)
        self.assertEqual(run.exit_code, 0, run.err)
        self.assertIn(b".target sm_90", self.ingot.read("k.o"))
        for name, text in (("ingot-cc", "no target was named"), ("mips-ingot-gcc", "unknown target 'mips'")):
            run = self.ingot.run("-c", "lang.c", program=self.link(name))
            self.assertEqual(run.exit_code, 2)
            self.assertTrue(run.err.startswith("ingot cc: error: "), run.err)
            self.assertIn(text, run.err)

    def test_errors_and_warnings(self) -> None:
        for arguments, text in (
            ((AVR, "main.c"), "linking is not available yet (main.c); add -c"),
            ((AVR, "-c"), "no input files"),
            ((AVR, "-c", "main.c", "-mcmu=x"), "unknown argument: '-mcmu=x'; did you mean '-mcpu='?"),
            (("-mmcu=atmega32p", "-c", "main.c"), "did you mean 'atmega32'?"),
            ((AVR, "-c", "-"), "-E or -x required when input is from standard input"),
            ((AVR, "--sysroot=none", "-c", "main.c"), "--sysroot=none"),
        ):
            with self.subTest(arguments=arguments):
                run = self.cc(*arguments, exit_code=2)
                self.assertTrue(run.err.startswith("ingot cc: error: "), run.err)
                self.assertIn(text, run.err)
                self.assertEqual(run.err.count("\n"), 1, run.err)
        self.assertIn("ingot cc: error: cannot read none.c", self.cc(AVR, "-c", "none.c", exit_code=1).err)
        run = self.cc(AVR, "-isystem", "sys", "-c", "main.c", "-lm", "-nostdlib", "x.o")
        self.assertEqual(
            run.err,
            "ingot cc: warning: -lm: 'linker' input unused [-Wunused-command-line-argument]\n"
            "ingot cc: warning: argument unused during compilation: '-nostdlib' [-Wunused-command-line-argument]\n"
            "ingot cc: warning: x.o: 'linker' input unused [-Wunused-command-line-argument]\n",
        )

    def test_questions(self) -> None:
        version = re.search(r'#define __clang_version__ "(\S+)', self.cc(AVR, "-E", "-dM", "-").out.decode()) if self.takes("-dM") else None
        dumped = self.cc("-dumpversion").out.decode().strip()
        self.assertRegex(dumped, r"^22\.\d+\.\d+$")
        if version:
            self.assertEqual(dumped, version.group(1))
        self.assertIn(f"clang version {dumped}\nTarget: avr\n", self.cc(AVR, "--version").out.decode())
        self.assertEqual(self.cc("--target=nvptx64", "-print-target-triple").out, b"nvptx64-nvidia-cuda\n")
        self.assertEqual(self.cc("-print-multi-lib").out, b".;\n")
        self.assertEqual(self.cc("-print-file-name=crt0.o").out, b"crt0.o\n")
        self.assertEqual(self.cc("-print-prog-name=no-such-program").out, b"no-such-program\n")
        self.assertIn(b"Usage: ingot cc", self.cc("--help").out)
        self.assertIn(b"\n  cc ", self.ingot.run("--help").out)
        dry = self.cc(AVR, "-###", "-c", "main.c")
        self.assertIn('"--cpu=atmega328p"', dry.err)
        self.assertFalse((self.ingot.work / "main.o").exists())
        self.assertRegex(self.cc(AVR, "-isystem", "sys", "-v", "-c", "main.c").err, r"(?m)^miss  main.c -> main.o ")

    def test_settings(self) -> None:
        command = (AVR, "-isystem", "sys", "-c", "main.c")
        off = {"INGOT_DISK_CACHE": None, "INGOT_IGNORE_RC": None}
        store = self.ingot.root / "another"
        self.cc(f"--disk_cache={store}", "--", *command, environment=off)
        self.assertTrue(any(store.rglob("*")))
        self.ingot.write("../.ingotrc", f"cc --disk_cache={store}\ncompile -O3\n")
        self.assertRegex(self.cc("-v", *command, environment=off).err, rf"(?m)^hit .*\n.*\n +found in {re.escape(str(store))}")
        self.assertIn("--max_size", self.ingot.run("config", "cc").out.decode())
        run = self.cc("--disk_cach=x", *command, exit_code=2)
        self.assertIn("did you mean '--disk_cache'?", run.err)

    def test_sysroot(self) -> None:
        self.ingot.write("root/lib/avr/include/avr/io.h", "#define PORTB 5\n")
        self.ingot.write("io.c", "#include <avr/io.h>\nint port = PORTB;\n")
        if not self.takes("-fhosted"):
            self.skipTest("-fhosted is not taken yet")
        self.cc(AVR, "--sysroot=root", "-MD", "-c", "io.c")
        self.assertEqual(self.ingot.read("io.d").decode(), "io.o: io.c root/lib/avr/include/avr/io.h\n")

    def example(self) -> pathlib.Path:
        sources = pathlib.Path(from_runfiles("CMAKE_BLINK")).parent
        copy = self.ingot.work / "example"
        copy.mkdir()
        for file in sources.iterdir():
            if file.is_file():
                shutil.copy(file.resolve(), copy / file.name)
        for target, names in (("avr", ("gcc", "g++")), ("nvptx64", ("clang", "clang++"))):
            for name in names:
                self.link(f"{target}-ingot-{name}")
        return copy

    def call(self, *command: str) -> str:
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is not installed; `tools/dev root --tests` installs it")
        environment = {**self.ingot.environment, "PATH": f"{self.ingot.root}/bin:{os.environ['PATH']}"}
        done = subprocess.run(command, cwd=self.ingot.work, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_make(self) -> None:
        folder = self.example()
        self.call("make", "-C", str(folder))
        self.assertEqual((folder / "blink.d").read_text(), "blink.o: blink.c timer.h\ntimer.h:\n")
        self.assertIn("Nothing to be done", self.call("make", "-C", str(folder)))
        os.utime(folder / "timer.h", (4102444800, 4102444800))
        self.assertIn("blink.c", self.call("make", "-C", str(folder)))
        self.assertEqual(self.hits(), (2, 2), "the contents are the same")

    def test_cmake(self) -> None:
        folder = self.example()
        toolchains = pathlib.Path(from_runfiles("CMAKE_AVR")).parent
        for target, device in (("avr", "-DINGOT_MCU=attiny85"), ("nvptx64", "-DINGOT_GPU=sm_90")):
            with self.subTest(target=target):
                build = str(folder / f"build-{target}")
                configured = self.call(
                    "cmake", "-S", str(folder), "-B", build, f"-DCMAKE_TOOLCHAIN_FILE={toolchains}/ingot-{target}.cmake", f"-DINGOT_BIN={self.ingot.root}/bin", device
                )
                if target == "avr":
                    self.assertIn("The C compiler identification is Clang 22.", configured)
                    self.assertIn("The CXX compiler identification is Clang 22.", configured)
                self.call("cmake", "--build", build)
                before = self.hits()
                self.call("cmake", "--build", build, "--clean-first")
                self.assertEqual(self.hits(), (before[0] + 2, before[1]))


if __name__ == "__main__":
    unittest.main()
