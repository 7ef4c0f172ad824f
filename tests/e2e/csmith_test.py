"""Random C programs, the same in every run: csmith makes them from seeds."""

import pathlib
import subprocess
import unittest

from tests.e2e.compile_twice import compile_all, compile_twice
from tests.servers import programs
from tests.suites.ingot_command import Ingot

# csmith's programs differ in size by two orders of magnitude; those of the other seeds up to 30 take long to compile.
SEEDS = [seed for seed in range(1, 31) if seed not in (4, 22, 27)]
CSMITH_HEADERS = "/usr/include/csmith"
AVR_LIBC = "/usr/lib/avr/include"

# What csmith.h includes of a C library, where there is none.
FREESTANDING = {
    "assert.h": "#define assert(condition) ((void)0)\n",
    "stdio.h": "int printf(const char *, ...);\n",
    "string.h": "int strcmp(const char *, const char *);\n",
    "math.h": "double fabs(double);\nfloat fabsf(float);\ndouble ldexp(double, int);\nfloat ldexpf(float, int);\n",
}


class CsmithTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())

    def programs(self, *options: str, int_bytes: int, pointer_bytes: int) -> list[str]:
        """Writes the programs and returns their names."""
        # csmith reads this, and would write it for the machine that it runs on.
        self.ingot.write("platform.info", f"integer size = {int_bytes}\npointer size = {pointer_bytes}\n")
        names = []
        for seed in SEEDS:
            name = f"random{seed:02}.c"
            command = [programs.find("csmith"), "--seed", str(seed), "--no-argc", "--max-funcs", "5", *options, "--output", name]
            subprocess.run(command, cwd=self.ingot.work, stdout=subprocess.DEVNULL, check=True)
            names.append(name)
        return names

    def check(self, names: list[str], *options: str) -> dict[str, pathlib.Path]:
        outputs = compile_twice(self.ingot, names, "-w", "-isystem", CSMITH_HEADERS, *options, cwd=self.ingot.work)
        # And once more without any cache.
        into = self.ingot.work / "uncached"
        into.mkdir(exist_ok=True)
        uncached = compile_all(self.ingot, names, "-w", "-isystem", CSMITH_HEADERS, *options, "--disk_cache=", cwd=self.ingot.work, into=into, word="off")
        for name, output in outputs.items():
            self.assertEqual(output.read_bytes(), uncached[name].read_bytes(), name)
        return outputs

    def test_avr(self) -> None:
        """An int has 16 bits there; csmith makes bit-fields for 32, which no compiler for AVR takes."""
        names = self.programs("--no-bitfields", int_bytes=2, pointer_bytes=2)
        outputs = self.check(names, "--target=avr", "--cpu=atmega2560", "-isystem", AVR_LIBC)
        for name, output in outputs.items():
            self.assertTrue(output.read_bytes().startswith(b"\x7fELF"), name)

    def test_nvptx64(self) -> None:
        for name, text in FREESTANDING.items():
            self.ingot.write(f"freestanding/{name}", text)
        outputs = self.check(self.programs(int_bytes=4, pointer_bytes=8), "--target=nvptx64", "--cpu=sm_90", "-isystem", "freestanding")
        for name, output in outputs.items():
            self.assertIn(b".func  (.param .b32 func_retval0) main", output.read_bytes(), name)


if __name__ == "__main__":
    unittest.main()
