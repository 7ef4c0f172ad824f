#include "compiler/validate/validate.h"

#include <memory>
#include <string>
#include <vector>

#include "compiler/diagnostics.h"
#include "compiler/frontend/read_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "targets/registry.h"

namespace ingot::compiler {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

absl::Status ValidateText(const std::string& text, std::vector<std::string>* warnings = nullptr) {
  llvm::LLVMContext context;
  DiagnosticCollector::InstallIn(context, "k.ll", [=](std::string_view warning) {
    if (warnings != nullptr) warnings->emplace_back(warning);
  });
  const auto module =
      ReadModule(llvm::MemoryBufferRef(text, "k.ll"), **targets::FindTarget("nvptx64"), context);
  return module.ok() ? Validate(**module, "k.ll") : module.status();
}

TEST(ValidateTest, WellFormedModulesPass) {
  EXPECT_TRUE(ValidateText("").ok());
  EXPECT_TRUE(ValidateText("define void @f() { ret void }").ok());
}

TEST(ValidateTest, SaysWhichFunctionIsMalformed) {
  const absl::Status status = ValidateText(R"(
define void @good() { ret void }
define i32 @bad(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  ret i32 %x
}
)");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(StartsWith("k.ll: error: in function 'bad': Instruction does not dominate all uses!"),
            HasSubstr("%x = add i32 1, 2")));
}

TEST(ValidateTest, SaysWhatIsMalformedOutsideOfFunctions) {
  EXPECT_THAT(
      std::string(ValidateText("@a = alias i32, ptr @b\n@b = external global i32").message()),
      AllOf(StartsWith("k.ll: error: "), HasSubstr("Alias must point to a definition")));
}

TEST(ValidateTest, AMalformedModuleWithDebugInfoIsAnErrorLikeAnyOther) {
  // Parsing with LLVM's defaults would end the process here.
  const absl::Status status = ValidateText(R"(
define i32 @bad(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  ret i32 %x
}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
)");
  EXPECT_THAT(std::string(status.message()), HasSubstr("in function 'bad'"));
}

TEST(ValidateTest, DebugInfoOfAnotherVersionIsDroppedWithAWarning) {
  std::vector<std::string> warnings;
  EXPECT_TRUE(ValidateText(R"(
define void @f() { ret void }
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 2}
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.c", directory: "/")
)",
                           &warnings)
                  .ok());
  EXPECT_THAT(warnings, ElementsAre(AllOf(StartsWith("k.ll: warning: "), HasSubstr("debug"))));
}

}  // namespace
}  // namespace ingot::compiler
