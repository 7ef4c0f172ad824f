"""The Arduino core for AVR, as Debian has it: every C, C++ and assembly file for three boards, and a sketch that runs.

Nobody wrote these sources for Ingot, or for Clang. They are compiled as the core's own platform.txt says, but for what is of
another compiler: -fpermissive and link-time optimization are gcc's.
"""

import os
import pathlib
import shutil
import subprocess
import unittest

from tests.e2e.compile_twice import compile_all, compile_twice
from tests.servers import programs
from tests.suites.ingot_command import Ingot

CORE = pathlib.Path("/usr/share/arduino/hardware/arduino/avr")
AVR_LIBC = "/usr/lib/avr/include"

# Microcontroller, and what boards.txt says of the board.
BOARDS = {
    "uno": ("atmega328p", "standard", ["-DARDUINO_AVR_UNO"]),
    "mega": ("atmega2560", "mega", ["-DARDUINO_AVR_MEGA2560"]),
    "leonardo": (
        "atmega32u4",
        "leonardo",
        ["-DARDUINO_AVR_LEONARDO", "-DUSB_VID=0x2341", "-DUSB_PID=0x8036", '-DUSB_MANUFACTURER="Unknown"', '-DUSB_PRODUCT="Arduino Leonardo"'],
    ),
}

LIBRARIES = ("EEPROM", "HID", "SPI", "SoftwareSerial", "Wire")

SECTIONS = ("-ffunction-sections", "-fdata-sections")

CXX = ("-std=gnu++11", "-fno-exceptions", "-fno-threadsafe-statics", "-Wno-error=narrowing", *SECTIONS)

# By suffix, as platform.txt has it.
LANGUAGES = {".c": ("-std=gnu11", *SECTIONS), ".cpp": CXX, ".S": ("-x", "assembler-with-cpp")}

# The Arduino builder writes declarations of a sketch's functions before it. These use a function before its definition.
SKETCHES_THAT_NEED_DECLARATIONS = {
    "BarometricPressureSensor.ino",
    "DigitalPotControl.ino",
    "eeprom_crc.ino",
    "eeprom_get.ino",
    "slave_receiver.ino",
    "slave_sender.ino",
}

# Constructors, virtual functions, the heap, 64-bit division, floating point, strings in the data section, interrupts.
SKETCH = """\
struct Shape { virtual int area() const = 0; };
struct Square : Shape {
  int side;
  explicit Square(int s) : side(s) {}
  int area() const override { return side * side; }
};
struct Counted { int n; Counted() : n(11) {} } counted;

void setup() {
  Serial.begin(115200);
  Serial.println(String("sum ") + 40 + '/' + counted.n);
  Shape *shape = new Square(12);
  Serial.println(shape->area());
  Serial.println(3.25 * (counted.n - 9), 2);
  volatile unsigned long long large = 1234567890123ULL;
  Serial.println((unsigned long)(large % 1000003UL));
  Serial.flush();
  noInterrupts();
  set_sleep_mode(SLEEP_MODE_PWR_DOWN);
  sleep_enable();
  sleep_cpu();
}
void loop() {}
"""

SAYS = ["sum 40/11", "144", "6.50", str(1234567890123 % 1000003)]


def board_options(board: str) -> list[str]:
    """What every file for the board is compiled with; folders are relative to the core."""
    cpu, variant, defines = BOARDS[board]
    folders = ["cores/arduino", f"variants/{variant}", *(f"libraries/{library}/src" for library in LIBRARIES)]
    return [
        "--target=avr",
        f"--cpu={cpu}",
        "-Os",
        "-g",
        "-w",
        "-isystem",
        AVR_LIBC,
        "-DF_CPU=16000000L",
        "-DARDUINO=10819",
        "-DARDUINO_ARCH_AVR",
        *defines,
        *(f"-I{folder}" for folder in folders),
    ]


class ArduinoTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ingot = self.enterContext(Ingot())

    def sources(self, suffix: str) -> list[str]:
        """The files of the core and of its libraries, relative to it."""
        found = [path for folder in ("cores", "libraries") for path in (CORE / folder).rglob(f"*{suffix}")]
        return sorted(str(path.relative_to(CORE)) for path in found)

    def test_every_file_for_every_board(self) -> None:
        """The second time in a copy elsewhere: nothing of where the core is, is in a key or in an output."""
        elsewhere = self.ingot.root / "a/copy/elsewhere"
        shutil.copytree(CORE, elsewhere)
        sizes = {suffix: len(self.sources(suffix)) for suffix in LANGUAGES}
        self.assertEqual({suffix: size > 0 for suffix, size in sizes.items()}, dict.fromkeys(LANGUAGES, True), sizes)
        self.assertGreaterEqual(sum(sizes.values()), 29, sizes)
        for board in BOARDS:
            for suffix, options in LANGUAGES.items():
                with self.subTest(board=board, suffix=suffix):
                    outputs = compile_twice(self.ingot, self.sources(suffix), *board_options(board), *options, cwd=CORE, again_in=elsewhere)
                    for source, output in outputs.items():
                        self.assertTrue(output.read_bytes().startswith(b"\x7fELF"), source)
        files = len(BOARDS) * sum(sizes.values())
        counters = self.ingot.counters()
        self.assertEqual((counters["miss_not_found"], counters["hit"], counters["published"]), (files, files, files), counters)

    def test_ingot_cc_in_the_place_of_avr_gcc(self) -> None:
        """With the C library named by --sysroot, one file a command, and with files for Make, also on a hit."""
        compilers = {}
        for suffix, name in {".c": "gcc", ".cpp": "g++", ".S": "gcc"}.items():
            compilers[suffix] = self.ingot.root / f"avr-ingot-{name}"
            if not compilers[suffix].exists():
                compilers[suffix].symlink_to(self.ingot.program)
        cpu, variant, defines = BOARDS["uno"]
        common = ["-c", "-w", "-MMD", f"-mmcu={cpu}", "--sysroot=/usr/lib/avr", "-DF_CPU=16000000L", "-DARDUINO=10819", "-DARDUINO_ARCH_AVR"]
        common += [*defines, "-Icores/arduino", f"-Ivariants/{variant}"]
        languages = {".c": ("-g", "-Os", *LANGUAGES[".c"]), ".cpp": ("-g", "-Os", *CXX), ".S": LANGUAGES[".S"]}
        files = 0
        for suffix, options in languages.items():
            for source in self.sources(suffix):
                if not source.startswith("cores/"):
                    continue
                files += 1
                made = []
                for attempt in ("first", "second"):
                    output = self.ingot.work / attempt / "object.o"
                    output.parent.mkdir(exist_ok=True)
                    run = self.ingot.run(*common, *options, source, "-o", str(output), cwd=CORE, program=str(compilers[suffix]))
                    self.assertEqual((run.exit_code, run.out, run.err), (0, b"", ""), source)
                    dependencies = output.with_suffix(".d")
                    made.append((output.read_bytes(), dependencies.read_text().replace(f"/{attempt}/", "/")))
                    dependencies.unlink()
                self.assertEqual(made[0], made[1], source)
                self.assertIn(source, made[0][1])
        counters = self.ingot.counters()
        self.assertEqual((counters["miss_not_found"], counters["hit"]), (files, files), counters)

    def test_the_sketches_of_the_libraries(self) -> None:
        sketches = [name for name in self.sources(".ino") if os.path.basename(name) not in SKETCHES_THAT_NEED_DECLARATIONS]
        self.assertGreaterEqual(len(sketches), 10)
        options = (*board_options("uno"), "-x", "c++", "-include", "Arduino.h", *CXX)
        compile_twice(self.ingot, sketches, *options, cwd=CORE)

    def test_a_sketch_runs(self) -> None:
        """Linked by avr-gcc, with its libraries, and run by simavr."""
        objects = []
        for suffix, options in LANGUAGES.items():
            into = self.ingot.work / suffix.lstrip(".")
            into.mkdir()
            inputs = [name for name in self.sources(suffix) if name.startswith("cores/")]
            objects += compile_all(self.ingot, inputs, *board_options("uno"), *options, cwd=CORE, into=into, word="miss").values()
        sketch = self.ingot.write("sketch.ino", SKETCH)
        options = (*board_options("uno"), "-x", "c++", "-include", "Arduino.h", "-include", "avr/sleep.h", *CXX)
        objects += compile_all(self.ingot, [str(sketch)], *options, cwd=CORE, into=self.ingot.work, word="miss").values()

        firmware = self.ingot.work / "firmware.elf"
        link = [programs.find("avr-gcc"), "-mmcu=atmega328p", "-Wl,--gc-sections", *map(str, objects), "-lm", "-o", str(firmware)]
        linked = subprocess.run(link, capture_output=True, text=True, check=False)
        self.assertEqual(linked.returncode, 0, linked.stderr)

        simulate = [programs.find("simavr"), "-m", "atmega328p", "-f", "16000000", str(firmware)]
        # It ends by itself when the processor sleeps with interrupts off.
        simulated = subprocess.run(simulate, capture_output=True, text=True, check=False, timeout=120)
        for line in SAYS:
            self.assertIn(line, simulated.stdout + simulated.stderr)


if __name__ == "__main__":
    unittest.main()
