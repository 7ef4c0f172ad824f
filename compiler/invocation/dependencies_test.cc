#include "compiler/invocation/dependencies.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::compiler {
namespace {

using ::testing::ElementsAre;

TEST(CanonicalPathTest, StaysBelowItsRoot) {
  EXPECT_EQ(CanonicalPath("src/a.h"), "src/a.h");
  EXPECT_EQ(CanonicalPath("./src/./x//a.h"), "src/x/a.h");
  EXPECT_EQ(CanonicalPath("inc/12/sys/../a.h"), "inc/12/a.h");
  EXPECT_EQ(CanonicalPath("src/x/../../a.h"), "up/src/1/a.h");
  EXPECT_EQ(CanonicalPath("inc/0/../../b/a.h"), "up/inc/0/2/b/a.h");
  EXPECT_EQ(CanonicalPath("src/.."), "up/src/1");
  EXPECT_EQ(CanonicalPath("/opt/../etc/a.h"), "abs/etc/a.h");
  EXPECT_EQ(CanonicalPath("/../a.h"), "abs/a.h");
}

TEST(CanonicalPathTest, HasNoBytesThatAnInputRootCannotHold) {
  EXPECT_EQ(CanonicalPath("src/a\\b%\xff.h"), "src/a%5Cb%25%FF.h");
}

TEST(SplitRootTest, KnowsItsRoots) {
  EXPECT_EQ(SplitRoot("inc/3/x/y").root, "inc/3");
  EXPECT_EQ(SplitRoot("inc/3/x/y").rest, "x/y");
  EXPECT_EQ(SplitRoot("inc/3").root, "inc/3");
  EXPECT_EQ(SplitRoot("inc/x/y").root, "");
  EXPECT_EQ(SplitRoot("inc").root, "");
  EXPECT_EQ(SplitRoot("srcs/a").root, "");
  EXPECT_EQ(SplitRoot("/a").root, "/");
}

TEST(DependenciesTest, RoundTrips) {
  const Dependencies dependencies{
      .files = {{.requested = "inc/0/a b%\n.h",
                 .sha256 = std::string(64, 'a'),
                 .identity = {1, 2, 3, -4, 5},
                 .system = true}},
      .absences = {{.requested = "src/a.h"}, {.requested = "src/sub", .directory = true}},
      .conflict = "two files, one path"};
  const std::string text = FormatDependencies(dependencies);
  const absl::StatusOr<Dependencies> parsed = ParseDependencies(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, dependencies);
}

TEST(DependenciesTest, RefusesWhatIsNotWhole) {
  const std::string text =
      FormatDependencies({.files = {{.requested = "a", .sha256 = std::string(64, 'a')}},
                          .absences = {{.requested = "src/a.h"}}});
  for (std::string::size_type size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(ParseDependencies(text.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(ParseDependencies("ingot dependencies 2\nend\n").ok());
  EXPECT_FALSE(ParseDependencies("ingot dependencies 1\nnone %ZZ\nend\n").ok());
}

TEST(FormatAbsencesTest, IsSortedAndHasEachOnce) {
  EXPECT_EQ(FormatAbsences({{.requested = "src/x/../b.h"},
                            {.requested = "src/b.h"},
                            {.requested = "inc/0/d", .directory = true}}),
            "directory inc/0/d\nnone src/b.h\n");
}

TEST(HostRootsTest, RoundTrip) {
  const std::vector<HostRoot> roots = {{"src", "my folder"}, {"inc/0", "/opt/%x\n"}};
  const absl::StatusOr<std::vector<HostRoot>> parsed = ParseHostRoots(FormatHostRoots(roots));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(*parsed, ElementsAre(roots[0], roots[1]));
  EXPECT_FALSE(ParseHostRoots("lib/0\t/opt\n").ok());
}

}  // namespace
}  // namespace ingot::compiler
