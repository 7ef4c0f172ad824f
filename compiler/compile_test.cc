#include "compiler/compile.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Error.h"
#include "targets/record.h"
#include "targets/registry.h"

namespace ingot::compiler {
namespace {

using targets::EmitKind;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kSaxpy = R"(
define ptx_kernel void @saxpy(i32 %n, float %a, ptr noalias %x, ptr noalias %y) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %base = mul i32 %ctaid, %ntid
  %i = add i32 %base, %tid
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %done

body:
  %index = sext i32 %i to i64
  %px = getelementptr float, ptr %x, i64 %index
  %py = getelementptr float, ptr %y, i64 %index
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %ax = fmul contract float %a, %vx
  %sum = fadd contract float %ax, %vy
  store float %sum, ptr %py
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
)";

// Toggles a pin of port B of an ATmega328P for ever.
constexpr std::string_view kBlink = R"(
define void @blink() {
  %ddr = inttoptr i16 36 to ptr
  store volatile i8 32, ptr %ddr
  br label %loop

loop:
  %port = inttoptr i16 37 to ptr
  %old = load volatile i8, ptr %port
  %new = xor i8 %old, 32
  store volatile i8 %new, ptr %port
  br label %loop
}
)";

// Compiles for any target, and is not the same at every level.
constexpr std::string_view kSum = R"(
define i32 @sum(ptr %p, i32 %n) {
entry:
  %total = alloca i32
  store i32 0, ptr %total
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %element = getelementptr i32, ptr %p, i32 %i
  %value = load i32, ptr %element
  %old = load i32, ptr %total
  %new = add i32 %old, %value
  store i32 %new, ptr %total
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  %result = load i32, ptr %total
  ret i32 %result
}
)";

struct Compiled {
  absl::Status status;
  std::string bytes;
  std::vector<std::string> warnings;
  std::vector<Stage> stages;
};

Compiled TryCompile(const Invocation& asked, std::string_view ir,
                    const std::string& path = "src/input.ll") {
  Compiled result;
  const absl::StatusOr<Invocation> invocation = Resolve(asked);
  if (!invocation.ok()) {
    result.status = invocation.status();
    return result;
  }
  const std::string text(ir);
  const absl::StatusOr<CompileOutput> output = Compile(
      *invocation, llvm::MemoryBufferRef(text, path),
      {.enter_stage = [&](Stage stage) { result.stages.push_back(stage); },
       .warning = [&](std::string_view warning) { result.warnings.emplace_back(warning); }});
  result.status = output.status();
  if (output.ok()) result.bytes.assign(output->bytes.data(), output->bytes.size());
  return result;
}

std::string MustCompile(const Invocation& asked, std::string_view ir,
                        const std::string& path = "src/input.ll") {
  const Compiled result = TryCompile(asked, ir, path);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.warnings, IsEmpty());
  return result.bytes;
}

TEST(CompileTest, SaxpyToPtx) {
  const std::string ptx = MustCompile({.target = "nvptx64", .cpu = "sm_90"}, kSaxpy);
  EXPECT_THAT(ptx, HasSubstr(".version 7.8\n.target sm_90\n.address_size 64\n"));
  EXPECT_THAT(ptx, HasSubstr(".visible .entry saxpy("));
  EXPECT_THAT(ptx, HasSubstr("ld.global.nc.b32")) << "a read-only noalias argument";
  EXPECT_THAT(ptx, HasSubstr("fma.rn.f32")) << "contraction is allowed";
  EXPECT_THAT(ptx, HasSubstr("st.global.b32"));
}

TEST(CompileTest, CpuAndFeaturesReachThePtx) {
  EXPECT_THAT(MustCompile({.target = "nvptx64", .cpu = "sm_120a"}, kSaxpy),
              HasSubstr(".target sm_120a\n"));
  EXPECT_THAT(MustCompile({.target = "nvptx64", .cpu = "sm_80", .features = "ptx87"}, kSaxpy),
              HasSubstr(".version 8.7\n"));
}

TEST(CompileTest, BlinkToAvrObject) {
  const std::string object = MustCompile({.target = "avr", .cpu = "atmega328p"}, kBlink);
  auto file =
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "blink.o"));
  ASSERT_TRUE(static_cast<bool>(file));
  const auto& elf = llvm::cast<llvm::object::ELFObjectFileBase>(**file);
  EXPECT_EQ(elf.getEMachine(), unsigned{llvm::ELF::EM_AVR});
  EXPECT_EQ(elf.getPlatformFlags() & unsigned{llvm::ELF::EF_AVR_ARCH_MASK},
            unsigned{llvm::ELF::EF_AVR_ARCH_AVR5});
  EXPECT_TRUE(elf.isRelocatableObject());
  EXPECT_THAT(MustCompile({.target = "avr", .cpu = "atmega328p", .emit = EmitKind::kAsm}, kBlink),
              AllOf(HasSubstr("blink:"), HasSubstr("out\t4,"), HasSubstr("eor")));
}

