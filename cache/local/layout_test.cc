#include "cache/local/layout.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
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

// The name of a file of a store, in the shard `shard`.
std::string InShard(std::string_view shard) {
  return absl::StrCat(shard, "/", shard, std::string(62, '0'));
}

TEST(LayoutTest, KnowsWhatIsAStores) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  EXPECT_THAT(CheckHasShapeOfStore(root), IsOk()) << "an empty folder is an empty store";
  for (const std::string& name :
       {"ac/" + InShard("00"), "cas/" + InShard("ff"), std::string("tmp/x"), std::string("gc/lock"),
        "blake3/ac/" + InShard("00"), "blake3/cas/" + InShard("00"), "sha512/cas/" + InShard("00"),
        "md5/cas/00/" + std::string(32, '0'), std::string("cas/00/.nfs01"),
        std::string("CACHEDIR.TAG")}) {
    WriteTestFile(absl::StrCat(root, "/", name), "x");
  }
  EXPECT_THAT(CheckHasShapeOfStore(root), IsOk());
  const absl::StatusOr<StoreFolders> store = ListStoreFolders(root);
  ASSERT_THAT(store, IsOk());
  EXPECT_THAT(store->folders,
              ElementsAre("ac", "blake3/ac", "blake3/cas", "cas", "md5/cas", "sha512/cas"));
  EXPECT_THAT(store->unknown, ElementsAre());
}

TEST(LayoutTest, NamesWhatIsNot) {
  for (const char* name :
       {"/.git/config", "/notes.txt", "/src/main.c", "/ac", "/ac/src/x", "/cas/AB/x",
        "/blake3/cas/file", "/ac/00/photo.jpg", "/md5/cas/ab/song"}) {
    TemporaryDirectory directory;
    WriteTestFile(directory.path() + "/cas/" + InShard("00"), "x");
    EXPECT_THAT(CheckHasShapeOfStore(directory.path()), IsOk());
    WriteTestFile(directory.path() + name, "x");
    const std::string first = std::string(name + 1).substr(0, std::string(name + 1).find('/'));
    EXPECT_THAT(CheckHasShapeOfStore(directory.path()),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         AllOf(HasSubstr(directory.path()), HasSubstr("'" + first))));
  }
}

TEST(LayoutTest, ASymlinkIsNotAFolder) {
  TemporaryDirectory directory;
  WriteTestFile(directory.path() + "/elsewhere/00/x", "x");
  ASSERT_EQ(mkdir((directory.path() + "/root").c_str(), 0777), 0);
  ASSERT_EQ(symlink("../elsewhere", (directory.path() + "/root/cas").c_str()), 0);
  const absl::StatusOr<StoreFolders> store = ListStoreFolders(directory.path() + "/root");
  ASSERT_THAT(store, IsOk());
  EXPECT_THAT(store->folders, ElementsAre());
  EXPECT_THAT(store->unknown, ElementsAre("cas"));
}

TEST(LayoutTest, WhatIsNotThereOrNoFolder) {
  TemporaryDirectory directory;
  WriteTestFile(directory.path() + "/file", "x");
  EXPECT_THAT(CheckHasShapeOfStore(directory.path() + "/" + std::string(300, 'x')),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("longer than")));
  EXPECT_THAT(CheckHasShapeOfStore(directory.path() + "/nowhere"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
  EXPECT_THAT(CheckHasShapeOfStore(directory.path() + "/file"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("/file")));
}

TEST(LayoutTest, ShardNames) {
  EXPECT_TRUE(IsShardName("00"));
  EXPECT_TRUE(IsShardName("fe"));
  for (const char* name : {"", "0", "000", "FE", "g0", ".."}) EXPECT_FALSE(IsShardName(name));
}

TEST(LayoutTest, StoredNames) {
  EXPECT_TRUE(IsStoredName("ab" + std::string(62, '0'), "ab"));
  EXPECT_TRUE(IsStoredName("ab" + std::string(30, '0'), "ab"));
  for (const std::string& name :
       {std::string(), std::string("ab"), "ab" + std::string(29, '0'), std::string(64, '0'),
        "AB" + std::string(62, '0'), "ab" + std::string(62, 'A'), "ab" + std::string(62, 'g'),
        "ab" + std::string(62, '0') + ".jpg"}) {
    EXPECT_FALSE(IsStoredName(name, "ab")) << name;
  }
}

}  // namespace
}  // namespace ingot::cache
