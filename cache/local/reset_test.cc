#include "cache/local/reset.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/local/local_store.h"
#include "cache/local/remove_tree.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kStored = "00/" + std::string(64, '0');

TEST(ResetTest, RemovesResultsAndLeavesTheRest) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  WriteTestFile(root + "/ac/" + kStored, "12345");
  WriteTestFile(root + "/cas/" + kStored, "123");
  WriteTestFile(root + "/gc/lock", "");
  WriteTestFile(root + "/tmp/bazel", "");
  WriteTestFile(root + "/tmp/ingot-dead/00/file", "12");
  WriteTestFile(root + "/blake3/cas/" + kStored, "");
  const absl::StatusOr<Removed> removed = ResetStore(root);
  ASSERT_THAT(removed, IsOk());
  EXPECT_EQ(removed->files, 3);
  EXPECT_EQ(removed->bytes, 10);
  EXPECT_THAT(directory.Files(), ElementsAre("blake3/cas/" + kStored, "gc/lock", "tmp/bazel"));
  const absl::StatusOr<Removed> again = ResetStore(root);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->files, 0);
}

TEST(ResetTest, WhatDoesNotLookLikeAStoreIsLeftAlone) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  WriteTestFile(root + "/ac/" + kStored, "x");
  WriteTestFile(root + "/.git/config", "x");
  EXPECT_THAT(ResetStore(root), StatusIs(absl::StatusCode::kFailedPrecondition,
                                         AllOf(HasSubstr(root), HasSubstr("'.git'"))));
  EXPECT_THAT(directory.Files(), ElementsAre(".git/config", "ac/" + kStored));
  EXPECT_THAT(ResetStore(root + "/nowhere"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
  EXPECT_THAT(ResetStore(root + "/.git/config"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not a folder")));
}

TEST(ResetTest, AFolderWithAnAcOfSomebodyElseIsLeftAlone) {
  TemporaryDirectory directory;
  WriteTestFile(directory.path() + "/ac/00/photo.jpg", "x");
  EXPECT_THAT(ResetStore(directory.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("'ac/00/photo.jpg'")));
  EXPECT_THAT(directory.Files(), ElementsAre("ac/00/photo.jpg"));
}

TEST(ResetTest, AReadOnlyStoreSaysSo) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  WriteTestFile(root + "/ac/" + kStored, "x");
  ASSERT_EQ(chmod(root.c_str(), 0500), 0);
  EXPECT_THAT(ResetStore(root), StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr(root)));
  ASSERT_EQ(chmod(root.c_str(), 0700), 0);
  EXPECT_THAT(directory.Files(), ElementsAre("ac/" + kStored));
}

TEST(ResetTest, AReaderKeepsWhatItHasOpen) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/cas/" + kStored;
  WriteTestFile(path, "bytes");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_THAT(ResetStore(directory.path()), IsOk());
  char buffer[6] = {};
  EXPECT_EQ(read(fd, buffer, 5), 5);
  EXPECT_STREQ(buffer, "bytes");
  close(fd);
}

TEST(ResetTest, WritersGoOnMeanwhile) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  std::atomic<int> running = 3;
  std::vector<std::thread> writers;
  std::atomic<int> failed = 0;
  for (int writer = 0; writer < 3; ++writer) {
    writers.emplace_back([&, writer] {
      LocalBlobStore blobs(root);
      for (int i = 0; i < 300; ++i) {
        const std::string bytes = absl::StrCat(writer, "-", i);
        const Digest digest = Sha256(bytes);
        if (!blobs.Put(digest, bytes, PutMode::kKeep).ok()) ++failed;
        const absl::StatusOr<std::string> read = blobs.Get(digest);
        // There or gone, and never anything else.
        if (read.ok() ? *read != bytes : !absl::IsNotFound(read.status())) ++failed;
      }
      --running;
    });
  }
  // Without a pause: more resets than any user's.
  while (running > 0) EXPECT_THAT(ResetStore(root), IsOk());
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failed, 0);
  EXPECT_THAT(ResetStore(root), IsOk());
  EXPECT_THAT(directory.Files(), IsEmpty());
}

}  // namespace
}  // namespace ingot::cache
