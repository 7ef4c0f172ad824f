#include "compiler/diagnostics.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"

namespace ingot::compiler {
namespace {

using ::testing::ElementsAre;

TEST(DiagnosticCollectorTest, KeepsErrorsAndPassesWarningsOn) {
  llvm::LLVMContext context;
  std::vector<std::string> warnings;
  DiagnosticCollector& collector = DiagnosticCollector::InstallIn(
      context, "k.ll", [&](std::string_view warning) { warnings.emplace_back(warning); });
  context.diagnose(llvm::DiagnosticInfoGeneric("odd", llvm::DS_Warning));
  EXPECT_TRUE(collector.TakeErrors().ok());
  context.diagnose(llvm::DiagnosticInfoGeneric("first 0x55f81c0a", llvm::DS_Error));
  context.diagnose(llvm::DiagnosticInfoGeneric("second", llvm::DS_Error));
  const absl::Status errors = collector.TakeErrors();
  EXPECT_EQ(errors.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(errors.message(), "k.ll: error: first t0\nk.ll: error: second");
  EXPECT_TRUE(collector.TakeErrors().ok()) << "taken once";
  EXPECT_THAT(warnings, ElementsAre("k.ll: warning: odd"));
}

TEST(ScrubAddressesTest, NumbersAddressesAndKeepsTheRest) {
  EXPECT_EQ(ScrubAddresses("0x1c3f2a0: f32 = fexp 0x1c3f2b8, 0x1c3f2a0"), "t0: f32 = fexp t1, t0");
  EXPECT_EQ(ScrubAddresses("offset 0x10, float 0x3FF0000000000000, i0x123456, 0x123456g"),
            "offset 0x10, float 0x3FF0000000000000, i0x123456, 0x123456g");
  EXPECT_EQ(ScrubAddresses("ends with 0x55f81c0a"), "ends with t0");
  EXPECT_EQ(ScrubAddresses(""), "");
}

}  // namespace
}  // namespace ingot::compiler
