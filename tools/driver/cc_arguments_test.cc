#include "tools/driver/cc_arguments.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/record.h"
#include "tools/driver/cc_jobs.h"

namespace ingot::driver {
namespace {

using compiler::Language;
using compiler::OptLevel;
using targets::EmitKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CcArguments Parse(const std::vector<std::string>& arguments, const CcName& name = {}) {
  absl::StatusOr<CcArguments> parsed = ParseCcArguments(arguments, name);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *std::move(parsed) : CcArguments();
}

std::string ErrorOf(const std::vector<std::string>& arguments, const CcName& name = {}) {
  const absl::StatusOr<CcArguments> parsed = ParseCcArguments(arguments, name);
  absl::Status status = parsed.status();
  if (parsed.ok()) status = PlanCcJobs(*parsed).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

std::vector<CcJob> Plan(const std::vector<std::string>& arguments, const CcName& name = {}) {
  absl::StatusOr<std::vector<CcJob>> jobs = PlanCcJobs(Parse(arguments, name));
  EXPECT_TRUE(jobs.ok()) << jobs.status();
  return jobs.ok() ? *std::move(jobs) : std::vector<CcJob>(1);
}

// The one job of the arguments and -mmcu=atmega328p.
CcJob PlanOne(std::vector<std::string> arguments) {
  arguments.emplace_back("-mmcu=atmega328p");
  std::vector<CcJob> jobs = Plan(arguments);
  EXPECT_EQ(jobs.size(), 1u);
  return jobs.front();
}

TEST(CompilerOfProgram, KnowsItsNames) {
  ASSERT_TRUE(CompilerOfProgram("/usr/bin/ingot-cc").has_value());
  EXPECT_EQ(CompilerOfProgram("ingot-cc")->target, "");
  EXPECT_FALSE(CompilerOfProgram("ingot-cc")->cxx);
  EXPECT_TRUE(CompilerOfProgram("ingot-g++")->cxx);
  EXPECT_TRUE(CompilerOfProgram("ingot-clang++")->cxx);
  EXPECT_EQ(CompilerOfProgram("../bin/avr-ingot-gcc")->target, "avr");
  EXPECT_EQ(CompilerOfProgram("nvptx64-nvidia-cuda-ingot-clang")->target, "nvptx64-nvidia-cuda");
  for (const char* other : {"ingot", "ingot-compile", "ingot-ccx", "xingot-cc", "ingot-cc/ingot"}) {
    EXPECT_FALSE(CompilerOfProgram(other).has_value()) << other;
  }
}

TEST(ParseCcArguments, ReadsATypicalCall) {
  const CcArguments parsed = Parse({"-mmcu=atmega328p", "-Os", "-Wall", "-DN=2", "-I", "inc",
                                    "-std=c11", "-MMD", "-MP", "-c", "blink.c", "-o", "b/blink.o"});
  EXPECT_EQ(parsed.invocation.target, "avr");
  EXPECT_EQ(parsed.invocation.cpu, "atmega328p");
  EXPECT_EQ(parsed.invocation.opt, OptLevel::kOs);
  EXPECT_THAT(parsed.invocation.front_end_options,
              ElementsAre("-Wall", "-DN=2", "-Iinc", "-std=c11"));
  EXPECT_EQ(parsed.mode, CcMode::kObject);
  EXPECT_EQ(parsed.output, "b/blink.o");
  EXPECT_TRUE(parsed.dependencies.wanted);
  EXPECT_TRUE(parsed.dependencies.leave_out_system);
  EXPECT_TRUE(parsed.dependencies.phony);
  ASSERT_EQ(parsed.inputs.size(), 1u);
  EXPECT_EQ(parsed.inputs[0].language, Language::kC);
  EXPECT_THAT(parsed.warnings, IsEmpty());
}

TEST(ParseCcArguments, TakesTheTargetFromTheFirstThatSaysIt) {
  const CcName avr{.target = "avr", .cxx = false};
  EXPECT_EQ(Parse({"-c", "a.c"}, avr).invocation.target, "avr");
  EXPECT_EQ(Parse({"-c", "a.c", "--target=nvptx64"}, avr).invocation.target, "nvptx64");
  EXPECT_EQ(Parse({"-c", "a.c", "-target", "nvptx64"}).invocation.target, "nvptx64");
  EXPECT_EQ(Parse({"-c", "a.c", "-mmcu=attiny85"}).invocation.target, "avr");
  EXPECT_THAT(ErrorOf({"-c", "a.c"}), HasSubstr("no target was named"));
}

TEST(ParseCcArguments, OptimisesAsClangWould) {
  EXPECT_EQ(Parse({"a.c"}).invocation.opt, OptLevel::kO0);
  EXPECT_EQ(Parse({"-O", "a.c"}).invocation.opt, OptLevel::kO1);
  EXPECT_EQ(Parse({"-O3", "-Og", "a.c"}).invocation.opt, OptLevel::kO1);
  EXPECT_EQ(Parse({"-O4", "a.c"}).invocation.opt, OptLevel::kO3);
  EXPECT_THAT(ErrorOf({"-Oh", "a.c"}), HasSubstr("-Oh"));
}

TEST(ParseCcArguments, LanguageHoldsForWhatFollows) {
  const CcArguments parsed =
      Parse({"a.c", "-x", "c++", "b.c", "-xassembler-with-cpp", "c.s", "-x", "none", "d.cl"});
  ASSERT_EQ(parsed.inputs.size(), 4u);
  EXPECT_EQ(parsed.inputs[0].language, Language::kC);
  EXPECT_EQ(parsed.inputs[1].language, Language::kCxx);
  EXPECT_EQ(parsed.inputs[2].language, Language::kAssemblerWithCpp);
  EXPECT_EQ(parsed.inputs[3].language, Language::kOpenCl);
  EXPECT_THAT(ErrorOf({"-x", "c+", "a.c"}), HasSubstr("language not recognized: 'c+'"));
  EXPECT_EQ(Parse({"a.c"}, {.target = "", .cxx = true}).inputs[0].language, Language::kCxx);
}

TEST(ParseCcArguments, StandardInputNeedsALanguageUnlessPreprocessed) {
  EXPECT_THAT(ErrorOf({"-c", "-"}), HasSubstr("-E or -x required"));
  EXPECT_EQ(Parse({"-E", "-"}).inputs[0].language, Language::kC);
  EXPECT_EQ(Parse({"-c", "-xc++", "-"}).inputs[0].language, Language::kCxx);
}

TEST(ParseCcArguments, RefusesByName) {
  EXPECT_THAT(ErrorOf({"-mcmu=atmega328p", "a.c"}),
              HasSubstr("unknown argument: '-mcmu=atmega328p'"));
  EXPECT_THAT(ErrorOf({"-fsyntax-onyl", "a.c"}), HasSubstr("did you mean '-fsyntax-only'?"));
  EXPECT_THAT(ErrorOf({"-MG", "a.c"}), HasSubstr("-MG"));
  EXPECT_THAT(ErrorOf({"a.c", "-o"}), HasSubstr("argument to '-o' is missing"));
  EXPECT_THAT(ErrorOf({"-c", "a.h", "-mmcu=avr5"}), HasSubstr("precompiled headers"));
  EXPECT_THAT(ErrorOf({"-c", "a.ino", "-mmcu=avr5"}), HasSubstr("-x c a.ino"));
  EXPECT_THAT(ErrorOf({"-c", ""}), HasSubstr("empty argument"));
}

TEST(ParseCcArguments, WarnsOfWhatOnlyALinkerTakes) {
  const std::vector<std::string> arguments = {"-c", "a.c", "-lm", "-L", "lib", "-nostdlib", "b.o"};
  EXPECT_THAT(
      Parse(arguments).warnings,
      ElementsAre(
          "-lm: 'linker' input unused [-Wunused-command-line-argument]",
          "argument unused during compilation: '-L lib' [-Wunused-command-line-argument]",
          "argument unused during compilation: '-nostdlib' [-Wunused-command-line-argument]",
          "b.o: 'linker' input unused [-Wunused-command-line-argument]"));
  for (const char* quiet : {"-Qunused-arguments", "-Wno-unused-command-line-argument"}) {
    std::vector<std::string> silenced = arguments;
    silenced.insert(silenced.begin(), quiet);
    EXPECT_THAT(Parse(silenced).warnings, IsEmpty()) << quiet;
  }
}

TEST(ParseCcArguments, ReadsGccsPreprocessorOptions) {
  const CcArguments parsed = Parse({"-Wp,-MMD,a.d,-DX=1", "-c", "a.c"});
  EXPECT_TRUE(parsed.dependencies.wanted);
  EXPECT_TRUE(parsed.dependencies.leave_out_system);
  EXPECT_EQ(parsed.dependencies.file, "a.d");
  EXPECT_THAT(parsed.invocation.front_end_options, ElementsAre("-DX=1"));
}

TEST(ParseCcArguments, TheFirstQuestionCounts) {
  EXPECT_EQ(Parse({"-print-prog-name=ar", "--version"}).query, CcQuery::kProgramName);
  EXPECT_EQ(Parse({"-print-prog-name=ar"}).query_value, "ar");
}

TEST(PlanCcJobs, NamesOutputsAsClangDoes) {
  EXPECT_EQ(PlanOne({"-c", "dir/a.c"}).invocation.output, "a.o");
  EXPECT_EQ(PlanOne({"-S", "dir/a.c"}).invocation.output, "a.s");
  EXPECT_EQ(PlanOne({"-S", "-emit-llvm", "a.c"}).invocation.output, "a.ll");
  EXPECT_EQ(PlanOne({"-c", "-emit-llvm", "a.c"}).invocation.output, "a.bc");
  EXPECT_EQ(PlanOne({"-E", "a.c"}).invocation.output, "-");
  EXPECT_EQ(PlanOne({"-E", "a.c", "-oa.i"}).invocation.output, "a.i");
  EXPECT_EQ(PlanOne({"-fsyntax-only", "a.c", "-oa.o"}).invocation.output, "/dev/null");
  EXPECT_EQ(PlanOne({"-c", "-xc", "-"}).invocation.output, "-.o");
  EXPECT_EQ(*PlanOne({"-c", "a.c"}).invocation.emit, EmitKind::kObj);
  // There are no objects for it.
  EXPECT_EQ(*Plan({"-c", "a.c", "--target=nvptx64"}).front().invocation.emit, EmitKind::kAsm);
}

TEST(PlanCcJobs, NamesDependencyFilesAsClangDoes) {
  EXPECT_EQ(PlanOne({"-c", "a.c"}).dependency_file, "");
  const CcJob named = PlanOne({"-MD", "-c", "dir/a.c", "-o", "b/x y.obj"});
  EXPECT_EQ(named.dependency_file, "b/x y.d");
  EXPECT_THAT(named.dependency_targets, ElementsAre("b/x\\ y.obj"));
  const CcJob unnamed = PlanOne({"-MD", "-c", "dir/a.c"});
  EXPECT_EQ(unnamed.dependency_file, "a.d");
  EXPECT_THAT(unnamed.dependency_targets, ElementsAre("a.o"));
  const CcJob told = PlanOne({"-MD", "-c", "a.c", "-MF", "deps", "-MT", "$(x)", "-MQ", "$(y)"});
  EXPECT_EQ(told.dependency_file, "deps");
  EXPECT_THAT(told.dependency_targets, ElementsAre("$(x)", "$$(y)"));
  const CcJob instead = PlanOne({"-M", "a.c", "-o", "a.dep"});
  EXPECT_EQ(instead.dependency_file, "a.dep");
  EXPECT_EQ(instead.invocation.output, "/dev/null");
  EXPECT_THAT(instead.dependency_targets, ElementsAre("a.o"));
  EXPECT_EQ(PlanOne({"-MM", "a.c"}).dependency_file, "-");
}

TEST(PlanCcJobs, RefusesOutputsThatCannotBeToldApart) {
  EXPECT_THAT(ErrorOf({"-mmcu=avr5", "-c", "a.c", "b.c", "-o", "x.o"}),
              HasSubstr("cannot specify -o"));
  EXPECT_THAT(ErrorOf({"-mmcu=avr5", "-c", "a.c", "b/a.c"}), HasSubstr("a.o"));
  EXPECT_THAT(ErrorOf({"-mmcu=avr5", "-MD", "-MF", "d", "-c", "a.c", "b.c"}), HasSubstr("-MF d"));
}

TEST(PlanCcJobs, DoesNotLinkYet) {
  const std::string error = ErrorOf({"-mmcu=avr5", "a.c", "-o", "a.elf"});
  EXPECT_THAT(error, HasSubstr("linking is not available yet"));
  EXPECT_THAT(error, HasSubstr("add -c"));
  EXPECT_THAT(ErrorOf({"-mmcu=avr5", "a.o"}), HasSubstr("linking is not available yet"));
  EXPECT_THAT(ErrorOf({"-mmcu=avr5", "-c"}), HasSubstr("no input files"));
}

}  // namespace
}  // namespace ingot::driver
