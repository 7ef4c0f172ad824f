#include "cache/merkle_tree.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const Digest& Hello() {
  static const Digest& hello = *new Digest(Sha256("hello\n"));
  return hello;
}

// Vectors made with another implementation of protobuf, the second one confirmed by buildbox's
// casupload.
constexpr std::string_view kSub =
    "51a16ca3819c9ce1a090735b9eab0f7b120fe63d433b2b99d6960a6492d8181b/79";
constexpr std::string_view kRoot =
    "6e5a1e4eb4b399e733bd2c4c1a2479cf0b54945d7c004ddf3f851b7d57e2e1fc/252";

TEST(MerkleTreeTest, GoldenTreesInEveryOrder) {
  using Step = std::function<absl::Status(MerkleTree&)>;
  const std::vector<Step> steps = {
      [](MerkleTree& tree) { return tree.AddFile("a.txt", Hello(), false); },
      [](MerkleTree& tree) { return tree.AddFile("run.sh", Hello(), true); },
      [](MerkleTree& tree) { return tree.AddFile("sub/x.txt", Hello(), false); },
      [](MerkleTree& tree) { return tree.AddSymlink("lnk", "a.txt"); },
  };
  std::vector<int> order = {0, 1, 2, 3};
  do {
    MerkleTree tree;
    for (int i : order) ASSERT_THAT(steps[i](tree), IsOk());
    const EncodedTree encoded = tree.Encode();
    EXPECT_EQ(encoded.root_digest.ToString(), kRoot);
    ASSERT_THAT(encoded.directories, SizeIs(2));
    EXPECT_EQ(encoded.directories[0].digest, encoded.root_digest);
    EXPECT_EQ(encoded.directories[1].digest.ToString(), kSub);
    for (const EncodedDirectory& directory : encoded.directories) {
      EXPECT_EQ(Sha256(directory.bytes), directory.digest);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(MerkleTreeTest, ADirectoryByDigestIsTheSameAsItsFiles) {
  MerkleTree tree;
  ASSERT_THAT(tree.AddFile("a.txt", Hello(), false), IsOk());
  ASSERT_THAT(tree.AddFile("run.sh", Hello(), true), IsOk());
  ASSERT_THAT(tree.AddDirectory("sub", *Digest::Parse(kSub)), IsOk());
  ASSERT_THAT(tree.AddSymlink("lnk", "a.txt"), IsOk());
  const EncodedTree encoded = tree.Encode();
  EXPECT_EQ(encoded.root_digest.ToString(), kRoot);
  EXPECT_THAT(encoded.directories, SizeIs(1));
}

TEST(MerkleTreeTest, NamesSortByTheirUtf8Bytes) {
  // In this order by code point. UTF-16, which is how Java compares, has U+1F600 (a surrogate pair,
  // D83D…) before U+FFFD.
  const std::vector<std::string> names = {"a", "\u00e9", "\ufffd", "\U0001f600"};
  std::vector<int> order = {0, 1, 2, 3};
  do {
    MerkleTree tree;
    for (int i : order) ASSERT_THAT(tree.AddFile(names[i], Hello(), false), IsOk());
    const EncodedTree encoded = tree.Encode();
    EXPECT_EQ(encoded.root_digest.ToString(),
              "0d3b3069f06aee7a3bcf4575d2495b0556adaf12dc11d18ffd1bdd1fe230904e/306");
    reapi::Directory root;
    ASSERT_TRUE(root.ParseFromString(encoded.directories[0].bytes));
    std::vector<std::string> found;
    for (const reapi::FileNode& file : root.files()) found.push_back(file.name());
    EXPECT_EQ(found, names);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(MerkleTreeTest, DirectoriesSortByTheirNamesAlone) {
  // By whole paths "a-b/x" would come before "a/x".
  MerkleTree tree;
  ASSERT_THAT(tree.AddFile("a/x", Hello(), false), IsOk());
  ASSERT_THAT(tree.AddFile("a-b/x", Hello(), false), IsOk());
  ASSERT_THAT(tree.AddFile("a.b/x", Hello(), false), IsOk());
  reapi::Directory root;
  ASSERT_TRUE(root.ParseFromString(tree.Encode().directories[0].bytes));
  std::vector<std::string> names;
  for (const reapi::DirectoryNode& node : root.directories()) names.push_back(node.name());
  EXPECT_THAT(names, ElementsAre("a", "a-b", "a.b"));
}

TEST(MerkleTreeTest, TheEmptyTreeIsTheEmptyBlob) {
  EXPECT_EQ(MerkleTree().Encode().root_digest, EmptyDigest());
}

TEST(MerkleTreeTest, EmptyDirectories) {
  MerkleTree tree;
  ASSERT_THAT(tree.AddEmptyDirectory("d"), IsOk());
  ASSERT_THAT(tree.AddEmptyDirectory("d"), IsOk());
  EXPECT_EQ(tree.Encode().root_digest.ToString(),
            "f1ed8604d447226847193a5c1573b32482f889243ffee1c724576aac3b68c344/73");
  // Something in it makes it one like any other.
  ASSERT_THAT(tree.AddFile("d/f", Hello(), false), IsOk());
  MerkleTree other;
  ASSERT_THAT(other.AddFile("d/f", Hello(), false), IsOk());
  EXPECT_EQ(tree.Encode().root_digest, other.Encode().root_digest);
}

TEST(MerkleTreeTest, EqualDirectoriesAreEncodedOnce) {
  MerkleTree tree;
  for (std::string_view path : {"a/sub/x", "b/sub/x", "c/x"}) {
    ASSERT_THAT(tree.AddFile(path, Hello(), false), IsOk());
  }
  // The root, {sub/} (a and b) and {x} (a/sub, b/sub and c), parents first.
  const EncodedTree encoded = tree.Encode();
  ASSERT_THAT(encoded.directories, SizeIs(3));
  EXPECT_EQ(encoded.directories[0].digest, encoded.root_digest);
  reapi::Directory middle;
  ASSERT_TRUE(middle.ParseFromString(encoded.directories[1].bytes));
  EXPECT_EQ(middle.directories_size(), 1);
}

TEST(MerkleTreeTest, ExecutableBitContentNameAndTargetAllCount) {
  const auto digest = [](std::string_view name, std::string_view content, bool executable,
                         std::string_view target) {
    MerkleTree tree;
    EXPECT_THAT(tree.AddFile(name, Sha256(content), executable), IsOk());
    EXPECT_THAT(tree.AddSymlink("link", target), IsOk());
    return tree.Encode().root_digest;
  };
  const Digest base = digest("f", "1", false, "t");
  EXPECT_EQ(base, digest("f", "1", false, "t"));
  EXPECT_NE(base, digest("g", "1", false, "t"));
  EXPECT_NE(base, digest("f", "2", false, "t"));
  EXPECT_NE(base, digest("f", "1", true, "t"));
  EXPECT_NE(base, digest("f", "1", false, "u"));
}

TEST(MerkleTreeTest, ConflictsAreRefusedNamingThePathAndChangeNothing) {
  MerkleTree tree;
  ASSERT_THAT(tree.AddFile("dir/file", Hello(), false), IsOk());
  ASSERT_THAT(tree.AddSymlink("dir/link", "file"), IsOk());
  ASSERT_THAT(tree.AddDirectory("whole", *Digest::Parse(kSub)), IsOk());
  const Digest before = tree.Encode().root_digest;
  const auto refused = [](std::string_view path) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(path));
  };
  EXPECT_THAT(tree.AddFile("dir/file", Hello(), false), refused("dir/file"));
  EXPECT_THAT(tree.AddFile("dir", Hello(), false), refused("dir"));
  EXPECT_THAT(tree.AddSymlink("dir", "x"), refused("dir"));
  EXPECT_THAT(tree.AddDirectory("dir", Hello()), refused("dir"));
  EXPECT_THAT(tree.AddEmptyDirectory("dir/file"), refused("dir/file"));
  EXPECT_THAT(tree.AddFile("dir/file/below", Hello(), false), refused("dir/file/below"));
  EXPECT_THAT(tree.AddFile("dir/link/below", Hello(), false), refused("dir/link/below"));
  EXPECT_THAT(tree.AddFile("whole/more", Hello(), false), refused("whole/more"));
  EXPECT_THAT(tree.AddEmptyDirectory("whole"), refused("whole"));
  EXPECT_THAT(tree.AddFile("whole/new/deep", Hello(), false), refused("whole/new/deep"));
  EXPECT_THAT(tree.AddFile("new/../x", Hello(), false), refused("new/../x"));
  EXPECT_THAT(tree.AddFile("\xe9", Hello(), false), StatusIs(_, HasSubstr("UTF-8")));
  EXPECT_THAT(tree.AddFile("no/digest", Digest(), false), refused("no/digest"));
  EXPECT_THAT(tree.AddDirectory("no/digest", Digest{"../x", 1}), refused("no/digest"));
  EXPECT_EQ(tree.Encode().root_digest, before);
}

TEST(MerkleTreeTest, SymlinkTargetsStayInside) {
  MerkleTree tree;
  EXPECT_THAT(tree.AddSymlink("a/b/up", "../../top"), IsOk());
  EXPECT_THAT(tree.AddSymlink("a/b/here", "./x"), IsOk());
  for (std::string_view target :
       {"", "/etc/passwd", "../../../outside", "x/../../../../y", "a//b", "a/./b", "\xff"}) {
    EXPECT_THAT(tree.AddSymlink("a/b/bad", target),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a/b/bad")))
        << target;
  }
}

}  // namespace
}  // namespace ingot::cache
