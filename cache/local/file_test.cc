#include "cache/local/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr ReadLimits kAnySize = {.exact_size = std::nullopt, .maximum_size = 1 << 20};

absl::Status Accept(std::string_view) { return absl::OkStatus(); }

int64_t SecondsSinceUse(const std::string& path) {
  struct stat status;
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return time(nullptr) - status.st_mtim.tv_sec;
}

TEST(ReadFileTest, ReadsAndTouches) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/f";
  WriteTestFile(path, "bytes");
  AgeTestFile(path, 10'000);
  EXPECT_THAT(ReadFile(path, kAnySize), IsOkAndHolds("bytes"));
  EXPECT_GE(SecondsSinceUse(path), 9'000);
  EXPECT_THAT(ReadCheckedFile(path, kAnySize, Touch::kNow, Accept), IsOkAndHolds("bytes"));
  EXPECT_LT(SecondsSinceUse(path), 1'000);
}

TEST(ReadFileTest, WhoOnlyLooksLeavesNoTrace) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/f";
  WriteTestFile(path, "bytes");
  AgeTestFile(path, 10'000);
  EXPECT_THAT(ReadCheckedFile(path, kAnySize, Touch::kNot, Accept), IsOkAndHolds("bytes"));
  EXPECT_GE(SecondsSinceUse(path), 9'000);
}

TEST(ReadFileTest, WhatTheCheckRefusesIsNotTouched) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/f";
  WriteTestFile(path, "bytes");
  AgeTestFile(path, 10'000);
  EXPECT_THAT(ReadCheckedFile(path, kAnySize, Touch::kNow,
                               [](std::string_view) { return absl::DataLossError("no good"); }),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr(path), HasSubstr("no good"))));
  EXPECT_GE(SecondsSinceUse(path), 9'000);
}

TEST(ReadFileTest, ErrorsNameThePath) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/f";
  EXPECT_THAT(ReadFile(path, kAnySize), StatusIs(absl::StatusCode::kNotFound, HasSubstr(path)));
  WriteTestFile(path, "bytes");
  EXPECT_THAT(ReadFile(path, {.exact_size = 4, .maximum_size = 100}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
  EXPECT_THAT(ReadFile(path, {.exact_size = 6, .maximum_size = 100}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
  EXPECT_THAT(ReadFile(path, {.exact_size = std::nullopt, .maximum_size = 4}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
  EXPECT_THAT(ReadFile(path + "/below", kAnySize), StatusIs(_, HasSubstr(path)));
  EXPECT_THAT(ReadFile(directory.path(), kAnySize),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(directory.path())));
  EXPECT_TRUE(absl::IsDataLoss(FileError(EIO, "read", path)));
}

// Opening a FIFO for reading would wait for a writer.
TEST(ReadFileTest, AFifoIsRefusedWithoutWaiting) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(ReadFile(path, kAnySize), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
}

TEST(TouchFileTest, TouchesAndTellsTheSize) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/f";
  EXPECT_THAT(TouchFile(path), StatusIs(absl::StatusCode::kNotFound, _));
  WriteTestFile(path, "bytes");
  AgeTestFile(path, 10'000);
  EXPECT_THAT(TouchFile(path), IsOkAndHolds(5));
  EXPECT_LT(SecondsSinceUse(path), 1'000);
}

TEST(WriteFileTest, MakesFoldersAndLeavesNoTemporaryFile) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  EXPECT_THAT(WriteFileAtomically(root + "/a/tmp", root + "/a/b/c/f", "bytes", Durability::kSync),
              IsOk());
  EXPECT_EQ(ReadTestFile(root + "/a/b/c/f"), "bytes");
  EXPECT_THAT(WriteFileAtomically(root + "/a/tmp", root + "/a/b/c/f", "other", Durability::kNoSync),
              IsOk());
  EXPECT_EQ(ReadTestFile(root + "/a/b/c/f"), "other");
  EXPECT_THAT(directory.Files(), ElementsAre("a/b/c/f"));
}

TEST(WriteFileTest, AFolderInTheWayMovesAside) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  WriteTestFile(root + "/target/inner", "inner");
  EXPECT_THAT(WriteFileAtomically(root + "/tmp", root + "/target", "bytes", Durability::kSync),
              IsOk());
  EXPECT_EQ(ReadTestFile(root + "/target"), "bytes");
  EXPECT_THAT(directory.Files(), ElementsAre("target", EndsWith(".folder/inner")));
}

TEST(WriteFileTest, WritesSeveralFilesOrNamesTheOneThatFailed) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  const std::vector<FileToWrite> files = {{root + "/a/1", "one"}, {root + "/b/2", "two"}};
  EXPECT_THAT(WriteFilesAtomically(root + "/tmp", files, Durability::kSync), IsOk());
  EXPECT_EQ(ReadTestFile(root + "/b/2"), "two");
  EXPECT_THAT(directory.Files(), ElementsAre("a/1", "b/2"));
  const std::vector<FileToWrite> bad = {{root + "/c", "three"}, {root + "/a/1/x", "four"}};
  EXPECT_THAT(WriteFilesAtomically(root + "/tmp", bad, Durability::kSync),
              StatusIs(_, HasSubstr(root + "/a/1")));
  EXPECT_THAT(directory.Files(), ElementsAre("a/1", "b/2", "c"));
}

TEST(RemoveAbandonedFilesTest, RemovesOldFilesOfDeadWritersOnly) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  for (const char* name : {"/ingot-dead", "/ingot-living", "/bazel-old"}) {
    WriteTestFile(root + name, "part");
  }
  const absl::Time now = absl::Now();
  const absl::Time long_ago = now - kAbandonedAfter - absl::Seconds(1);
  for (const char* name : {"/ingot-dead", "/bazel-old"}) {
    const timespec times[2] = {absl::ToTimespec(long_ago), absl::ToTimespec(long_ago)};
    ASSERT_EQ(utimensat(AT_FDCWD, (root + name).c_str(), times, 0), 0);
  }
  RemoveAbandonedFiles(root, now);
  EXPECT_THAT(directory.Files(), ElementsAre("bazel-old", "ingot-living"));
  RemoveAbandonedFiles(root + "/nowhere", now);
}

TEST(WriteFileTest, AFailureLeavesThingsAsTheyWere) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  WriteTestFile(root + "/target/inner", "inner");
  // A file where a folder should be.
  EXPECT_THAT(
      WriteFileAtomically(root + "/tmp", root + "/target/inner/f", "bytes", Durability::kSync),
      StatusIs(_, HasSubstr(root + "/target/inner")));
  EXPECT_THAT(WriteFileAtomically(root + "/target/inner", root + "/f", "bytes", Durability::kSync),
              StatusIs(_, HasSubstr(root + "/target/inner")));
  EXPECT_THAT(directory.Files(), ElementsAre("target/inner"));
}

// A limit on the size of files stands in for a full disk: the first part of a write succeeds, the
// next one fails.
TEST(WriteFileTest, AWriteThatFailsHalfwayLeavesNothing) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  WriteTestFile(root + "/f", "before");
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit small = {.rlim_cur = 1000, .rlim_max = before.rlim_max};
  const auto previous_handler = signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status written =
      WriteFileAtomically(root + "/tmp", root + "/f", std::string(5000, 'x'), Durability::kSync);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, previous_handler);
  EXPECT_THAT(written, StatusIs(_, HasSubstr(root + "/tmp")));
  EXPECT_THAT(directory.Files(), ElementsAre("f"));
  EXPECT_EQ(ReadTestFile(root + "/f"), "before");
}

TEST(FileErrorTest, MapsWhatCallersDecideBy) {
  EXPECT_TRUE(absl::IsResourceExhausted(FileError(ENOSPC, "write", "f")));
  EXPECT_TRUE(absl::IsPermissionDenied(FileError(EACCES, "write", "f")));
  EXPECT_TRUE(absl::IsNotFound(FileError(ENOENT, "open", "f")));
}

TEST(MakeFoldersTest, MakesWhatIsMissing) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/a/b/c";
  EXPECT_THAT(MakeFolders(path, 0700), IsOk());
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_THAT(MakeFolders(path, 0700), IsOk());
  WriteTestFile(path + "/f", "");
  EXPECT_THAT(MakeFolders(path + "/f", 0700), StatusIs(_, HasSubstr(path + "/f")));
  EXPECT_THAT(MakeFolders(path + "/f/g", 0700), StatusIs(_, HasSubstr(path + "/f")));
}

}  // namespace
}  // namespace ingot::cache
