"""Command lines and sources for the fuzzer: real ones, cut up and put together again.

Everything is decided by one random.Random, so a case is known by its seed. No argument has a slash in it, so that nothing
is written outside of the working directory.
"""

import dataclasses
import random

TARGETS = ["avr", "nvptx64", "avr-unknown-unknown", "nvptx64-nvidia-cuda", "msp430", ""]
CPUS = ["atmega328p", "attiny85", "avr5", "sm_75", "sm_90", "sm_121", "native", ""]
NAMES = ["k.c", "k.cc", "k.cl", "k.cu", "k.s", "k.S", "k.ll", "k.i", "k.h", "missing.c", "noext", ".c", "-", "k.bc", "k.o", "k.C"]
OUTPUTS = ["out.o", "out.ptx", "-", "o", ".", "folder", "k.c", "", "a b.o"]
LANGUAGES = ["c", "c++", "cl", "cuda", "ir", "assembler", "assembler-with-cpp", "cpp-output", "c++-cpp-output", "none", "objective-c", ""]
KINDS = ["asm", "obj", "bc", "ll", "preprocessed", "exe", ""]
VALUES = ["1", "0", "-1", "c11", "c++20", "CL3.0", "gnu89", "all", "none", "fast", "X", "X=1", "X(a)=a", "=", "''", "inc", "k.h", "999999999999999999999", "k.c", "-", "--", "%s%n", "\\", '"', "'", "$(OUT)", "a b", "ü", "\udcff", "\t", "x" * 300, "@", "*", ""]

# Options as people write them, of all kinds: taken, refused, the linker's, misspelt.
FLAGS = """
-c -S -E -M -MM -MD -MMD -MP -MG -MV -v -### -h --help --version -V -w -W -Wall -Wextra -Werror -Wno-unused -Weverything -pedantic -pedantic-errors
-ansi -g -g0 -g3 -ggdb -gdwarf-4 -gdwarf-99 -gz -gsplit-dwarf -gline-tables-only -gno-column-info -O -O0 -O1 -O2 -O3 -Os -Oz -Og -Ofast -O4 -Ox
-emit-llvm -fsyntax-only -nostdinc -nostdinc++ -undef -trigraphs -P -C -CC -dM -dD -pipe -s -r -static -shared -nostdlib -fshort-enums
-fno-exceptions -fno-rtti -ffast-math -fno-fast-math -fpack-struct -ffunction-sections -fdata-sections -fsigned-char -funsigned-char
-fno-builtin -ffreestanding -fhosted -fno-common -ftrapv -fwrapv -fverbose-asm -fno-ident -fPIC -fno-pic -flto -fno-lto -fmodules -fplugin
-fsanitize=address -fno-sanitize=all -fprofile-generate -save-temps -ftime-report -fstack-usage --coverage -pg -cl-mad-enable
-cl-fast-relaxed-math -fgpu-rdc -fcuda-short-ptr -fno-no-no -f -fno- -gno- -m -mno- -W- -Wp, -Wl, -Wa, -Xclang -Xlinker -print-search-dirs
-dumpmachine -dumpversion -print-target-triple -print-resource-dir -print-multi-lib -print-libgcc-file-name -print-sysroot --json --verbose
--jobs=2 -j -j0 -j-1 -- - --- -traditional -ObjC -fopenmp -integrated-as -no-integrated-as -fno-integrated-as -Qunused-arguments
-fcolor-diagnostics -fno-color-diagnostics -fdiagnostics-color=never --diagnostics=json --diagnostics=sarif --diagnostics=x --canonical-paths
""".split()

WITH_VALUE = """
-I -iquote -isystem -idirafter -include -imacros -D -U -std= --std= -MF -MT -MQ -o -x -xc -target --target= --target --cpu= --cpu --features=
--features --emit= --emit -mmcu= -mcpu= -march= -mtune= -O -W -Wp,-MD, -Wp,-D -Wl, -Wa, -Xclang -Xlinker -l -L -T -u -e -z -fvisibility=
-ftemplate-depth= -fpack-struct= -ffp-contract= -fmacro-backtrace-limit= -ferror-limit= -cl-std= -finput-charset= -fexec-charset= -fno-builtin-
--sysroot= --sysroot -isysroot -include-pch -ivfsoverlay -working-directory -B --config= -specs= -mllvm -fmodule-file= --copt= --copt
--embed-dir= -print-file-name= -print-prog-name= --timeout= --param -fdebug-prefix-map= -ffile-prefix-map= -frandom-seed= -falign-functions= -mdouble=
""".split()

