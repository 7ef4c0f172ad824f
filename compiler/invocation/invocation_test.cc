#include "compiler/invocation/invocation.h"

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/invocation/language.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/record.h"
#include "targets/registry.h"

namespace ingot::compiler {
namespace {

using targets::EmitKind;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Invocation Saxpy() {
  return {.target = "nvptx64-nvidia-cuda",
          .cpu = "sm_80",
          .opt = OptLevel::kO2,
          .emit = EmitKind::kAsm,
          .language = Language::kIr,
          .output = "out/saxpy.ptx",
          .inputs = {"src/saxpy.ll"}};
}

Invocation Blink() {
  return {.target = "avr-unknown-unknown",
          .cpu = "atmega328p",
          .opt = OptLevel::kOs,
          .emit = EmitKind::kObj,
          .language = Language::kC,
          .output = "out/blink.o",
          .front_end_options = {"-DN=2", "-Iinc/0", "-std=c11"},
          .canonical_paths = true,
          .inputs = {"src/blink.c"}};
}

absl::StatusOr<Invocation> Parse(std::vector<std::string> arguments) {
  return ParseArguments(arguments);
}

std::string ParseError(std::vector<std::string> arguments) {
  const auto parsed = ParseArguments(arguments);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(parsed.status().message());
}

TEST(CanonicalArgumentsTest, EveryOptionIsAlwaysThereInOneOrder) {
  // These strings are part of every cache key: a change here makes every result miss.
  EXPECT_THAT(CanonicalArguments(Saxpy()),
              ElementsAre("--target=nvptx64-nvidia-cuda", "--cpu=sm_80", "--features=", "-O2",
                          "--emit=asm", "-x", "ir", "-o", "out/saxpy.ptx", "src/saxpy.ll"));
  EXPECT_THAT(CanonicalArguments(Blink()),
              ElementsAre("--target=avr-unknown-unknown", "--cpu=atmega328p", "--features=", "-Os",
                          "--emit=obj", "-x", "c", "-o", "out/blink.o", "-DN=2", "-Iinc/0",
                          "-std=c11", "--canonical-paths", "src/blink.c"));
  EXPECT_THAT(
      CanonicalArguments(Invocation()),
      ElementsAre("--target=", "--cpu=", "--features=", "-O2", "--emit=", "-x", "", "-o", ""));
}

TEST(CanonicalArgumentsTest, EveryFieldChangesThem) {
  // Destructuring fails to compile when a field is added, so the list below cannot silently lack
  // one.
  [[maybe_unused]] const auto [target, cpu, features, ptx, kernels, opt, emit, language, output,
                               front_end_options, canonical_paths, inputs] = Saxpy();
  [[maybe_unused]] const auto [entries, max_threads, required_threads, min_blocks, max_registers,
                               cluster_size, relocatable, forbid_f64, debug_level, denormals,
                               fast_math] = kernels;
  std::vector<Invocation> variants(28, Saxpy());
  variants[1].target = "avr";
  variants[2].cpu = "sm_90";
  variants[3].features = "+ptx87";
  variants[4].opt = OptLevel::kOz;
  variants[5].emit = EmitKind::kBc;
  variants[6].output = "out/other.ptx";
  variants[7].inputs = {"src/other.ll"};
  variants[8].language = Language::kCuda;
  variants[9].front_end_options = {"-DA", "-UA"};
  variants[10].front_end_options = {"-UA", "-DA"};
  variants[11].front_end_options = {"-DA -UA"};
  variants[12].canonical_paths = true;
  variants[13].ptx = "8.7";
  variants[14].kernels.entries = {"saxpy"};
  variants[15].kernels.max_threads = {64};
  variants[16].kernels.required_threads = {64};
  variants[17].kernels.required_threads = {64, 1};
  variants[18].kernels.min_blocks = 2;
  variants[19].kernels.max_registers = 64;
  variants[20].kernels.cluster_size = {2};
  variants[21].kernels.relocatable = true;
  variants[22].kernels.forbid_f64 = true;
  variants[23].kernels.debug_level = targets::DebugLevel::kNone;
  variants[24].kernels.debug_level = targets::DebugLevel::kLineTables;
  variants[25].kernels.denormals = targets::Denormals::kIeee;
  variants[26].kernels.denormals = targets::Denormals::kFlush;
  variants[27].kernels.fast_math = true;
  std::set<std::vector<std::string>> distinct;
  for (const Invocation& variant : variants) distinct.insert(CanonicalArguments(variant));
  EXPECT_EQ(distinct.size(), variants.size());
}

TEST(CanonicalArgumentsTest, EveryAllowedValueOfEveryOptionChangesThemAndRoundTrips) {
  for (const OptionSpec& spec : Options()) {
    SCOPED_TRACE(spec.flag);
    std::vector<std::string> values(spec.allowed_values.begin(), spec.allowed_values.end());
    if (spec.objection != nullptr) values = {"1", "2", ""};
    if (spec.allowed_values.size() == 2 && spec.allowed_values[0] == "true") values = {"true", ""};
    if (values.empty()) values = {"a", "-b", "--", "x=y", "c d", ""};
    std::set<std::vector<std::string>> distinct;
    for (const std::string& value : values) {
      Invocation invocation = Saxpy();
      spec.set(invocation, value);
      EXPECT_EQ(spec.get(invocation), value);
      const std::vector<std::string> arguments = CanonicalArguments(invocation);
      distinct.insert(arguments);
      const auto parsed = ParseArguments(arguments);
      ASSERT_TRUE(parsed.ok()) << parsed.status();
      EXPECT_EQ(*parsed, invocation);
    }
    EXPECT_EQ(distinct.size(), values.size());
  }
}

TEST(CanonicalArgumentsTest, RoundTripsUnresolvedAndOddInvocations) {
  Invocation odd = Saxpy();
  odd.inputs = {"-", "--help", "a b.ll", "-O3"};
  Invocation none;
  Invocation dash = Saxpy();
  dash.inputs = {"-"};
  Invocation odd_options = Blink();
  odd_options.front_end_options = {"-D--",
                                   "-D-o",
                                   "-U=",
                                   "-I./-",
                                   "-include./-pch",
                                   "-DA=a b",
                                   "-W",
                                   "-Wno-x",
                                   "-fno-short-enums",
                                   "-gno-column-info"};
  for (const Invocation& invocation : {odd, none, dash, Blink(), odd_options}) {
    const auto parsed = ParseArguments(CanonicalArguments(invocation));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, invocation);
  }
}

TEST(ParseArgumentsTest, AcceptsEachFormOfAnOption) {
  EXPECT_EQ(Parse({"--cpu", "sm_90"})->cpu, "sm_90");
  EXPECT_EQ(Parse({"--cpu=sm_90"})->cpu, "sm_90");
  EXPECT_EQ(Parse({"-oa.ptx"})->output, "a.ptx");
  EXPECT_EQ(Parse({"-o", "a.ptx"})->output, "a.ptx");
  EXPECT_EQ(Parse({"-Oz"})->opt, OptLevel::kOz);
  EXPECT_EQ(Parse({"-O0", "-O3"})->opt, OptLevel::kO3) << "the last one wins";
}

TEST(ParseArgumentsTest, TakesFrontEndOptionsAsTheyAreWritten) {
  const auto parsed = Parse({"-I", "include", "k.c", "-DX", "-pipe", "-isystem", "sys", "-std=c11",
                             "-fno-lto", "-x", "c", "-include", "-odd.h"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(parsed->front_end_options,
              ElementsAre("-Iinclude", "-DX", "-isystemsys", "-std=c11", "-include./-odd.h"));
  EXPECT_THAT(parsed->inputs, ElementsAre("k.c"));
  EXPECT_EQ(parsed->language, Language::kC);
  EXPECT_THAT(ParseError({"-fplugin=x.so", "k.c"}),
              HasSubstr("option -fplugin=x.so is not supported: plugins"));
  EXPECT_EQ(ParseError({"k.c", "-I"}), "option -I needs a value");
}

TEST(ParseArgumentsTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(ParseError({"--cppu=sm_90"}), "unknown option '--cppu'; did you mean '--cpu'?");
  EXPECT_EQ(ParseError({"--frobnicate"}),
            "unknown option '--frobnicate'; --help lists the options");
  EXPECT_EQ(ParseError({"-O4"}), "option -O cannot be '4'; allowed: 0, 1, 2, 3, s, z");
  EXPECT_EQ(ParseError({"-O"}), "option -O cannot be ''; allowed: 0, 1, 2, 3, s, z");
  EXPECT_EQ(ParseError({"--emit=asn"}),
            "option --emit cannot be 'asn'; did you mean 'asm'? allowed: asm, obj, bc, ll, raw-ll, "
            "preprocessed");
  EXPECT_EQ(ParseError({"--cpu"}), "option --cpu needs a value: --cpu=CPU");
  EXPECT_EQ(ParseError({"-o"}), "option -o needs a value: -o FILE");
  EXPECT_EQ(ParseError({""}), "an input is named by an empty argument");
}

TEST(ResolveTest, FillsInDefaults) {
  const auto resolved = Resolve({.target = "nvptx64"});
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->target, "nvptx64-nvidia-cuda");
  EXPECT_EQ(resolved->cpu, "sm_75");
  EXPECT_EQ(resolved->emit, EmitKind::kAsm);
  EXPECT_EQ(Resolve({.target = "avr-unknown-unknown"})->emit, EmitKind::kObj);
}

TEST(ResolveTest, TheLanguageIsTheOneNamedOrTheSuffixOrIr) {
  EXPECT_EQ(Resolve({.target = "avr", .inputs = {"a/b.c"}})->language, Language::kC);
  EXPECT_EQ(Resolve({.target = "avr", .inputs = {"a/b.C"}})->language, Language::kCxx);
  EXPECT_EQ(Resolve({.target = "avr", .inputs = {"a.b/c"}})->language, Language::kIr);
  EXPECT_EQ(Resolve({.target = "avr", .inputs = {"-"}})->language, Language::kIr);
  EXPECT_EQ(Resolve({.target = "avr", .language = Language::kCxx, .inputs = {"b.c"}})->language,
            Language::kCxx);
}

TEST(ResolveTest, LlvmIrTakesNoFrontEndOptions) {
  const auto resolved =
      Resolve({.target = "avr", .front_end_options = {"-DX", "-g"}, .inputs = {"dir/k.ll"}});
  EXPECT_THAT(std::string(resolved.status().message()),
              AllOf(HasSubstr("-DX"), HasSubstr("dir/k.ll")));
  EXPECT_EQ(Resolve({.target = "avr", .emit = EmitKind::kPreprocessed, .inputs = {"k.ll"}})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ResolveTest, IsIdempotentForEveryCpuOfEveryTarget) {
  for (const targets::TargetRecord* target : targets::AllTargets()) {
    for (const targets::CpuRecord& cpu : target->cpus) {
      const auto once =
          Resolve({.target = std::string(target->name), .cpu = std::string(cpu.name)});
      ASSERT_TRUE(once.ok()) << once.status();
      EXPECT_EQ(*Resolve(*once), *once);
      EXPECT_EQ(*ParseArguments(CanonicalArguments(*once)), *once);
    }
  }
}

TEST(ResolveTest, NormalisesFeaturesAndKeepsTheirOrder) {
  EXPECT_EQ(Resolve({.target = "avr", .features = "mul, -lpmx,,+elpm"})->features,
            "+mul,-lpmx,+elpm");
  EXPECT_EQ(Resolve({.target = "avr", .features = "-mul,+mul"})->features, "-mul,+mul");
}

TEST(ResolveTest, RefusesWhatTheTargetDoesNotHave) {
  const auto message = [](const Invocation& invocation) {
    const auto resolved = Resolve(invocation);
    EXPECT_EQ(resolved.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(resolved.status().message());
  };
  EXPECT_THAT(message({}), HasSubstr("no target was named"));
  EXPECT_THAT(message({.target = "avrr"}), HasSubstr("did you mean 'avr'?"));
  EXPECT_THAT(message({.target = "avr", .cpu = "sm_90"}), HasSubstr("unknown CPU 'sm_90'"));
  EXPECT_THAT(message({.target = "nvptx64", .cpu = "sm_9"}), HasSubstr("did you mean 'sm_90'?"));
  EXPECT_THAT(message({.target = "avr", .features = "+mull"}), HasSubstr("did you mean 'mul'?"));
  EXPECT_EQ(message({.target = "nvptx64", .emit = EmitKind::kObj}),
            "target nvptx64 cannot emit 'obj'; it emits asm, bc, ll, raw-ll, preprocessed");
}

TEST(OptionsHelpTest, NamesEveryOption) {
  for (const OptionSpec& spec : Options()) {
    EXPECT_THAT(OptionsHelp(), HasSubstr(std::string(spec.flag)));
    EXPECT_THAT(OptionsHelp(), HasSubstr(std::string(spec.help)));
  }
}

TEST(ParseArgumentsTest, LaunchBoundsAreNumbers) {
  EXPECT_EQ(Parse({"--max-threads=16,8,2"})->kernels.max_threads, targets::Dimensions({16, 8, 2}));
  EXPECT_THAT(ParseError({"--max-threads=16x8"}),
              HasSubstr("option --max-threads cannot be '16x8'"));
  EXPECT_THAT(ParseError({"--max-threads=1,2,3,4"}), HasSubstr("one to three numbers"));
  EXPECT_THAT(ParseError({"--max-threads=0"}), HasSubstr("one to three numbers"));
  EXPECT_THAT(ParseError({"--required-threads=64,32"}), HasSubstr("more than 1024"));
  EXPECT_THAT(ParseError({"--required-threads=4294967295,4294967295,2"}),
              HasSubstr("more than 1024"));
  EXPECT_THAT(ParseError({"--min-blocks=0"}), HasSubstr("from 1 to 32"));
  EXPECT_THAT(ParseError({"--max-registers=256"}), HasSubstr("from 1 to 255"));
  EXPECT_THAT(ParseError({"--cluster-size=17"}), HasSubstr("more than 16"));
  EXPECT_FALSE(Parse({"--relocatable=true", "--relocatable=false"})->kernels.relocatable);
  EXPECT_EQ(Parse({"--entry=a,b,,c"})->kernels.entries, std::vector<std::string>({"a", "b", "c"}));
}

TEST(ResolveTest, KernelOptionsAreForTargetsWithKernels) {
  for (const char* option :
       {"--entry=k", "--max-threads=1", "--min-blocks=1", "--relocatable=true", "--ptx=8.7"}) {
    const auto resolved = Resolve(*Parse({"--target=avr", option, "k.ll"}));
    EXPECT_THAT(std::string(resolved.status().message()),
                AllOf(HasSubstr("target avr runs none"),
                      HasSubstr(std::string(option).substr(0, std::string(option).find('=')))));
  }
}

TEST(ResolveTest, APtxVersionIsAFeature) {
  const auto resolve = [](std::vector<std::string> options) {
    options.insert(options.end(), {"--target=nvptx64", "k.ll"});
    return Resolve(*Parse(options));
  };
  const auto resolved = resolve({"--cpu=sm_90", "--ptx=8.7"});
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->features, "+ptx87");
  EXPECT_EQ(resolved->ptx, "");
  EXPECT_EQ(*Resolve(*resolved), *resolved);
  EXPECT_EQ(*resolve({"--cpu=sm_90", "--features=+ptx87"}), *resolved);
  EXPECT_EQ(*resolve({"--cpu=sm_90", "--features=+ptx87", "--ptx=8.7"}), *resolved);
  EXPECT_THAT(std::string(resolve({"--features=+ptx86", "--ptx=8.7"}).status().message()),
              HasSubstr("--ptx=8.7 and --features=+ptx86 are two versions of PTX"));
  EXPECT_EQ(resolve({"--cpu=sm_90a", "--ptx=7.8"}).status().message(),
            "PTX 7.8 cannot be made for sm_90a; versions that can: 8.0, 8.1, 8.2, 8.3, 8.4, 8.5, "
            "8.6, 8.7, 8.8, 9.0");
  EXPECT_FALSE(resolve({"--cpu=sm_90", "--features=+ptx32"}).ok());
  EXPECT_FALSE(resolve({"--cpu=sm_90", "--ptx=87"}).ok());
  EXPECT_FALSE(resolve({"--cpu=sm_90", "--ptx=9.9"}).ok());
}

TEST(ResolveTest, ACudaToolkitIsForCudaAlone) {
  Invocation invocation{.target = "nvptx64", .front_end_options = {"--cuda-path=/cuda"}};
  invocation.inputs = {"k.cu"};
  EXPECT_TRUE(Resolve(invocation).ok());
  invocation.inputs = {"k.cl"};
  EXPECT_THAT(std::string(Resolve(invocation).status().message()),
              HasSubstr("--cuda-path= has no meaning for cl, only for CUDA: k.cl"));
}

}  // namespace
}  // namespace ingot::compiler
