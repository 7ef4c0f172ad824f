#include "tools/driver/crash_report.h"

#include <csignal>
#include <string>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/driver/local_execution.h"

namespace ingot::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kCrash[] =
    "LLVM ERROR: Cannot select: 0x… f32 = fsin\n"
    "ingot-compile: crashed in stage 'codegen'\n"
    "Stack dump:\n"
    "0.\tRunning pass 'Function Pass Manager' on module 'src/k.ll'.\n"
    "1.\tRunning pass 'NVPTX DAG->DAG Pattern Instruction Selection' on function '@f'\n";

TEST(CrashReportTest, ReadsTheInnermostPass) {
  const CrashFacts facts = ParseCrash(kCrash);
  EXPECT_EQ(facts.stage, "codegen");
  EXPECT_EQ(facts.pass, "NVPTX DAG->DAG Pattern Instruction Selection");
  EXPECT_EQ(facts.function, "@f");
  EXPECT_EQ(facts.message, "Cannot select: 0x… f32 = fsin");
}

TEST(CrashReportTest, ReadsAnOptimisersPass) {
  const CrashFacts facts = ParseCrash(
      "ingot-compile: crashed in stage 'optimize'\n"
      "0.\tRunning pass \"function<eager-inv>(instcombine,simplifycfg,instcombine,simplifycfg,"
      "instcombine,simplifycfg,instcombine,simplifycfg,instcombine)\" on module \"k.ll\"\n"
      "1.\tRunning pass \"instcombine<max-iterations=1>\" on function \"f\"\n");
  EXPECT_EQ(facts.stage, "optimize");
  EXPECT_EQ(facts.pass, "instcombine<max-iterations=1>");
  EXPECT_EQ(facts.function, "f");
}

TEST(CrashReportTest, DescribesASignal) {
  ExecutionResult result;
  result.signal = SIGABRT;
  result.stderr_text = kCrash;
  EXPECT_THAT(DescribeCrash(result, absl::Minutes(10)),
              AllOf(HasSubstr("SIGABRT"), HasSubstr("stage 'codegen'"), HasSubstr("'@f'"),
                    HasSubstr("fsin"), Not(HasSubstr("Stack dump"))));
}

TEST(CrashReportTest, DescribesATimeLimit) {
  ExecutionResult result;
  result.signal = SIGKILL;
  result.timed_out = true;
  EXPECT_THAT(DescribeCrash(result, absl::Minutes(10)), HasSubstr("time limit of 10m"));
}

TEST(CrashReportTest, ASuccessWithoutAnOutputIsNoExitCode) {
  EXPECT_THAT(DescribeCrash(ExecutionResult(), absl::Minutes(10)),
              AllOf(HasSubstr("wrote no output"), Not(HasSubstr("exit code"))));
}

TEST(CrashReportTest, ASilentFailureStillSaysSomething) {
  ExecutionResult result;
  result.exit_code = 127;
  result.stderr_text = "ingot: cannot start the compile tool\n";
  EXPECT_THAT(DescribeCrash(result, absl::Minutes(10)),
              AllOf(HasSubstr("exit code 127"), HasSubstr("cannot start")));
}

}  // namespace
}  // namespace ingot::driver