SOURCES = {
    "k.h": '#pragma once\n#define SCALE(x) ((x) * FACTOR)\n#ifndef FACTOR\n#define FACTOR 3\n#endif\ntypedef struct { int a : 3; char b[4]; } part_t;\n',
    "k.c": """\
#include "k.h"
#include <stdint.h>
#if __has_include("missing.h")
#include "missing.h"
#endif
static volatile uint8_t *const port = (uint8_t *)0x25;
struct node { struct node *next; union { int i; float f; } value; };
static int sum(const struct node *n) { int s = 0; for (; n; n = n->next) s += n->value.i; return s; }
int apply(int (*f)(int), int x) { switch (x) { case 1 ... 3: return f(x); default: break; } do { x--; } while (x > 0); return SCALE(x); }
__attribute__((used, section(".progmem.data"))) const char text[] = "a\\x41\\n" "b";
int main(void) { *port |= 1 << 5; part_t p = {.a = 1, .b = {0}}; return sum(0) + p.a + _Generic(p.a, int : 1, default : 2); }
""",
    "k.cc": """\
#include "k.h"
template <typename T, int N> struct Ring { T items[N]; constexpr int size() const { return N; } T &operator[](int i) { return items[i % N]; } };
template <class... A> constexpr auto add(A... a) { return (a + ... + 0); }
class Base { public: virtual ~Base() = default; virtual int go() = 0; };
struct Derived final : Base { int go() override { auto f = [this](auto x) { return x + n; }; return f(2); } int n = 1; };
enum class Colour : unsigned char { red, green };
static Derived d; Ring<int, 4> ring;
extern "C" int run() { static int once = add(1, 2, 3); return d.go() + ring[1] + once + static_cast<int>(Colour::green) + ring.size(); }
""",
    "k.cl": """\
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__constant float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
float4 shade(float4 v, local float *tmp) { tmp[0] = v.x; barrier(CLK_LOCAL_MEM_FENCE); return v.wzyx * tmp[0] + (float4)(1.0f); }
kernel void k(global float4 *out, const global int *in, int n, local float *tmp) {
  size_t i = get_global_id(0); if (i >= n) return; int8 w = (int8)(in[i]); out[i] = shade(convert_float4(w.lo), tmp) + table[i & 3];
}
""",
    "k.cu": """\
template <typename T> __device__ T twice(T x) { return x + x; }
__constant__ float weights[16]; __shared__ int counter; extern __shared__ float dynamic[];
struct Pair { float a; int b; };
__global__ void __launch_bounds__(128, 2) k(float *out, const Pair *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { dynamic[threadIdx.x] = in[i].a; __syncthreads();
  atomicAdd(&counter, in[i].b); out[i] = twice(dynamic[threadIdx.x ^ 1]) * weights[i & 15]; } }
""",
    "k.S": """\
#include "k.h"
#define REG r24
.text
.global start
start: ldi REG, FACTOR
1: dec REG
   brne 1b
   ret
.macro push2 a, b
   push \\a
   push \\b
.endm
.section .data
value: .word 0x1234, start, 'x'
.asciz "text"
""",
    "k.ll": """\
target triple = "avr-unknown-unknown"
@table = constant [4 x i8] c"abcd", align 1
define i16 @mix(i16 %a, ptr %p) {
entry:
  %c = icmp sgt i16 %a, 3
  br i1 %c, label %then, label %done
then:
  %v = load i16, ptr %p, align 1
  br label %done
done:
  %r = phi i16 [ %v, %then ], [ %a, %entry ]
  ret i16 %r
}
""",
}
SOURCES["k.s"] = SOURCES["k.S"].replace('#include "k.h"\n#define REG r24\n', "").replace("REG", "r24").replace("FACTOR", "3")
SOURCES["k.i"] = "int f(int x) { return x + 1; }\n"

# What is put into sources: each has been the start of some compiler's bug report.
TOKENS = """
( ) { } [ ] ; , : :: . ... -> * & && = == << >> ? # ## \\ " ' @ ` $ ~ ! % ^ | / // /* */ <: :> %: ??= 0 1 -1 0x 0xffffffffffffffffffffff 1e999 08 'ab' u8"x" L'x' R"(
int char float double void auto const volatile static extern inline struct union enum typedef return if else for while do switch case goto break
template typename class virtual operator new delete this throw try catch constexpr consteval concept requires co_await decltype noexcept using
namespace asm __asm__ __attribute__ __attribute__((packed)) __attribute__((aligned(1<<30))) __attribute__((vector_size(16))) __builtin_ __builtin_va_list
__builtin_offsetof __builtin_choose_expr __int128 _BitInt(3) _BitInt(8388608) _Complex _Atomic _Static_assert _Generic typeof __auto_type __func__
#include #include_next #define #undef #if #ifdef #else #elif #endif #error #pragma #line #embed __has_include __has_embed __VA_OPT__ __VA_ARGS__ __COUNTER__
__FILE__ __DATE__ kernel global local constant __global__ __device__ __shared__ __host__ __launch_bounds__ float4 image2d_t sampler_t pipe event_t half
define declare @ %0 i1 i128 i8388608 ptr addrspace(7) <4 x i8> undef poison zeroinitializer metadata !0 .macro .endm .rept .incbin .include .org .align .fill .if .endif
""".split()


@dataclasses.dataclass
class Case:
    arguments: list[str]
    files: dict[str, bytes]
    stdin: bytes = b""


