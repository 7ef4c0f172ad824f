#include "targets/finding.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::targets {
namespace {

using ::testing::Eq;
using ::testing::IsEmpty;

Finding Unresolved() {
  return {.kind = "unresolved-function",
          .message = "call of function 'foo', which has no definition",
          .action = "define it",
          .kernel = "k",
          .chain = {{"k", {"k.cu", 12, 1}}, {"inner", {"k.cu", 7, 3}}},
          .place = {"k.cu", 7, 3}};
}

TEST(FindingTest, IsADiagnosticWithItsCallChain) {
  EXPECT_EQ(FormatFindings({Unresolved()}, "src/k.cu"),
            "k.cu:7:3: error: call of function 'foo', which has no definition "
            "[unresolved-function]\n"
            "k.cu:12:1: note: in kernel 'k'\n"
            "k.cu:7:3: note: in function 'inner'\n"
            "src/k.cu: note: define it\n");
}

TEST(FindingTest, ThePathStandsForAnUnknownPlace) {
  EXPECT_EQ(FormatFindings({{.kind = "alias", .message = "no"}}, "k.ll"),
            "k.ll: error: no [alias]\n");
}

TEST(FindingTest, WarningsAloneAreNoError) {
  Finding warning = Unresolved();
  warning.severity = Finding::Severity::kWarning;
  warning.chain.clear();
  warning.action.clear();
  std::string warnings;
  EXPECT_TRUE(FindingsStatus({warning}, "k.cu", warnings).ok());
  EXPECT_THAT(warnings, Eq("k.cu:7:3: warning: call of function 'foo', which has no definition "
                           "[unresolved-function]\n"));
  EXPECT_TRUE(FindingsStatus({}, "k.cu", warnings).ok());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(FindingTest, OneErrorIsEnough) {
  Finding warning = Unresolved();
  warning.severity = Finding::Severity::kWarning;
  std::string warnings;
  const absl::Status status = FindingsStatus({warning, Unresolved()}, "k.cu", warnings);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(warnings, IsEmpty());
}

}  // namespace
}  // namespace ingot::targets
