#include "cache/local/garbage_collection.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

class GarbageCollectionTest : public ::testing::Test {
 protected:
  // Where a file of the store is, relative to its root, by a short name.
  static std::string Name(std::string_view folder, std::string_view name) {
    const std::string hash = Sha256(name).hash;
    return absl::StrCat(folder, "/", std::string_view(hash).substr(0, 2), "/", hash);
  }

  // Makes a file of `size` bytes, last used `age` ago.
  std::string Add(const std::string& relative, int size, absl::Duration age) {
    const std::string path = absl::StrCat(root_, "/", relative);
    WriteTestFile(path, std::string(static_cast<size_t>(size), 'x'));
    const timespec time = absl::ToTimespec(now_ - age);
    const timespec times[2] = {time, time};
    EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    return relative;
  }

  absl::StatusOr<GarbageCollectionResult> Collect(GarbageCollectionOptions options) {
    options.now = now_;
    return CollectGarbage(root_, options);
  }

  // What is left, without the lock.
  std::vector<std::string> Left() const {
    std::vector<std::string> files = directory_.Files();
    std::erase(files, "gc/lock");
    return files;
  }

  const TemporaryDirectory directory_;
  const std::string root_ = directory_.path();
  const absl::Time now_ = absl::Now();
};

TEST_F(GarbageCollectionTest, BySizeTheOldestGoDownToTheLowWaterMark) {
  std::vector<std::string> files;
  for (int i = 0; i < 10; ++i) {
    files.push_back(Add(Name("cas", absl::StrCat(i)), 100, absl::Hours(10 - i)));
  }
  const auto result = Collect({.max_size = 999});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->files_before, 10);
  EXPECT_EQ(result->bytes_before, 1000);
  // 90 % of 999 is 899: eight files.
  EXPECT_EQ(result->removed_files, 2);
  EXPECT_EQ(result->removed_bytes, 200);
  EXPECT_EQ(result->removed_entries, 0);
  EXPECT_EQ(result->files_after, 8);
  EXPECT_EQ(result->bytes_after, 800);
  EXPECT_EQ(result->failed, 0) << result->first_failure;
  EXPECT_THAT(Left(), UnorderedElementsAreArray(files.begin() + 2, files.end()));
}

TEST_F(GarbageCollectionTest, BelowTheLimitNothingGoes) {
  Add(Name("cas", "a"), 100, absl::Hours(1000));
  Add(Name("ac", "a"), 50, absl::Hours(1000));
  for (const int64_t limit : {150, 0}) {
    const auto result = Collect({.max_size = limit});
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(result->removed_files, 0);
    EXPECT_EQ(result->bytes_after, 150);
  }
}

TEST_F(GarbageCollectionTest, ByAge) {
  Add(Name("ac", "old"), 10, absl::Hours(49));
  Add(Name("cas", "old"), 10, absl::Hours(48) + absl::Seconds(1));
  const std::string young = Add(Name("cas", "young"), 10, absl::Hours(48) - absl::Seconds(1));
  const auto result = Collect({.max_age = absl::Hours(48)});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->removed_files, 2);
  EXPECT_EQ(result->removed_entries, 1);
  EXPECT_THAT(Left(), ElementsAre(young));
}

TEST_F(GarbageCollectionTest, AnEntryGoesBeforeABlobOfTheSameAge) {
  // Whatever their hashes are.
  for (int i = 0; i < 8; ++i) {
    Add(Name("cas", absl::StrCat("blob", i)), 10, absl::Hours(1));
    Add(Name("ac", absl::StrCat("entry", i)), 10, absl::Hours(1));
  }
  const auto result = Collect({.max_size = 88});  // 79 bytes may stay
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->removed_files, 9);
  EXPECT_EQ(result->removed_entries, 8);
}

TEST_F(GarbageCollectionTest, ADryRunSaysTheSameAndChangesNothing) {
  Add(Name("ac", "a"), 10, absl::Hours(3));
  Add(Name("cas", "a"), 10, absl::Hours(2));
  Add("tmp/ingot-dead", 10, absl::Hours(100));
  const std::vector<std::string> before = directory_.Files();
  const auto dry = Collect({.max_size = 11, .dry_run = true});
  ASSERT_THAT(dry, IsOk());
  EXPECT_EQ(dry->removed_files, 2);
  EXPECT_EQ(dry->bytes_after, 0);
  EXPECT_EQ(directory_.Files(), before);
  EXPECT_NE(access((root_ + "/gc").c_str(), F_OK), 0);
  const auto real = Collect({.max_size = 11});
  ASSERT_THAT(real, IsOk());
  EXPECT_EQ(real->removed_files, dry->removed_files);
  EXPECT_EQ(real->abandoned.files, 1);
}

