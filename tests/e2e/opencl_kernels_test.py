"""OpenCL C that others wrote: the files of a photo editor and the kernels of a hash cracker, as Debian has them.

OpenCL C's library is not linked yet: what a kernel calls of it stays undefined. So that PTX is checked by ptxas as what is to
be linked, and bitcode by linking it with libclc: nothing may be missing then but what libclc has not for NVPTX either.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import unittest

from tests.e2e.compile_twice import compile_all, compile_twice
from tests.servers import programs
from tests.suites.ingot_command import Ingot

DARKTABLE = pathlib.Path("/opt/ingot-tests/packages/darktable/usr/share/darktable/kernels")
HASHCAT = pathlib.Path("/usr/share/hashcat/OpenCL")
LIBCLC = "/usr/lib/clc/nvptx64--nvidiacl.bc"

CPUS = ("sm_70", "sm_90")

# Their inline assembly is spelled as in GNU C, which this vendor's own compiler takes.
GNU_ASSEMBLY = "-fgnu-keywords"

# As the program itself does it for a device of this vendor.
DARKTABLE_OPTIONS = ("-w", "-cl-fast-relaxed-math", "-DNVIDIA_SM_20=1", "-DNVIDIA=1", GNU_ASSEMBLY)

# hashcat says these for each device and each kind of hash; here the same for all, of a device of this vendor.
HASHCAT_OPTIONS = (
    "-w",
    GNU_ASSEMBLY,
    f"-I{HASHCAT.parent}",
    f"-DINCLUDE_PATH={HASHCAT.name}",
    "-DXM2S(x)=#x",
    "-DM2S(x)=XM2S(x)",
    "-DKERNEL_STATIC",
    "-DVENDOR_ID=32",
    "-DDEVICE_TYPE=4",
    "-DCUDA_ARCH=700",
    "-DHAS_SHFW=1",
    "-DLOCAL_MEM_TYPE=1",
    "-DVECT_SIZE=1",
    *(f"-DDGST_R{number}={element}" for number, element in enumerate((0, 3, 2, 1))),
    "-DDGST_ELEM=4",
    "-DKERN_TYPE=0",
    "-DATTACK_EXEC=11",
    "-DATTACK_KERN=0",
    "-DATTACK_MODE=0",
    # Of the kinds that have parameters.
    "-DFIXED_LOCAL_SIZE=64",
    "-DSCRYPT_N=1024",
    "-DSCRYPT_R=1",
    "-DSCRYPT_P=1",
    "-DSCRYPT_TMTO=1",
)

# Images, for which libclc has nothing on NVPTX, and the functions of the vendor's library that libclc itself is made of.
NOT_IN_LIBCLC = re.compile(r"_Z\d+(read_image|write_image)\w+|__translate_sampler_initializer|__nv_\w+")


def undefined_functions(module: str) -> set[str]:
    """What a module in text form calls and does not define."""
    return {name for name in re.findall(r"^declare .*@([\w.$]+)\(", module, re.MULTILINE) if not name.startswith("llvm.")}


class OpenClKernelsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())

    def darktable(self) -> list[str]:
        files = sorted(path.name for path in DARKTABLE.glob("*.cl"))
        self.assertGreaterEqual(len(files), 40)
        return files

    def hashcat(self, at_least: int) -> list[str]:
        """So many kernels, evenly spread over all there are, which would take an hour."""
        # inc_* is included by the others; some kernels are ten times as large as the most.
        files = sorted(path.name for path in HASHCAT.glob("*.cl") if not path.name.startswith("inc_") and path.stat().st_size < 100_000)
        self.assertGreaterEqual(len(files), 1000)
        return files[:: len(files) // at_least]

    def each(self, items: list, check) -> None:
        """Calls the function for every item, on all cores, and shows what it has to say of those that are wrong."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = dict(zip(map(str, items), pool.map(check, items), strict=True))
        self.assertEqual({name: text for name, text in said.items() if text}, {})

    def assemble(self, outputs: dict[str, pathlib.Path], cpu: str) -> None:
        """Has ptxas assemble modules that are still to be linked."""
        ptxas = programs.find_ptxas(cpu)

        def assemble(path: pathlib.Path) -> str:
            command = [ptxas, f"--gpu-name={cpu}", "--compile-only", "--opt-level=0", str(path), "--output-file", str(path.with_suffix(".cubin"))]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            return done.stderr if done.returncode != 0 else ""

        self.each(list(outputs.values()), assemble)

    def test_darktable_to_ptx(self) -> None:
        """Every file, none of which needs more than to be linked."""
        for cpu in CPUS:
            with self.subTest(cpu=cpu):
                outputs = compile_twice(self.ingot, self.darktable(), "--target=nvptx64", f"--cpu={cpu}", "--relocatable=true", *DARKTABLE_OPTIONS, cwd=DARKTABLE)
                for name, output in outputs.items():
                    self.assertIn(".entry ", output.read_text(), name)
                self.assemble(outputs, cpu)

    def test_darktable_calls_what_libclc_has(self) -> None:
        """Built-in functions have the names and the types that OpenCL C's library defines."""
        outputs = compile_twice(self.ingot, self.darktable(), "--target=nvptx64", "--cpu=sm_70", "--emit=bc", *DARKTABLE_OPTIONS, cwd=DARKTABLE)
        link = programs.find("llvm-link-22")

        def check(module: pathlib.Path) -> str:
            done = subprocess.run([link, "-S", "--only-needed", str(module), LIBCLC, "-o", "-"], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return done.stderr
            missing = {name for name in undefined_functions(done.stdout) if not NOT_IN_LIBCLC.fullmatch(name)}
            return f"libclc does not have {sorted(missing)}" if missing else ""

        self.each(list(outputs.values()), check)

    def test_hashcat_through_the_front_end(self) -> None:
        names = self.hashcat(60)
        self.assertGreaterEqual(len(names), 60)
        for cpu in CPUS:
            with self.subTest(cpu=cpu):
                compile_twice(self.ingot, names, "--target=nvptx64", f"--cpu={cpu}", "-O0", "--emit=bc", *HASHCAT_OPTIONS, cwd=HASHCAT)

    def test_hashcat_to_ptx(self) -> None:
        """Fewer: each becomes four megabytes of text."""
        into = self.ingot.work / "ptx"
        into.mkdir()
        options = ("--target=nvptx64", "--cpu=sm_90", "--relocatable=true", *HASHCAT_OPTIONS)
        outputs = compile_all(self.ingot, self.hashcat(8), *options, cwd=HASHCAT, into=into, word="miss")
        for name, output in outputs.items():
            self.assertIn(".entry ", output.read_text(), name)
        self.assemble(outputs, "sm_90")


if __name__ == "__main__":
    unittest.main()
