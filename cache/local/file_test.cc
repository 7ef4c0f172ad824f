#include "cache/local/file.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/local/remove_tree.h"
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
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

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

// Makes the system refuse, for the rest of this process's life, what a filter says: what another
// file system or another moment of death looks like.
void Install(std::vector<sock_filter> filter) {
  const sock_fprog program = {.len = static_cast<unsigned short>(filter.size()),
                              .filter = filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    _exit(99);
  }
}

constexpr sock_filter kLoadNumber = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
constexpr sock_filter kAllow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

constexpr sock_filter SkipUnless(uint32_t value, uint8_t count) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
}

constexpr sock_filter Fail(uint32_t error) {
  return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
}

// As on NFS: no file without a name.
void RefuseNamelessFiles() {
  Install({kLoadNumber, SkipUnless(__NR_openat, 3),
           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
           BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1), Fail(EOPNOTSUPP),
           kAllow});
}

void RefuseLocks() { Install({kLoadNumber, SkipUnless(__NR_flock, 1), Fail(ENOLCK), kAllow}); }

void DieAtRename() {
  constexpr sock_filter kDie = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  Install(
      {kLoadNumber, SkipUnless(__NR_rename, 1), kDie, SkipUnless(__NR_renameat2, 1), kDie, kAllow});
}

// The signal's default action kills whoever writes more than a kilobyte into a file.
void DieWhileWriting() {
  const struct rlimit small = {.rlim_cur = 1000, .rlim_max = 1000};
  setrlimit(RLIMIT_FSIZE, &small);
  const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
}

// Runs `body` in a process of its own and returns how that ended, as waitpid() says it.
template <typename Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

bool WasKilled(int status) { return WIFSIGNALED(status); }

void SetAge(const std::string& path, absl::Time now, absl::Duration age) {
  const timespec time = absl::ToTimespec(now - age);
  const timespec times[2] = {time, time};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

const std::string& Large() {
  static const auto& large = *new std::string(5000, 'x');
  return large;
}

TEST(KilledWriterTest, LeavesNothing) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  const int status = InChild([&] {
    DieWhileWriting();
    (void)WriteFileAtomically(root + "/tmp", root + "/f", Large(), Durability::kSync);
  });
  EXPECT_TRUE(WasKilled(status)) << status;
  EXPECT_THAT(directory.Files(), IsEmpty());
}

TEST(KilledWriterTest, WhatANamedFileLeavesGoesAtOnce) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  const int status = InChild([&] {
    RefuseNamelessFiles();
    DieWhileWriting();
    (void)WriteFileAtomically(root + "/tmp", root + "/f", Large(), Durability::kSync);
  });
  EXPECT_TRUE(WasKilled(status)) << status;
  EXPECT_THAT(directory.Files(), ElementsAre(StartsWith("tmp/ingot-")));
  const Removed removed = RemoveAbandonedFiles(root + "/tmp", absl::Now());
  EXPECT_EQ(removed.files, 1);
  EXPECT_GE(removed.bytes, 1000);
  EXPECT_THAT(directory.Files(), IsEmpty());
}

TEST(KilledWriterTest, WhatAReplacementLeavesGoesAtOnce) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  WriteTestFile(root + "/f", "before");
  const int status = InChild([&] {
    DieAtRename();
    (void)WriteFileAtomically(root + "/tmp", root + "/f", "after", Durability::kSync);
  });
  EXPECT_TRUE(WasKilled(status)) << status;
  EXPECT_THAT(directory.Files(), ElementsAre("f", StartsWith("tmp/ingot-")));
  RemoveAbandonedFiles(root + "/tmp", absl::Now());
  EXPECT_THAT(directory.Files(), ElementsAre("f"));
  EXPECT_EQ(ReadTestFile(root + "/f"), "before");
}

