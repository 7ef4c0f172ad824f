#include "tools/driver/response_file.h"

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<std::vector<std::string>> Expand(const std::vector<std::string>& arguments,
                                                const std::map<std::string, std::string>& files) {
  return ExpandResponseFiles(arguments,
                             [&](const std::string& path) -> absl::StatusOr<std::string> {
                               const auto file = files.find(path);
                               if (file != files.end()) return file->second;
                               return absl::NotFoundError(absl::StrCat("no file ", path));
                             });
}

TEST(SplitCommandLine, SeparatesAtSpace) {
  EXPECT_THAT(SplitCommandLine(" -c\ta.c\n-O2\r\n"), ElementsAre("-c", "a.c", "-O2"));
  EXPECT_THAT(SplitCommandLine(" \n "), IsEmpty());
}

TEST(SplitCommandLine, ReadsQuotesAndBackslashes) {
  EXPECT_THAT(SplitCommandLine(R"(-DX='a b' "c\"d" e\ f)"), ElementsAre("-DX=a b", "c\"d", "e f"));
  EXPECT_THAT(SplitCommandLine(R"('a\b' "a\b" a\\b)"), ElementsAre(R"(a\b)", "ab", R"(a\b)"));
  EXPECT_THAT(SplitCommandLine("-D \"\" ''"), ElementsAre("-D", "", ""));
}

TEST(SplitCommandLine, TakesAnOpenQuoteToTheEnd) {
  EXPECT_THAT(SplitCommandLine("'a b"), ElementsAre("a b"));
  EXPECT_THAT(SplitCommandLine("a\\"), ElementsAre("a\\"));
}

TEST(ExpandResponseFiles, ReplacesInPlaceAndNested) {
  const auto expanded =
      Expand({"-c", "@all", "-O2"}, {{"all", "a.c @more b.c"}, {"more", "-I'x y'"}});
  ASSERT_TRUE(expanded.ok()) << expanded.status();
  EXPECT_THAT(*expanded, ElementsAre("-c", "a.c", "-Ix y", "b.c", "-O2"));
}

TEST(ExpandResponseFiles, LeavesALoneAtSign) {
  const auto expanded = Expand({"@"}, {});
  ASSERT_TRUE(expanded.ok()) << expanded.status();
  EXPECT_THAT(*expanded, ElementsAre("@"));
}

TEST(ExpandResponseFiles, SaysWhichFileIsMissing) {
  EXPECT_THAT(Expand({"@gone"}, {}).status().message(), HasSubstr("gone"));
}

TEST(ExpandResponseFiles, EndsWhereFilesNameEachOther) {
  const absl::Status status = Expand({"@a"}, {{"a", "@b"}, {"b", "@a"}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ingot::driver
