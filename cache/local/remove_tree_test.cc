#include "cache/local/remove_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kPlenty = 1000;

bool Remove(const TemporaryDirectory& directory, const std::string& name, int64_t budget,
            Removed& removed) {
  const int fd = open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const absl::Cleanup close_folder = [fd] { close(fd); };
  return RemoveTree(fd, name, budget, removed);
}

TEST(RemoveTreeTest, RemovesAFolderWithAllItHoldsAndCounts) {
  TemporaryDirectory directory;
  WriteTestFile(directory.path() + "/tree/a/b/c", "12345");
  WriteTestFile(directory.path() + "/tree/d", "678");
  WriteTestFile(directory.path() + "/other", "stays");
  Removed removed;
  EXPECT_TRUE(Remove(directory, "tree", kPlenty, removed));
  EXPECT_EQ(removed.files, 2);
  EXPECT_EQ(removed.bytes, 8);
  EXPECT_EQ(removed.first_error, 0);
  EXPECT_NE(access((directory.path() + "/tree").c_str(), F_OK), 0);
  EXPECT_THAT(directory.Files(), ElementsAre("other"));
  EXPECT_TRUE(Remove(directory, "tree", kPlenty, removed)) << "what is not there is gone";
}

TEST(RemoveTreeTest, StopsAtTheBudget) {
  TemporaryDirectory directory;
  for (int i = 0; i < 10; ++i) {
    WriteTestFile(directory.path() + "/tree/" + std::to_string(i), "x");
  }
  Removed removed;
  EXPECT_FALSE(Remove(directory, "tree", 4, removed));
  EXPECT_EQ(removed.files, 4);
  EXPECT_THAT(directory.Files(), SizeIs(6));
  EXPECT_TRUE(Remove(directory, "tree", kPlenty, removed));
  EXPECT_THAT(directory.Files(), IsEmpty());
}

TEST(RemoveTreeTest, FollowsNoSymlink) {
  TemporaryDirectory directory;
  WriteTestFile(directory.path() + "/precious/file", "stays");
  WriteTestFile(directory.path() + "/tree/file", "goes");
  ASSERT_EQ(symlink("../precious", (directory.path() + "/tree/link").c_str()), 0);
  ASSERT_EQ(symlink("precious", (directory.path() + "/link").c_str()), 0);
  Removed removed;
  EXPECT_TRUE(Remove(directory, "tree", kPlenty, removed));
  EXPECT_TRUE(Remove(directory, "link", kPlenty, removed));
  EXPECT_THAT(directory.Files(), ElementsAre("precious/file"));
}

TEST(RemoveTreeTest, ATreeTooDeepIsGivenUp) {
  TemporaryDirectory directory;
  std::string path = directory.path() + "/tree";
  for (int i = 0; i < 100; ++i) path += "/d";
  WriteTestFile(path + "/file", "x");
  Removed removed;
  EXPECT_FALSE(Remove(directory, "tree", kPlenty, removed));
  EXPECT_NE(removed.first_error, 0);
}

}  // namespace
}  // namespace ingot::cache
