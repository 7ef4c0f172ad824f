#include "tools/driver/local_execution.h"

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class LocalExecutionTest : public ::testing::Test {
 protected:
  LocalExecutionTest() : folder_(::testing::TempDir() + "/local_execution_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  ExecutionResult Shell(const std::string& script, std::vector<std::string> outputs = {},
                        absl::Duration time_limit = absl::InfiniteDuration()) {
    const ExecutionRequest request{.program = "/bin/sh",
                                   .arguments = {"sh", "-c", script},
                                   .inputs = {{"src/in", "contents"}},
                                   .outputs = std::move(outputs),
                                   .time_limit = time_limit};
    absl::StatusOr<ExecutionResult> result = Execute(request, folder_);
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  }

  std::string folder_;
};

TEST_F(LocalExecutionTest, GivesInputsAndTakesDeclaredOutputs) {
  const ExecutionResult result =
      Shell("read -r line < src/in; echo \"<$line>\" > out/a; echo no > out/b", {"out/a", "out/c"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.outputs, ElementsAre(Pair("out/a", "<contents>\n")));
}

TEST_F(LocalExecutionTest, KeepsTheStreamsApart) {
  const ExecutionResult result = Shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result.stdout_text, "out\n");
  EXPECT_EQ(result.stderr_text, "err\n");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.signal, 0);
}

TEST_F(LocalExecutionTest, TakesMoreThanAPipeHolds) {
  const ExecutionResult result =
      Shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done >&2");
  EXPECT_EQ(result.stderr_text.size(), 220000U);
}

TEST_F(LocalExecutionTest, HasNoEnvironment) {
  // A shell makes PWD and the like for itself; what was handed over would be exported.
  EXPECT_EQ(Shell("export -p | grep -v -e PWD -e SHLVL -e '_='").stdout_text, "");
}

TEST_F(LocalExecutionTest, HasNoStandardInput) {
  EXPECT_EQ(Shell("read -r line || echo end").stdout_text, "end\n");
}

TEST_F(LocalExecutionTest, ReportsTheSignal) { EXPECT_EQ(Shell("kill -SEGV $$").signal, SIGSEGV); }

TEST_F(LocalExecutionTest, AsksWhereItIsAtTheTimeLimit) {
  const ExecutionResult result =
      Shell("trap 'echo here >&2; exit 9' QUIT; while :; do :; done", {}, absl::Milliseconds(200));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.stderr_text, "here\n");
}

TEST_F(LocalExecutionTest, KillsWhatDoesNotListen) {
  const ExecutionResult result =
      Shell("trap '' QUIT; while :; do :; done", {}, absl::Milliseconds(200));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST_F(LocalExecutionTest, KillsWhatHasClosedItsStreams) {
  const ExecutionResult result =
      Shell("exec >&- 2>&-; trap '' QUIT; while :; do :; done", {}, absl::Milliseconds(200));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST_F(LocalExecutionTest, AProgramThatCannotBeStartedIsAnError) {
  const ExecutionRequest request{.program = "/nowhere", .arguments = {"nowhere"}};
  const absl::StatusOr<ExecutionResult> result = Execute(request, folder_);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace ingot::driver