TEST_F(GarbageCollectionTest, OtherDigestFunctionsGoTooTemporaryFilesAndOddNamesStay) {
  Add("blake3/cas/aa/" + std::string(64, 'a'), 100, absl::Hours(5));
  Add("md5/ac/aa/" + std::string(32, 'a'), 100, absl::Hours(5));
  Add("sha512/cas/bb/" + std::string(128, 'b'), 100, absl::Hours(5));
  Add("cas/bb/" + std::string(64, 'b') + "/inner/file", 100, absl::Hours(5));
  std::vector<std::string> stay = {
      Add("tmp/bazel", 1000, absl::Hours(5)),       Add("gc/other", 1000, absl::Hours(5)),
      Add(".git/config", 1000, absl::Hours(5)),     Add("notes", 1000, absl::Hours(5)),
      Add("cas/src/main.c", 1000, absl::Hours(5)),  Add("cas/readme", 1000, absl::Hours(5)),
      Add("ac/00/photo.jpg", 1000, absl::Hours(5)), Add("cas/ab/cd/deep", 1000, absl::Hours(5)),
  };
  const auto result = Collect({.max_age = absl::Hours(1)});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->bytes_before, 400);
  EXPECT_EQ(result->removed_files, 4);
  EXPECT_EQ(result->unknown_names, 4);
  EXPECT_THAT(Left(), UnorderedElementsAreArray(stay));
}

TEST_F(GarbageCollectionTest, WhatIsNotThereOrNoStore) {
  EXPECT_THAT(CollectGarbage(root_ + "/nowhere", {.now = now_}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nowhere")));
  Add("src/main.c", 10, absl::Hours(5));
  const auto result = Collect({.max_size = 1, .max_age = absl::Hours(1)});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->removed_files, 0);
  EXPECT_THAT(directory_.Files(), ElementsAre("src/main.c")) << "not even a lock";
}

// As Bazel does it: a record lock of the process over the whole file.
TEST_F(GarbageCollectionTest, RespectsTheLockOfAnotherProcess) {
  const std::string blob = Add(Name("cas", "a"), 10, absl::Hours(5));
  Add("gc/lock", 0, absl::Hours(5));
  int ready[2];
  int finish[2];
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(finish, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(finish[1]);
    const int fd = open((root_ + "/gc/lock").c_str(), O_WRONLY | O_CLOEXEC);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    char byte = fcntl(fd, F_SETLK, &lock) == 0 ? 'y' : 'n';
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    _exit(read(finish[0], &byte, 1) == 0 ? 0 : 1);
  }
  close(finish[0]);
  char locked = 'n';
  ASSERT_EQ(read(ready[0], &locked, 1), 1);
  ASSERT_EQ(locked, 'y');
  EXPECT_THAT(Collect({.max_size = 1}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("another collection is running")));
  EXPECT_THAT(Left(), ElementsAre(blob));
  EXPECT_THAT(Collect({.max_size = 1, .dry_run = true}), IsOk()) << "reading needs no lock";
  close(finish[1]);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(Collect({.max_size = 1}), IsOk()) << "a dead holder holds nothing";
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(GarbageCollectionTest, WhatCannotBeRemovedIsCountedAndNamedOnce) {
  if (geteuid() == 0) GTEST_SKIP() << "root may remove everything";
  const std::string a = Name("cas", "a");
  Add(a, 10, absl::Hours(5));
  const std::string shard = root_ + "/" + a.substr(0, 6);
  ASSERT_EQ(chmod(shard.c_str(), 0500), 0);
  const auto result = Collect({.max_size = 1});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->failed, 1);
  EXPECT_EQ(result->removed_files, 0);
  EXPECT_EQ(result->bytes_after, 10);
  EXPECT_THAT(result->first_failure, HasSubstr(root_ + "/" + a));
}

TEST_F(GarbageCollectionTest, WhatIsUsedMeanwhileStays) {
  for (int i = 0; i < 3000; ++i)
    Add(Name("cas", absl::StrCat(i)), 1, absl::Hours(10) + absl::Seconds(i));
  const std::string first = absl::StrCat(root_, "/", Name("cas", "2999"));
  const std::string last = Name("cas", "0");
  // The last to go is used as soon as the first is gone, with thousands between them.
  bool used = false;
  std::thread user([&] {
    while (access(first.c_str(), F_OK) == 0) std::this_thread::yield();
    used = utimensat(AT_FDCWD, absl::StrCat(root_, "/", last).c_str(), nullptr, 0) == 0;
  });
  const auto result = Collect({.max_age = absl::Hours(1)});
  user.join();
  ASSERT_THAT(result, IsOk());
  if (!used) GTEST_SKIP() << "this thread was kept from running all the time";
  EXPECT_EQ(result->removed_files, 2999);
  EXPECT_EQ(result->used_meanwhile, 1);
  EXPECT_THAT(Left(), ElementsAre(last));
}

TEST_F(GarbageCollectionTest, SeveralAtOnceRemoveWhatOneWould) {
  for (int i = 0; i < 500; ++i) Add(Name("cas", absl::StrCat(i)), 10, absl::Seconds(i));
  std::vector<std::thread> threads;
  std::atomic<int> removed = 0;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto result = Collect({.max_size = 1000});
      if (result.ok()) {
        removed += static_cast<int>(result->removed_files);
      } else {
        EXPECT_TRUE(absl::IsUnavailable(result.status())) << result.status();
        ++refused;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(removed, 410);
  EXPECT_LT(refused, 4);
}

}  // namespace
}  // namespace ingot::cache