TEST(CompileTest, AvrAtO0ExtendsSignsRightly) {
  const std::string assembly = MustCompile(
      {.target = "avr", .cpu = "atmega328p", .opt = OptLevel::kO0, .emit = EmitKind::kAsm},
      R"(
define i64 @widen(i32 %x) {
  %wide = sext i32 %x to i64
  ret i64 %wide
}
)");
  std::size_t found = 0;
  for (std::size_t at = assembly.find("sbc\t"); at != std::string::npos;
       at = assembly.find("sbc\t", at + 1)) {
    const std::string_view operands =
        std::string_view(assembly).substr(at + 4, assembly.find('\n', at) - at - 4);
    const std::size_t comma = operands.find(", ");
    EXPECT_EQ(operands.substr(0, comma), operands.substr(comma + 2)) << assembly;
    ++found;
  }
  EXPECT_GT(found, 0u) << assembly;
}

TEST(CompileTest, EmitsBitcodeThatNamesTheTarget) {
  for (const std::string target : {"nvptx64", "avr"}) {
    const std::string bitcode = MustCompile({.target = target, .emit = EmitKind::kBc}, kSum);
    llvm::LLVMContext context;
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "out.bc"), context);
    ASSERT_TRUE(static_cast<bool>(module));
    const targets::TargetRecord& record = **targets::FindTarget(target);
    EXPECT_EQ((*module)->getTargetTriple().str(), record.triple);
    EXPECT_EQ((*module)->getDataLayoutStr(), record.data_layout);
    EXPECT_NE((*module)->getFunction("sum"), nullptr);
  }
}

TEST(CompileTest, BitcodeAndTextOfAModuleGiveTheSameCode) {
  for (const std::string target : {"nvptx64", "avr"}) {
    const Invocation bitcode_at_o0 = {
        .target = target, .opt = OptLevel::kO0, .emit = EmitKind::kBc};
    const Invocation assembly = {.target = target, .emit = EmitKind::kAsm};
    // The suffix of the path says nothing about what is in the file.
    EXPECT_EQ(MustCompile(assembly, MustCompile(bitcode_at_o0, kSum), "src/input.ll"),
              MustCompile(assembly, kSum, "src/input.ll"));
  }
}

TEST(CompileTest, EveryTargetAtEveryLevelInEveryKindTwice) {
  constexpr OptLevel kLevels[] = {OptLevel::kO0, OptLevel::kO1, OptLevel::kO2,
                                  OptLevel::kO3, OptLevel::kOs, OptLevel::kOz};
  for (const targets::TargetRecord* target : targets::AllTargets()) {
    for (const targets::EmitRecord& emit : target->emits) {
      if (emit.kind == EmitKind::kPreprocessed) continue;  // not of IR
      std::string at_o0;
      for (const OptLevel level : kLevels) {
        for (const std::string_view cpu : {target->default_cpu, target->cpus.back().name}) {
          SCOPED_TRACE(absl::StrCat(target->name, " ", cpu, " -O", OptLevelName(level), " ",
                                    targets::EmitKindName(emit.kind)));
          const Invocation invocation = {.target = std::string(target->name),
                                         .cpu = std::string(cpu),
                                         .opt = level,
                                         .emit = emit.kind};
          const std::string bytes = MustCompile(invocation, kSum);
          EXPECT_FALSE(bytes.empty());
          EXPECT_EQ(MustCompile(invocation, kSum), bytes);
          if (cpu != target->default_cpu) continue;
          if (level == OptLevel::kO0) {
            at_o0 = bytes;
          } else if (emit.kind == EmitKind::kRawLl) {
            EXPECT_EQ(bytes, at_o0) << "no level counts yet";
          } else {
            EXPECT_NE(bytes, at_o0);
          }
        }
      }
    }
  }
}

TEST(CompileTest, TheFolderOfTheInputIsNotInTheOutput) {
  for (const std::string target : {"nvptx64", "avr"}) {
    for (const targets::EmitRecord& emit : (*targets::FindTarget(target))->emits) {
      if (emit.kind == EmitKind::kPreprocessed) continue;  // not of IR
      const Invocation invocation = {.target = target, .emit = emit.kind};
      EXPECT_EQ(MustCompile(invocation, kSum, "/a/long/way/off/input.ll"),
                MustCompile(invocation, kSum, "input.ll"));
    }
  }
}

