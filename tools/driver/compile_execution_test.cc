#include "tools/driver/compile_execution.h"

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/driver/local_execution.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

constexpr char kOutput[] = "out/k.ptx";

class CompileExecutionTest : public ::testing::Test {
 protected:
  CompileExecutionTest()
      : folder_((fs::path(::testing::TempDir()) / "compile_execution_test").string()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/tmp");
  }

  // Runs a shell in place of the compile tool.
  absl::StatusOr<Executed> Shell(const std::string& script) {
    const ExecutionRequest request{.program = "/bin/sh",
                                   .arguments = {"sh", "-c", script},
                                   .inputs = {},
                                   .outputs = {kOutput},
                                   .time_limit = absl::Minutes(1)};
    return ExecuteSomewhere({.state = state_, .temporary_directory = folder_ + "/tmp"}, request);
  }

  const std::string folder_;
  std::string state_ = folder_ + "/state";
};

TEST_F(CompileExecutionTest, WorksInTheStateAndLeavesNothing) {
  {
    absl::StatusOr<Executed> executed = Shell("pwd > out/k.ptx");
    ASSERT_TRUE(executed.ok()) << executed.status();
    ASSERT_NE(OutputOf(executed->result, kOutput), nullptr);
    EXPECT_THAT(*OutputOf(executed->result, kOutput), StartsWith(state_ + "/work/"));
    EXPECT_FALSE(InputWasRejected(executed->result));
  }
  EXPECT_TRUE(fs::is_empty(state_ + "/work"));
}

// Exit code 4 is the compile tool's for a file that it cannot read or write.
TEST_F(CompileExecutionTest, LostFilesAreWorthASecondTryElsewhere) {
  const std::string script =
      absl::StrCat("case $PWD in ", state_, "/*) exit 4;; esac; pwd > out/k.ptx");
  absl::StatusOr<Executed> executed = Shell(script);
  ASSERT_TRUE(executed.ok()) << executed.status();
  ASSERT_NE(OutputOf(executed->result, kOutput), nullptr);
  EXPECT_THAT(*OutputOf(executed->result, kOutput), StartsWith(folder_ + "/tmp/ingot-work-"));
}

TEST_F(CompileExecutionTest, AnInputThatIsWrongIsWrongEverywhere) {
  absl::StatusOr<Executed> executed = Shell("pwd >&2; exit 1");
  ASSERT_TRUE(executed.ok()) << executed.status();
  EXPECT_THAT(executed->result.stderr_text, StartsWith(state_ + "/work/"));
  EXPECT_TRUE(InputWasRejected(executed->result));
  EXPECT_EQ(OutputOf(executed->result, kOutput), nullptr);
}

TEST_F(CompileExecutionTest, AStateThatCannotBeUsedIsDoneWithout) {
  for (const std::string& state : {std::string(), std::string("/dev/null/state")}) {
    state_ = state;
    absl::StatusOr<Executed> executed = Shell("pwd > out/k.ptx");
    ASSERT_TRUE(executed.ok()) << executed.status();
    ASSERT_NE(OutputOf(executed->result, kOutput), nullptr);
    EXPECT_THAT(*OutputOf(executed->result, kOutput), StartsWith(folder_ + "/tmp/ingot-work-"));
  }
}

TEST_F(CompileExecutionTest, AFailureIsNoOutputWhateverIsThere) {
  for (const char* script :
       {"echo x > out/k.ptx; exit 3", "echo x > out/k.ptx; kill -9 $$", "true"}) {
    absl::StatusOr<Executed> executed = Shell(script);
    ASSERT_TRUE(executed.ok()) << executed.status();
    EXPECT_EQ(OutputOf(executed->result, kOutput), nullptr) << script;
    EXPECT_FALSE(InputWasRejected(executed->result)) << script;
  }
}

}  // namespace
}  // namespace ingot::driver