def _mutate_word(rng: random.Random, word: str) -> str:
    position = rng.randrange(len(word) + 1)
    letter = rng.choice("abcxyzDIMOW-=,+_019 @%\\'\"$\t\udc80ü")
    return rng.choice([
        word[:position] + letter + word[position:],
        word[:position] + word[position + 1 :],
        word[:position],
        word + word,
        word[:position] + letter + word[position + 1 :],
    ])


def _option(rng: random.Random) -> list[str]:
    if rng.random() < 0.5:
        return [rng.choice(FLAGS)]
    flag = rng.choice(WITH_VALUE)
    value = rng.choice(rng.choice([VALUES, VALUES, NAMES, TARGETS, CPUS, LANGUAGES, KINDS, OUTPUTS]))
    return [flag + value] if flag.endswith(("=", ",")) or rng.random() < 0.4 else [flag, value]


def _source(rng: random.Random) -> str:
    return rng.choice(["k.c", "k.c", "k.cc", "k.cc", "k.cl", "k.cu", "k.S", "k.s", "k.ll"])


def _sensible(rng: random.Random, command: str, source: str) -> list[str]:
    """A command line that is right but for what is in the source."""
    gpu = source in ("k.cl", "k.cu") or (source in ("k.c", "k.cc") and rng.random() < 0.3)
    arguments = ["--target=nvptx64"] if gpu else ["--target=avr"]
    if command == "cc":
        arguments.append(rng.choice(["-c", "-c", "-S", "-E", "-fsyntax-only", "-M"]))
    arguments.append(rng.choice(["-O0", "-O1", "-O2", "-Os"]))
    if source != "k.ll":
        arguments += rng.sample(["-g", "-Wall", "-Weverything", "-DFACTOR=7", "-fshort-enums", "-ffast-math", "-ferror-limit=3", "-w"], rng.randrange(3))
    return [*arguments, source, "-o", "out"]


def command_line(rng: random.Random) -> Case:
    """A command line of pieces that need not go together."""
    command = rng.choice(["cc", "compile", "cc", "compile", "explain", "recheck"])
    words: list[str] = _sensible(rng, command, _source(rng)) if rng.random() < 0.6 else []
    for _ in range(rng.randrange(1, 8)):
        piece = _option(rng) if rng.random() < 0.8 else [rng.choice(NAMES)]
        position = rng.randrange(len(words) + 1)
        words[position:position] = piece
    for _ in range(rng.choice([0, 0, 1, 1, 3])):
        position = rng.randrange(len(words))
        words[position] = _mutate_word(rng, words[position])
    files: dict[str, bytes] = {}
    if command == "cc" and rng.random() < 0.3:
        text = rng.choice([" ", "\n", "\t"]).join(words)
        for _ in range(rng.randrange(3)):
            text = _mutate_word(rng, text)
        files["arguments.rsp"] = text.encode(errors="surrogateescape")
        words = [*rng.sample(words, min(2, len(words))), "@arguments.rsp"]
        if rng.random() < 0.2:
            files["arguments.rsp"] += b" @arguments.rsp"
    prefix = ["cache", command] if command in ("explain", "recheck") else [command]
    # A word with a slash could name a file that is none of ours, and no argument can hold a zero byte.
    words = [word.replace("/", "_").replace("\0", "_") for word in words]
    return Case([*prefix, *words], files, rng.randbytes(rng.randrange(40)))


def mutated_source(rng: random.Random) -> Case:
    """A command line that is right, and a source that mostly is not."""
    command = rng.choice(["cc", "compile"])
    name = _source(rng)
    text = SOURCES[name]
    for _ in range(rng.choice([1, 1, 2, 3, 5, 10])):
        words = text.split(" ")
        position = rng.randrange(len(words))
        how = rng.randrange(9)
        if how == 0:
            words.insert(position, rng.choice(TOKENS))
        elif how == 1:
            words[position] = rng.choice(TOKENS)
        elif how == 2:
            del words[position : position + rng.randrange(1, 4)]
        elif how == 3:
            words[position:position] = words[position : position + rng.randrange(1, 12)]
        elif how == 4:
            other = rng.randrange(len(words))
            words[position], words[other] = words[other], words[position]
        elif how == 5:
            words.insert(position, rng.choice(["(", "{", "[", "*", "&", "~", "-", "if(1)", "struct{", "template<", "a<"]) * rng.choice([3, 50, 50, 200, 3000]))
        elif how == 6:
            words[position] = _mutate_word(rng, words[position])
        elif how == 7:
            words[position:position] = rng.choices(TOKENS, k=rng.randrange(2, 9))
        else:
            words = words[: position + 1]
        text = " ".join(words)
    data = text.encode(errors="surrogateescape")
    if rng.random() < 0.15:
        position = rng.randrange(len(data) + 1)
        data = data[:position] + rng.randbytes(rng.randrange(1, 6)) + data[position + rng.randrange(4) :]
    return Case([command, *_sensible(rng, command, name)], {name: data})


def make_case(seed: int) -> Case:
    """The case of this number."""
    rng = random.Random(seed)
    return command_line(rng) if rng.random() < 0.6 else mutated_source(rng)
