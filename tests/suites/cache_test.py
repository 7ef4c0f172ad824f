"""What hits and what misses, by counters and by bytes."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tests.suites.ingot_command import FIRMWARE, KERNEL, Ingot

NVPTX = ("k.ll", "--target=nvptx64", "--cpu=sm_80", "-o", "k.ptx")


class CacheTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())
        self.ingot.write("k.ll", KERNEL)
        self.ingot.write("f.ll", FIRMWARE)

    def test_four_misses_then_four_hits_with_the_same_bytes(self) -> None:
        jobs = [
            ("k.ll", "nvptx64", "sm_80", "80.ptx"),
            ("k.ll", "nvptx64", "sm_90", "90.ptx"),
            ("f.ll", "avr", "atmega328p", "328.o"),
            ("f.ll", "avr", "attiny85", "85.o"),
        ]
        made = {}
        for source, target, cpu, output in jobs:
            word = self.ingot.cache_word(source, f"--target={target}", f"--cpu={cpu}", "-o", output)
            self.assertEqual(word, "miss")
            made[output] = self.ingot.read(output)
            (self.ingot.work / output).unlink()
        self.assertEqual(len(set(made.values())), 4)
        for source, target, cpu, output in jobs:
            word = self.ingot.cache_word(source, f"--target={target}", f"--cpu={cpu}", "-o", output)
            self.assertEqual(word, "hit")
            self.assertEqual(self.ingot.read(output), made[output])
        counters = self.ingot.counters()
        self.assertEqual(counters["hit"], 4)
        self.assertEqual(counters["miss_not_found"], 4)
        self.assertEqual(counters["published"], 4)
        self.assertIn(b".target sm_90", made["90.ptx"])
        self.assertEqual(made["328.o"][:4], b"\x7fELF")

    def test_whatever_changes_the_result_misses(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        for change in (
            ("--cpu=sm_90",),
            ("-O0",),
            ("-O1",),
            ("-O3",),
            ("-Os",),
            ("-Oz",),
            ("--features=+ptx80",),
            ("--emit=bc",),
        ):
            with self.subTest(change=change):
                self.assertEqual(self.ingot.cache_word(*NVPTX, *change), "miss")
                self.assertEqual(self.ingot.cache_word(*NVPTX, *change), "hit")
        for changed in (KERNEL + "\n", KERNEL.replace("fmul", "fadd"), KERNEL.replace("@scale", "@other")):
            with self.subTest(changed=changed):
                self.ingot.write("k.ll", changed)
                self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        self.ingot.write("k.ll", KERNEL)
        self.assertEqual(self.ingot.cache_word(*NVPTX), "hit")

    def test_two_projects_of_one_name_for_two_chips_do_not_meet(self) -> None:
        # What each chip's code says of itself, EF_AVR_ARCH in the ELF header: avr5 and avr25.
        chips = {"atmega328p": 5, "attiny85": 25}
        for chip in chips:
            self.ingot.write(f"{chip}/main.c", "int main(void) { return 0; }\n")
        for word in ("miss", "hit"):
            for chip, architecture in chips.items():
                folder = self.ingot.work / chip
                self.assertEqual(self.ingot.cache_word("main.c", "--target=avr", f"--cpu={chip}", "-g", "-o", "main.o", cwd=folder), word)
                self.assertEqual(self.ingot.read(f"{chip}/main.o")[0x24] & 0x7F, architecture)
        self.assertEqual(self.ingot.counters()["hit"], 2)

    def test_a_hundred_requests_are_one_compilation(self) -> None:
        words = [self.ingot.cache_word(*NVPTX) for _ in range(100)]
        self.assertEqual(words, ["miss"] + ["hit"] * 99)
        self.assertEqual(self.ingot.counters()["published"], 1)

    def test_spelling_out_a_default_hits(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        for same in (("-O2",), ("--emit=asm",), ("--features=",), ("--target=nvptx64-nvidia-cuda",), ("-O0", "-O2")):
            with self.subTest(same=same):
                self.assertEqual(self.ingot.cache_word(*NVPTX, *same), "hit")

    def test_surroundings_do_not_matter(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        first = self.ingot.read("k.ptx")
        elsewhere = self.ingot.root / "another" / "much deeper" / "folder"
        elsewhere.mkdir(parents=True)
        shutil.copy(self.ingot.work / "k.ll", elsewhere / "k.ll")
        self.assertEqual(self.ingot.cache_word(*NVPTX, cwd=elsewhere), "hit")
        self.assertEqual((elsewhere / "k.ptx").read_bytes(), first)
        absolute = (str(elsewhere / "k.ll"), *NVPTX[1:])
        self.assertEqual(self.ingot.cache_word(*absolute), "hit")
        for surroundings in (
            {"PATH": "/nowhere"},
            {"HOME": "/nowhere"},
            {"LANG": "de_DE.UTF-8", "LC_ALL": "tr_TR.UTF-8"},
            {"TZ": "Pacific/Chatham"},
            {"USER": "somebody", "LOGNAME": "else"},
            {"CUDA_HOME": "/nowhere", "SOURCE_DATE_EPOCH": "1"},
            {"INGOT_STATE_DIR": str(self.ingot.root / "other state")},
        ):
            with self.subTest(surroundings=surroundings):
                self.assertEqual(self.ingot.cache_word(*NVPTX, environment=surroundings), "hit")

    def test_an_output_elsewhere_or_more_talk_hits(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        self.assertEqual(self.ingot.cache_word(*NVPTX[:-1], "other.ptx"), "hit")
        self.assertEqual(self.ingot.cache_word(*NVPTX, "-v", "-j1", "--timeout=1h"), "hit")

    def test_toolchain_is_its_content(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        copy = self.ingot.root / "copy"
        copy.mkdir()
        tool = copy / "ingot-compile"
        shutil.copy(pathlib.Path(self.ingot.toolchain) / "ingot-compile", tool)
        self.assertEqual(self.ingot.cache_word(*NVPTX, f"--toolchain={copy}"), "hit")
        self.assertEqual(self.ingot.cache_word(*NVPTX, environment={"INGOT_TOOLCHAIN": str(copy)}), "hit")
        # The same program with other bytes behind its end: same version, same size of code, same mtime, another content.
        times = tool.stat()
        os.chmod(tool, 0o755)
        with open(tool, "ab") as file:
            file.write(b"x")
        os.utime(tool, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertEqual(self.ingot.cache_word(*NVPTX, f"--toolchain={copy}"), "miss")
        with open(tool, "r+b") as file:
            file.truncate(times.st_size)
        os.utime(tool, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertEqual(self.ingot.cache_word(*NVPTX, f"--toolchain={copy}"), "hit")

    def test_toolchain_is_found_however_the_program_is_started(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX), "miss")
        prefix = self.ingot.root / "prefix"
        toolchain = prefix / "lib/ingot/toolchain"
        toolchain.mkdir(parents=True)
        (prefix / "bin").mkdir()
        shutil.copy(pathlib.Path(self.ingot.toolchain) / "ingot-compile", toolchain)
        shutil.copy(self.ingot.program, prefix / "bin/ingot")
        elsewhere = self.ingot.root / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "link").symlink_to("../prefix/bin/ingot")
        (elsewhere / "folder").symlink_to(prefix / "bin")
        unnamed = {"INGOT_TOOLCHAIN": None}
        for program in (
            str(prefix / "bin/ingot"),
            "../prefix/bin/ingot",
            str(elsewhere / "link"),
            "../elsewhere/link",
            str(elsewhere / "folder/ingot"),
        ):
            with self.subTest(program=program):
                self.assertEqual(self.ingot.cache_word(*NVPTX, program=program, environment=unnamed), "hit")
        for shell in ("exec -a nonsense ../prefix/bin/ingot", f"PATH={elsewhere}; link"):
            with self.subTest(shell=shell):
                words = ("-c", f'{shell} "$@"', "bash")
                self.assertEqual(self.ingot.run(*words, "compile", *NVPTX, program="/bin/bash", environment=unnamed).exit_code, 0)

    def test_standard_input_and_output(self) -> None:
        arguments = ("-", "--target=nvptx64", "--cpu=sm_80")
        piped = self.ingot.run("compile", *arguments, stdin=KERNEL.encode())
        self.assertEqual(piped.exit_code, 0, piped.err)
        self.assertIn(b".visible .entry scale", piped.out)
        again = self.ingot.run("compile", *arguments, "-o", "-", stdin=KERNEL.encode())
        self.assertEqual(again.out, piped.out)
        self.assertEqual(self.ingot.counters()["hit"], 1)

    def test_many_inputs_at_once(self) -> None:
        names = []
        for i in range(8):
            self.ingot.write(f"in/k{i}.ll", KERNEL.replace("@scale", f"@scale{i}"))
            names.append(f"in/k{i}.ll")
        (self.ingot.work / "out").mkdir()
        first = self.ingot.compile(*names, "--target=nvptx64", "-o", "out/")
        self.assertEqual([r["cache"] for r in first.results], ["miss"] * 8)
        for i in range(8):
            self.assertIn(f".entry scale{i}".encode(), self.ingot.read(f"out/k{i}.ptx"))
        lines = self.ingot.run("compile", *names, "--target=nvptx64", "-o", "out/")
        self.assertEqual(lines.exit_code, 0)
        self.assertEqual(len(lines.out.decode().splitlines()), 8)
        self.assertTrue(all(line.startswith("hit ") for line in lines.out.decode().splitlines()))
        self.assertEqual(self.ingot.counters()["hit"], 8)

    def test_one_bad_input_does_not_stop_the_others(self) -> None:
        self.ingot.write("bad.ll", "define nonsense")
        run = self.ingot.compile("k.ll", "bad.ll", "--target=nvptx64", "-o", "./")
        self.assertEqual(run.exit_code, 1)
        self.assertEqual([r["exit_code"] for r in run.results], [0, 1])
        self.assertTrue((self.ingot.work / "k.ptx").exists())

    def test_processes_share_a_store(self) -> None:
        commands = []
        for i in range(12):
            folder = self.ingot.root / f"p{i}"
            folder.mkdir()
            shutil.copy(self.ingot.work / "k.ll", folder)
            commands.append(subprocess.Popen([self.ingot.program, "compile", *NVPTX], cwd=folder, env=self.ingot.environment))
        self.assertEqual([c.wait() for c in commands], [0] * 12)
        outputs = {(self.ingot.root / f"p{i}" / "k.ptx").read_bytes() for i in range(12)}
        self.assertEqual(len(outputs), 1)
        counters = self.ingot.counters()
        self.assertEqual(counters["hit"] + counters["miss_not_found"], 12)
        self.assertEqual(counters["conflict"], 0)
        self.assertEqual(list((self.ingot.store / "tmp").iterdir()), [])
        self.assertEqual(list((self.ingot.state / "work").iterdir()), [])

    def test_without_a_store(self) -> None:
        self.assertEqual(self.ingot.cache_word(*NVPTX, "--disk_cache="), "off")
        self.assertEqual(self.ingot.cache_word("--disk_cache=", *NVPTX), "off")
        self.assertFalse(self.ingot.store.exists())


class DefaultPlacesTest(unittest.TestCase):
    def test_store_and_state_follow_the_base_directories(self) -> None:
        with Ingot() as ingot, tempfile.TemporaryDirectory() as home:
            ingot.write("k.ll", KERNEL)
            default = {"INGOT_DISK_CACHE": None, "INGOT_STATE_DIR": None, "HOME": home}
            self.assertEqual(ingot.cache_word(*NVPTX, environment=default), "miss")
            self.assertTrue((pathlib.Path(home) / ".cache/ingot/ac").is_dir())
            self.assertTrue((pathlib.Path(home) / ".local/state/ingot").is_dir())
            xdg = {**default, "XDG_CACHE_HOME": home + "/c", "XDG_STATE_HOME": home + "/s"}
            self.assertEqual(ingot.cache_word(*NVPTX, environment=xdg), "miss")
            self.assertTrue((pathlib.Path(home) / "c/ingot/ac").is_dir())
            self.assertTrue((pathlib.Path(home) / "s/ingot").is_dir())

    def test_without_a_home_it_compiles(self) -> None:
        with Ingot() as ingot:
            ingot.write("k.ll", KERNEL)
            nowhere = {"INGOT_DISK_CACHE": None, "INGOT_STATE_DIR": None, "HOME": None}
            run = ingot.run("compile", *NVPTX, environment=nowhere)
            self.assertEqual(run.exit_code, 0, run.err)
            self.assertEqual(run.err.count("warning"), 1, run.err)


if __name__ == "__main__":
    unittest.main()