TEST(CompileTest, FailuresLeaveNoTraceInLaterOutputs) {
  const Invocation nvptx = {.target = "nvptx64", .cpu = "sm_90"};
  const Invocation avr = {.target = "avr", .cpu = "attiny85"};
  const std::string ptx = MustCompile(nvptx, kSaxpy);
  const std::string object = MustCompile(avr, kBlink);
  EXPECT_FALSE(TryCompile(nvptx, "not IR").status.ok());
  EXPECT_FALSE(TryCompile(nvptx, "define void @f() { ret i32 0 }").status.ok());
  EXPECT_EQ(MustCompile(avr, kBlink), object);
  EXPECT_EQ(MustCompile(nvptx, kSaxpy), ptx);
}

TEST(CompileTest, ReportsItsStagesInOrder) {
  EXPECT_THAT(
      TryCompile({.target = "avr"}, kBlink).stages,
      ElementsAre(Stage::kParse, Stage::kVerify, Stage::kOptimize, Stage::kLower, Stage::kCodegen));
  EXPECT_THAT(TryCompile({.target = "avr"}, "no IR").stages, ElementsAre(Stage::kParse));
}

TEST(CompileTest, WhatTheCodeGeneratorRefusesIsAnErrorAboutTheInput) {
  // Without a diagnostic handler LLVM would end the process here.
  const Compiled result = TryCompile({.target = "nvptx64", .cpu = "sm_20"}, R"(
define ptr @grow(i64 %size) {
  %room = alloca i8, i64 %size
  ret ptr %room
}
)");
  EXPECT_EQ(result.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(result.status.message()),
      AllOf(StartsWith("src/input.ll: error: "), HasSubstr("grow"), HasSubstr("dynamic alloca")));
}

TEST(CompileTest, BadInlineAssemblyIsAnErrorThatShowsIt) {
  const Compiled result = TryCompile({.target = "avr", .cpu = "atmega328p"}, R"(
define void @f() {
  call void asm sideeffect "frobnicate r1", ""()
  ret void
}
)");
  EXPECT_EQ(result.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(result.status.message()),
              AllOf(StartsWith("src/input.ll: "), HasSubstr("error:"), HasSubstr("frobnicate")));
}

TEST(CompileTest, AnUnresolvedInvocationIsRefused) {
  EXPECT_EQ(Compile({.target = "avr"}, llvm::MemoryBufferRef("", "x")).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(CompileTest, AssemblyWarnsOfOptionsThatDoNothingForIt) {
  Invocation invocation = {.target = "avr",
                           .language = Language::kAssembler,
                           .front_end_options = {"-DX", "-I.", "-Wall", "-g"},
                           .inputs = {"a.s"}};
  const auto unused = [](std::string_view option) {
    return absl::StrCat("warning: argument unused during compilation: '", option,
                        "' [-Wunused-command-line-argument]");
  };
  const Compiled plain = TryCompile(invocation, "  nop\n", "a.s");
  EXPECT_TRUE(plain.status.ok()) << plain.status;
  EXPECT_THAT(plain.warnings, ElementsAre(unused("-DX")));

  invocation.language = Language::kAssemblerWithCpp;
  const Compiled preprocessed = TryCompile(invocation, "#ifdef X\n  nop\n#endif\n", "a.S");
  EXPECT_TRUE(preprocessed.status.ok()) << preprocessed.status;
  EXPECT_THAT(preprocessed.warnings, IsEmpty());

  invocation.language = Language::kAssembler;
  invocation.front_end_options.emplace_back("-Wno-unused-command-line-argument");
  EXPECT_THAT(TryCompile(invocation, "  nop\n", "a.s").warnings, IsEmpty());
}

TEST(CompileTest, AssemblyHasDebugInformationWhereAsked) {
  Invocation invocation = {.target = "avr", .language = Language::kAssembler, .inputs = {"a.s"}};
  const auto has_lines = [&](std::vector<std::string> options) {
    invocation.front_end_options = std::move(options);
    const Compiled result = TryCompile(invocation, "  nop\n", "a.s");
    EXPECT_TRUE(result.status.ok()) << result.status;
    return result.bytes.find(".debug_line") != std::string::npos;
  };
  for (const char* option : {"-g", "-g1", "-g3", "-ggdb", "-gdwarf-2", "-gline-tables-only"}) {
    EXPECT_TRUE(has_lines({option})) << option;
  }
  EXPECT_FALSE(has_lines({}));
  EXPECT_FALSE(has_lines({"-g0"}));
  EXPECT_FALSE(has_lines({"-gdwarf-4", "-ggdb0"}));
  EXPECT_TRUE(has_lines({"-g0", "-gdwarf-4"}));
}

}  // namespace
}  // namespace ingot::compiler