TEST(NamedFileTest, BehavesAsANamelessOne) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  const int status = InChild([&] {
    RefuseNamelessFiles();
    for (const char* bytes : {"one", "two"}) {
      if (!WriteFileAtomically(root + "/tmp", root + "/a/f", bytes, Durability::kNoSync).ok()) {
        _exit(1);
      }
    }
    if (!absl::IsAlreadyExists(
            WriteNewFileAtomically(root + "/tmp", root + "/a/f", "three", Durability::kSync)) ||
        !WriteNewFileAtomically(root + "/tmp", root + "/b/f", "four", Durability::kSync).ok()) {
      _exit(2);
    }
  });
  EXPECT_EQ(status, 0);
  EXPECT_THAT(directory.Files(), ElementsAre("a/f", "b/f"));
  EXPECT_EQ(ReadTestFile(root + "/a/f"), "two");
  EXPECT_EQ(ReadTestFile(root + "/b/f"), "four");
}

// The moment between a named file's creation and its lock belongs to whoever comes first.
TEST(NamedFileTest, NoWriterLosesItsFileToACleaner) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  const int status = InChild([&] {
    RefuseNamelessFiles();
    std::atomic<bool> done = false;
    std::atomic<int> failures = 0;
    std::thread cleaner([&] {
      while (!done) RemoveAbandonedFiles(root + "/tmp", absl::Now());
    });
    for (int i = 0; i < 3000; ++i) {
      const std::string path = root + "/" + std::to_string(i % 7);
      if (!WriteFileAtomically(root + "/tmp", path, "bytes", Durability::kNoSync).ok()) ++failures;
    }
    done = true;
    cleaner.join();
    _exit(failures == 0 ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_THAT(directory.Files(), SizeIs(7));
}

TEST(RemoveAbandonedFilesTest, OwnersAndOthersKeepTheirFiles) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  for (const char* name : {"/ingot-dead", "/ingot-living", "/bazel-old"}) {
    WriteTestFile(root + name, "part");
  }
  const absl::Time now = absl::Now();
  for (const char* name : {"/ingot-living", "/bazel-old"}) {
    SetAge(root + name, now, 2 * kAbandonedAfter);
  }
  const int fd = open((root + "/ingot-living").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  RemoveAbandonedFiles(root, now);
  EXPECT_THAT(directory.Files(), ElementsAre("bazel-old", "ingot-living"));
  close(fd);
  RemoveAbandonedFiles(root, now);
  EXPECT_THAT(directory.Files(), ElementsAre("bazel-old"));
  RemoveAbandonedFiles(root + "/nowhere", now);
}

TEST(RemoveAbandonedFilesTest, WithoutLocksAgeDecides) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  const absl::Time now = absl::Now();
  for (const char* name : {"/ingot-old", "/ingot-young"}) WriteTestFile(root + name, "part");
  SetAge(root + "/ingot-old", now, kAbandonedAfter + absl::Seconds(1));
  SetAge(root + "/ingot-young", now, kAbandonedAfter - absl::Seconds(1));
  const int status = InChild([&] {
    RefuseLocks();
    RemoveAbandonedFiles(root, now);
  });
  EXPECT_EQ(status, 0);
  EXPECT_THAT(directory.Files(), ElementsAre("ingot-young"));
}

TEST(RemoveAbandonedFilesTest, FoldersPutAsideGoAFewFilesAtATime) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  for (int i = 0; i < 5; ++i) WriteTestFile(root + "/ingot-x/00/" + std::to_string(i), "x");
  WriteTestFile(root + "/ingot-busy/file", "x");
  WriteTestFile(root + "/folder/file", "x");
  const int fd = open((root + "/ingot-busy").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(RemoveAbandonedFiles(root, absl::Now(), 2).files, 2);
  EXPECT_EQ(RemoveAbandonedFiles(root, absl::Now()).files, 3);
  EXPECT_THAT(directory.Files(), ElementsAre("folder/file", "ingot-busy/file"));
  EXPECT_NE(access((root + "/ingot-x").c_str(), F_OK), 0);
  close(fd);
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
  EXPECT_THAT(written, StatusIs(_, HasSubstr(root + "/f")));
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
