#include "compiler/plan/source_tree.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "compiler/invocation/dependencies.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::compiler {
namespace {

ReadFile File(const std::string& requested, uint64_t inode) {
  return {.requested = requested,
          .sha256 = cache::Sha256("x").hash,
          .identity = {.device = 1, .inode = inode, .size = 1}};
}

std::vector<std::string> Shown(const std::vector<ReadFile>& files) {
  const absl::StatusOr<SourceTree> tree = BuildSourceTree({.files = files});
  if (!tree.ok()) return {std::string(tree.status().message())};
  std::vector<std::string> shown;
  for (const SourceTree::Node& node : tree->nodes) {
    if (node.path == kAbsencesPath) continue;
    shown.push_back(node.symlink_target.empty() ? node.path
                                                : node.path + " -> " + node.symlink_target);
  }
  return shown;
}

TEST(BuildSourceTreeTest, FilesStandAtTheirCanonicalPaths) {
  EXPECT_THAT(Shown({File("inc/0/a.h", 1), File("src/../b.h", 2), File("/opt/c.h", 3)}),
              ::testing::ElementsAre("inc/0/a.h", "up/src/1/b.h", "abs/opt/c.h"));
}

TEST(BuildSourceTreeTest, TheSecondNameOfAFileIsASymlink) {
  EXPECT_THAT(
      Shown({File("inc/0/sub/a.h", 1), File("inc/1/a.h", 1), File("inc/0/a.h", 1),
             File("src/../a.h", 1)}),
      ::testing::ElementsAre("inc/0/sub/a.h", "inc/1/a.h -> ../0/sub/a.h", "inc/0/a.h -> sub/a.h",
                             "up/src/1/a.h -> ../../../inc/0/sub/a.h"));
}

TEST(BuildSourceTreeTest, OneFileByTwoSpellingsIsThereOnce) {
  EXPECT_THAT(Shown({File("src/a.h", 1), File("src/x/../a.h", 1)}),
              ::testing::ElementsAre("src/a.h"));
}

TEST(BuildSourceTreeTest, RefusesOneNameForTwoFiles) {
  const absl::StatusOr<SourceTree> tree =
      BuildSourceTree({.files = {File("src/a.h", 1), File("src/link/../a.h", 2)}});
  EXPECT_EQ(tree.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(tree.status().message(), ::testing::HasSubstr("src/a.h"));
}

TEST(BuildSourceTreeTest, RefusesAFileThatWasThereAndNotThere) {
  EXPECT_FALSE(BuildSourceTree(
                   {.files = {File("src/a.h", 1)}, .absences = {{.requested = "src/link/../a.h"}}})
                   .ok());
  EXPECT_FALSE(BuildSourceTree({.conflict = "a device was read"}).ok());
}

}  // namespace
}  // namespace ingot::compiler
