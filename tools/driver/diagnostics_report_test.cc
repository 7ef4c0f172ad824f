#include "tools/driver/diagnostics_report.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace ingot::driver {
namespace {

constexpr char kText[] =
    "In file included from k.c:1:\n"
    "In file included from a.h:3:\n"
    "b.h:2:36: warning: unused variable 'x' [-Wunused-variable]\n"
    "    2 | int f(void) { int x; }\n"
    "      |                   ^\n"
    "k.c:4:1: error: unknown type name 'note: a'\n"
    "k.c:3:1: note: did you mean this?\n"
    "k.ll: error: it is not for this target\n"
    "fatal error: too many errors emitted, stopping now [-ferror-limit=]\n"
    "1 warning and 3 errors generated.\n";

TEST(ParseDiagnosticsTest, AFindingHasAKind) {
  const std::vector<Diagnostic> list = ParseDiagnostics(
      "k.ll: error: no such function [unresolved-function]\nk.c:1:2: error: an array [3]\n");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].kind, "unresolved-function");
  EXPECT_EQ(list[0].message, "no such function");
  EXPECT_EQ(ToJson(list)[0]["kind"], "unresolved-function");
  EXPECT_EQ(list[1].kind, "");
  EXPECT_EQ(list[1].message, "an array [3]");
}

TEST(ParseDiagnosticsTest, ReadsWhatClangWrites) {
  const std::vector<Diagnostic> list = ParseDiagnostics(kText);
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].file, "b.h");
  EXPECT_EQ(list[0].line, 2);
  EXPECT_EQ(list[0].column, 36);
  EXPECT_EQ(list[0].severity, "warning");
  EXPECT_EQ(list[0].message, "unused variable 'x'");
  EXPECT_EQ(list[0].option, "-Wunused-variable");
  EXPECT_THAT(list[0].rendered, ::testing::StartsWith("In file included from k.c:1:\nIn file"));
  EXPECT_THAT(list[0].rendered, ::testing::EndsWith("^\n"));
  EXPECT_EQ(list[1].severity, "error");
  EXPECT_EQ(list[1].message, "unknown type name 'note: a'");
  EXPECT_EQ(list[2].severity, "note");
  EXPECT_EQ(list[3].file, "k.ll");
  EXPECT_EQ(list[3].line, 0);
  EXPECT_EQ(list[4].file, "");
  EXPECT_EQ(list[4].severity, "fatal error");
  EXPECT_EQ(list[4].option, "-ferror-limit=");
}

TEST(ParseDiagnosticsTest, AFileMayHaveColonsInItsName) {
  const std::vector<Diagnostic> list = ParseDiagnostics("a:b.c:1:2: error: x\n");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].file, "a:b.c");
  EXPECT_EQ(list[0].line, 1);
}

TEST(ToJsonTest, LeavesOutWhatIsEmpty) {
  const nlohmann::json list = ToJson(ParseDiagnostics("fatal error: x\n"));
  EXPECT_EQ(
      list,
      nlohmann::json::parse(
          R"([{"severity": "fatal error", "message": "x", "rendered": "fatal error: x\n"}])"));
}

TEST(ToSarifTest, NotesBelongToWhatTheyFollow) {
  const nlohmann::json sarif = ToSarif(ParseDiagnostics(kText));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const nlohmann::json& results = sarif["runs"][0]["results"];
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0]["ruleId"], "-Wunused-variable");
  EXPECT_EQ(results[0]["level"], "warning");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["region"]["startColumn"], 36);
  EXPECT_EQ(results[1]["relatedLocations"][0]["message"]["text"], "did you mean this?");
  EXPECT_FALSE(results[3].contains("locations"));
  EXPECT_EQ(results[3]["level"], "error");
}

}  // namespace
}  // namespace ingot::driver
