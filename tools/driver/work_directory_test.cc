#include "tools/driver/work_directory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;

class WorkDirectoryTest : public ::testing::Test {
 protected:
  WorkDirectoryTest() : parent_(::testing::TempDir() + "/work_directory_test") {
    fs::remove_all(parent_);
  }

  WorkDirectory Create() {
    absl::StatusOr<WorkDirectory> work = WorkDirectory::Create(parent_);
    EXPECT_TRUE(work.ok()) << work.status();
    return *std::move(work);
  }

  std::string parent_;
};

TEST_F(WorkDirectoryTest, GoesWithItsOwner) {
  std::string path;
  {
    const WorkDirectory work = Create();
    path = work.path();
    std::ofstream(path + "/file") << "x";
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(WorkDirectoryTest, LivingOwnersKeepTheirs) {
  const WorkDirectory first = Create();
  const WorkDirectory second = Create();
  EXPECT_NE(first.path(), second.path());
  EXPECT_TRUE(fs::is_directory(first.path()));
}

TEST_F(WorkDirectoryTest, ThatOfAKilledOwnerGoesWithTheNextOne) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const absl::StatusOr<WorkDirectory> work = WorkDirectory::Create(parent_);
    const std::string path = work.ok() ? work->path() : "";
    if (write(ends[1], path.data(), path.size()) < 0) _exit(1);
    close(ends[1]);
    pause();
  }
  close(ends[1]);
  std::array<char, 4096> buffer = {};
  const ssize_t length = read(ends[0], buffer.data(), buffer.size());
  ASSERT_GT(length, 0);
  const std::string abandoned(buffer.data(), static_cast<size_t>(length));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::is_directory(abandoned));

  const WorkDirectory work = Create();
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::is_directory(work.path()));
}

TEST_F(WorkDirectoryTest, WhatSomebodyElsePutThereStays) {
  fs::create_directories(parent_ + "/project");
  std::ofstream(parent_ + "/project/thesis.tex") << "x";
  fs::create_directories(parent_ + "/elsewhere");
  fs::create_directory_symlink(parent_ + "/project", parent_ + "/ingot-link");
  {
    const WorkDirectory work = Create();
  }
  EXPECT_TRUE(fs::exists(parent_ + "/project/thesis.tex"));
  EXPECT_TRUE(fs::exists(parent_ + "/elsewhere"));
}

TEST_F(WorkDirectoryTest, KeepsWhatItIsToldTo) {
  WorkDirectory work = Create();
  std::ofstream(work.path() + "/file") << "x";
  const std::string kept = parent_ + "/kept/here";
  ASSERT_TRUE(std::move(work).KeepAs(kept).ok());
  EXPECT_TRUE(fs::exists(kept + "/file"));
}

}  // namespace
}  // namespace ingot::driver
