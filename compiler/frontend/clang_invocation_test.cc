#include "compiler/frontend/clang_invocation.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/invocation/front_end_option_table.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/record.h"
#include "targets/registry.h"

namespace ingot::compiler {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Setting {
  std::string_view target;
  Language language;
  targets::EmitKind emit;
};

// Where an option may have a meaning.
constexpr Setting kSettings[] = {
    {"avr", Language::kC, targets::EmitKind::kObj},
    {"avr", Language::kCxx, targets::EmitKind::kObj},
    {"avr", Language::kC, targets::EmitKind::kPreprocessed},
    {"nvptx64", Language::kOpenCl, targets::EmitKind::kAsm},
    {"nvptx64", Language::kCuda, targets::EmitKind::kAsm},
    {"nvptx64", Language::kC, targets::EmitKind::kAsm},
};

// Options without which others have no meaning.
constexpr const char* kBefore[] = {"-DX", "-g", "-ffreestanding", "-ftrivial-auto-var-init=zero"};

// A value that clang takes, of the options that take not just any.
std::string_view ValueOf(std::string_view spelling) {
  struct Value {
    std::string_view spelling;
    std::string_view value;
  };
  constexpr Value kValues[] = {
      {"-std=", "c17"},
      {"-cl-std=", "CL3.0"},
      {"-cl-ext=", "-all"},
      {"-W", "all"},
      {"-finput-charset=", "UTF-8"},
      {"-fexec-charset=", "UTF-8"},
      {"-fclang-abi-compat=", "18"},
      {"-fgnuc-version=", "4.2.1"},
      {"-flax-vector-conversions=", "none"},
      {"-fc++-static-destructors=", "none"},
      {"-fdiagnostics-show-category=", "name"},
      {"-fshow-overloads=", "best"},
      {"-frandomize-layout-seed=", "1234567890abcdef"},
      {"-fvisibility=", "hidden"},
      {"-fvisibility-global-new-delete=", "source"},
      {"-ftls-model=", "local-exec"},
      {"-mdouble=", "64"},
      {"-ftrivial-auto-var-init=", "zero"},
      {"-fextend-variable-liveness=", "all"},
      {"-ftrapv-handler=", "trap"},
      {"-ftrap-function=", "trap"},
      {"-fcomplex-arithmetic=", "basic"},
      {"-fdenormal-fp-math=", "preserve-sign"},
      {"-fexcess-precision=", "fast"},
      {"-ffp-contract=", "off"},
      {"-ffp-eval-method=", "source"},
      {"-ffp-exception-behavior=", "ignore"},
      {"-ffp-model=", "fast"},
      {"-fno-builtin-", "memcpy"},
      {"-fcomment-block-commands=", "x"},
      {"-fstrict-flex-arrays=", "2"},
      {"-fdebug-default-version=", "4"},
  };
  for (const Value& value : kValues) {
    if (value.spelling == spelling) return value.value;
  }
  return "8";
}

absl::StatusOr<ClangInvocation> Make(const Setting& setting, std::vector<std::string> options) {
  Invocation invocation;
  invocation.target = setting.target;
  invocation.language = setting.language;
  invocation.emit = setting.emit;
  invocation.front_end_options = std::move(options);
  invocation.inputs = {"src/source"};
  const absl::StatusOr<Invocation> resolved = Resolve(invocation);
  if (!resolved.ok()) return resolved.status();
  return MakeClangInvocation(*resolved, **targets::FindTarget(setting.target), "src/source",
                             /*color=*/false);
}

// The words of clang's inner command line: what an option comes to.
std::vector<std::string> Words(const ClangInvocation& clang) {
  return clang.invocation->getCC1CommandLine();
}

// What is against `option` everywhere; empty if it is taken somewhere, in silence.
std::string Objections(const std::string& option) {
  std::string objections;
  for (const Setting& setting : kSettings) {
    for (const std::string before : kBefore) {
      const absl::StatusOr<ClangInvocation> made = Make(setting, {before, option});
      if (made.ok() && made->warnings.empty()) return "";
      absl::StrAppend(&objections, setting.target, " ", LanguageName(setting.language), ": ",
                      made.ok() ? made->warnings : made.status().message());
    }
  }
  return objections;
}

std::string OptionOf(const FrontEndRow& row) {
  if (!row.note.empty()) return absl::StrCat(row.spelling, ValueOf(row.note));
  return row.form == FrontEndForm::kFlag ? std::string(row.spelling)
                                         : absl::StrCat(row.spelling, ValueOf(row.spelling));
}

std::string Negative(const FrontEndRow& row) {
  return absl::StrCat(row.spelling.substr(0, 2), "no-", row.spelling.substr(2));
}

TEST(ClangInvocationTest, ClangTakesEveryOptionOfTheTableWithoutAWord) {
  for (const FrontEndRow& row : FrontEndRows()) {
    if (row.take != FrontEndTake::kTaken || row.role == FrontEndRole::kNoEffect) continue;
    EXPECT_THAT(Objections(OptionOf(row)), IsEmpty()) << OptionOf(row);
    if (row.negatable) EXPECT_THAT(Objections(Negative(row)), IsEmpty()) << Negative(row);
  }
}

TEST(ClangInvocationTest, EverySwitchChangesSomething) {
  for (const FrontEndRow& row : FrontEndRows()) {
    if (row.take != FrontEndTake::kTaken || row.role == FrontEndRole::kNoEffect) continue;
    bool changes = false;
    for (const Setting& setting : kSettings) {
      for (const std::string before : kBefore) {
        const absl::StatusOr<ClangInvocation> without = Make(setting, {before});
        ASSERT_TRUE(without.ok()) << without.status();
        for (const std::string& option : {OptionOf(row), Negative(row)}) {
          if (option == Negative(row) && !row.negatable) continue;
          const absl::StatusOr<ClangInvocation> with = Make(setting, {before, option});
          changes = changes || (with.ok() && Words(*with) != Words(*without));
        }
        if (changes) break;
      }
      if (changes) break;
    }
    EXPECT_TRUE(changes) << OptionOf(row);
  }
}

TEST(ClangInvocationTest, AToolkitTakesThePlaceOfTheOwnHeaders) {
  constexpr Setting kCuda = {"nvptx64", Language::kCuda, targets::EmitKind::kAsm};
  const absl::StatusOr<ClangInvocation> own = Make(kCuda, {});
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_THAT(Words(*own), AllOf(Contains("toolchain/include/ingot/ingot_cuda.h"),
                                 Not(Contains("toolchain/include/cuda_wrappers"))));
  const absl::StatusOr<ClangInvocation> real =
      Make(kCuda, {"--cuda-path=inc/0", "--cuda-path=inc/1"});
  ASSERT_TRUE(real.ok()) << real.status();
  EXPECT_THAT(real->warnings, IsEmpty());
  EXPECT_THAT(Words(*real),
              AllOf(Not(Contains("toolchain/include/ingot/ingot_cuda.h")),
                    Contains("__clang_cuda_runtime_wrapper.h"), Contains("inc/1/include"),
                    Contains("inc/1/include/cccl"), Not(Contains("inc/0/include"))));
}

TEST(ClangInvocationTest, AnErrorIsInClangsWords) {
  const absl::StatusOr<ClangInvocation> made = Make(kSettings[0], {"-std=c0"});
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("invalid value 'c0'"));
}

}  // namespace
}  // namespace ingot::compiler
