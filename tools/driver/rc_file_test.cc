#include "tools/driver/rc_file.h"

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Files = std::map<std::string, std::string>;

absl::StatusOr<std::vector<RcLine>> Read(const Files& files, const std::string& path = "/rc",
                                         const std::string& workspace = "/work") {
  return ReadRcFile(
      path,
      [&files](const std::string& file, const std::string&) -> absl::StatusOr<std::string> {
        const auto found = files.find(file);
        if (found == files.end()) return absl::NotFoundError("");
        if (found->second == "unreadable") return absl::FailedPreconditionError("cannot read it");
        return found->second;
      },
      [&workspace] { return workspace; });
}

// "FILE:LINE command:config [word] [word]" for each line.
std::vector<std::string> Show(const absl::StatusOr<std::vector<RcLine>>& lines) {
  if (!lines.ok()) return {std::string(lines.status().message())};
  std::vector<std::string> shown;
  for (const RcLine& line : *lines) {
    shown.push_back(absl::StrCat(line.Place(), " ", line.command, ":", line.config));
    for (const std::string& word : line.words) absl::StrAppend(&shown.back(), " [", word, "]");
  }
  return shown;
}

TEST(RcFileTest, Lines) {
  EXPECT_THAT(
      Show(Read({{"/rc",
                  "# a comment\n\ncommon --disk_cache=/x\r\n"
                  "compile:ci\t--cpu sm_90   -O3 # why\n  cache-gc --max_age=1d"}})),
      ElementsAre("/rc:3 common: [--disk_cache=/x]", "/rc:4 compile:ci [--cpu] [sm_90] [-O3]",
                  "/rc:5 cache-gc: [--max_age=1d]"));
  EXPECT_THAT(Show(Read({{"/rc", ""}})), IsEmpty());
  EXPECT_THAT(Show(Read({{"/rc",
                          "\xef\xbb\xbf"
                          "common -v"}})),
              ElementsAre("/rc:1 common: [-v]"));
  EXPECT_THAT(Show(Read({{"/rc", "compile"}})), ElementsAre("/rc:1 compile:"));
}

TEST(RcFileTest, QuotesAndBackslashes) {
  EXPECT_THAT(Show(Read({{"/rc", R"(a "b c" 'd "e"' f\ g "h\"i" --x="" '' j"k 'l"m # n)"}})),
              ElementsAre(R"(/rc:1 a: [b c] [d "e"] [f g] [h"i] [--x=] [] [jk 'lm])"));
  EXPECT_THAT(Show(Read({{"/rc", R"(a --x=b#c)"
                                 "\n"
                                 R"(a --x=b\#c '#d')"}})),
              ElementsAre("/rc:1 a: [--x=b]", "/rc:2 a: [--x=b#c] [#d]"));
}

TEST(RcFileTest, ABackslashJoinsLinesAndTheFirstIsNamed) {
  EXPECT_THAT(
      Show(Read({{"/rc", "a --x=1 \\\n  --y=2 \\\r\n  --z\nb --w\n# c \\\nd --comment\ne"}})),
      ElementsAre("/rc:1 a: [--x=1] [--y=2] [--z]", "/rc:4 b: [--w]", "/rc:7 e:"));
  EXPECT_THAT(Show(Read({{"/rc", "a --x\\"}})), ElementsAre("/rc:1 a: [--x]"));
}

TEST(RcFileTest, ErrorsNameFileAndLine) {
  for (const std::string& bad : {"a 'b", "a \"b", "a: --x", "import", "import a b", "try-import"}) {
    EXPECT_THAT(Read({{"/rc", absl::StrCat("ok --x\n", bad, "\n")}}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/rc:2: ")))
        << bad;
  }
  EXPECT_THAT(Read({{"/rc", "unreadable"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot read it")));
  EXPECT_THAT(Read({}), StatusIs(absl::StatusCode::kNotFound));
}

TEST(RcFileTest, ImportsStandWhereTheyAreWritten) {
  const Files files = {
      {"/rc", "a --1\nimport /other\nimport sub/near\nimport %workspace%/w\na --5"},
      {"/other", "a --2"},
      {"/sub/near", "try-import ../sub/nearer\n"},
      {"/sub/nearer", "a --3"},
      {"/work/w", "\na --4"}};
  EXPECT_THAT(Show(Read(files)),
              ElementsAre("/rc:1 a: [--1]", "/other:1 a: [--2]", "/sub/nearer:1 a: [--3]",
                          "/work/w:2 a: [--4]", "/rc:5 a: [--5]"));
}

TEST(RcFileTest, MissingImports) {
  EXPECT_THAT(Show(Read({{"/rc", "try-import /gone\ntry-import %workspace%/x\na"}}, "/rc", "")),
              ElementsAre("/rc:3 a:"));
  EXPECT_THAT(Read({{"/rc", "a\nimport /gone"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("/rc:2: "), HasSubstr("/gone"), HasSubstr("try-import"))));
  EXPECT_THAT(Read({{"/rc", "import %workspace%/x"}}, "/rc", ""),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no workspace")));
  EXPECT_THAT(Read({{"/rc", "try-import /bad"}, {"/bad", "unreadable"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/rc:1: cannot read it")));
  EXPECT_THAT(Read({{"/rc", "import /bad"}, {"/bad", "\na 'b"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/bad:2: ")));
}

TEST(RcFileTest, ImportsThatNeverEnd) {
  EXPECT_THAT(Read({{"/rc", "a\nimport ./rc"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("/rc:2: "), HasSubstr("import itself"))));
  EXPECT_THAT(Read({{"/rc", "import /b"}, {"/b", "\nimport /rc"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/b:2: ")));
  // The same file twice is no cycle, but neither may a few files stand for millions.
  Files files = {{"/rc", "import /0\nimport /0"}};
  EXPECT_THAT(Show(Read({{"/rc", "import /0\nimport /0"}, {"/0", "a"}})),
              ElementsAre("/0:1 a:", "/0:1 a:"));
  for (int i = 0; i < 30; ++i) {
    files[absl::StrCat("/", i)] = absl::StrCat("try-import /", i + 1, "\ntry-import /", i + 1);
  }
  EXPECT_THAT(Read(files), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("imports by")));
}

}  // namespace
}  // namespace ingot::driver
