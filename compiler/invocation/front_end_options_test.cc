#include "compiler/invocation/front_end_options.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/invocation/front_end_option_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::compiler {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::optional<FrontEndMatch> Match(const std::vector<std::string>& arguments) {
  absl::StatusOr<std::optional<FrontEndMatch>> match = MatchFrontEndOption(arguments);
  EXPECT_TRUE(match.ok()) << match.status();
  return match.ok() ? *match : std::nullopt;
}

std::string Canonical(const std::vector<std::string>& arguments) {
  const std::optional<FrontEndMatch> match = Match(arguments);
  return match.has_value() ? match->canonical : "(none)";
}

std::string Error(const std::vector<std::string>& arguments) {
  const absl::StatusOr<std::optional<FrontEndMatch>> match = MatchFrontEndOption(arguments);
  EXPECT_EQ(match.status().code(), absl::StatusCode::kInvalidArgument) << arguments.front();
  return std::string(match.status().message());
}

// A command line that is the option of `row`.
std::string Example(const FrontEndRow& row) {
  return absl::StrCat(row.spelling, row.form == FrontEndForm::kFlag ? "" : "value");
}

TEST(FrontEndOptionsTest, TakesValuesJoinedAndSeparate) {
  for (const std::string option : {"-I", "-iquote", "-isystem", "-idirafter"}) {
    for (const bool joined : {true, false}) {
      const std::vector<std::string> arguments =
          joined ? std::vector<std::string>{option + "dir", "k.c"}
                 : std::vector<std::string>{option, "dir", "k.c"};
      const std::optional<FrontEndMatch> match = Match(arguments);
      ASSERT_TRUE(match.has_value()) << option;
      EXPECT_EQ(match->spelling, option);
      EXPECT_EQ(match->value, "dir");
      EXPECT_EQ(match->role, FrontEndRole::kSearchFolder);
      EXPECT_EQ(match->canonical, option + "dir");
      EXPECT_EQ(match->arguments, joined ? 1U : 2U);
    }
  }
  EXPECT_EQ(Match({"-include", "a.h"})->role, FrontEndRole::kForcedFile);
  EXPECT_EQ(Match({"-imacrosa.h"})->value, "a.h");
  EXPECT_EQ(Canonical({"-D", "X=a b"}), "-DX=a b");
  EXPECT_EQ(Canonical({"-D", "-X"}), "-D-X");
  EXPECT_EQ(Match({"--embed-dir=data"})->role, FrontEndRole::kSearchFolder);
}

TEST(FrontEndOptionsTest, TheLongestSpellingCounts) {
  EXPECT_EQ(Match({"-DM"})->spelling, "-D");
  EXPECT_EQ(Match({"-dM"})->spelling, "-dM");
  EXPECT_EQ(Match({"-isystemx"})->spelling, "-isystem");
  EXPECT_THAT(Error({"-isystem-after", "x"}), HasSubstr("use -I"));
  EXPECT_EQ(Match({"-includex"})->spelling, "-include");
  EXPECT_THAT(Error({"-include-pch", "x"}), HasSubstr("precompiled headers"));
  EXPECT_EQ(Match({"-Wpedantic"})->spelling, "-W");
  EXPECT_THAT(Error({"-Wp,-DX"}), HasSubstr("without -Wp,"));
  EXPECT_EQ(Match({"-undef"})->spelling, "-undef");
  EXPECT_THAT(Error({"-u", "main"}), HasSubstr("linking"));
  EXPECT_EQ(Match({"-g"})->spelling, "-g");
  EXPECT_EQ(Match({"-ggdb3"})->spelling, "-ggdb3");
  EXPECT_THAT(Error({"-gsplit-dwarf=split"}), HasSubstr("writes a file"));
  EXPECT_EQ(Match({"-fpack-struct=2"})->spelling, "-fpack-struct=");
  EXPECT_EQ(Match({"-fpack-struct"})->spelling, "-fpack-struct");
  EXPECT_EQ(Match({"-ftemplate-depth-9"})->value, "9");
  EXPECT_EQ(Match({"-fno-builtin-memcpy"})->spelling, "-fno-builtin-");
}

TEST(FrontEndOptionsTest, WhatIsNoOptionOfTheTableIsNoMatch) {
  for (const std::string argument :
       {"", "-", "--", "-f", "-fno-", "-fno-no-inline", "-fnonsense", "-g7", "-gno-", "-o", "-Os",
        "-x", "--target=avr", "k.c", "-mnonsense", "-fno-std=c11", "-stdx", "-fshort-enumsx",
        "-fno-short-enumsx"}) {
    EXPECT_EQ(Canonical({argument, "value"}), "(none)") << argument;
  }
  EXPECT_EQ(Canonical({std::string(300, 'f')}), "(none)");
  EXPECT_EQ(Canonical({"-fno-" + std::string(300, 'f')}), "(none)");
}

TEST(FrontEndOptionsTest, SwitchesAreThereWithAndWithoutNo) {
  EXPECT_EQ(Canonical({"-fshort-enums"}), "-fshort-enums");
  EXPECT_EQ(Canonical({"-fno-short-enums"}), "-fno-short-enums");
  EXPECT_EQ(Match({"-fno-short-enums"})->spelling, "-fshort-enums");
  EXPECT_EQ(Canonical({"-gno-column-info"}), "-gno-column-info");
  EXPECT_EQ(Canonical({"-fno-hosted"}), "(none)") << "a flag that has no opposite";
}

TEST(FrontEndOptionsTest, OtherNamesBecomeTheUsualOnes) {
  EXPECT_EQ(Canonical({"--std=c11"}), "-std=c11");
  EXPECT_EQ(Match({"--define-macro=X=1"})->canonical, "-DX=1");
  EXPECT_EQ(Match({"--define-macro=X=1"})->spelling, "-D");
}

TEST(FrontEndOptionsTest, WhatMakesNoDifferenceIsTakenAndSaysSo) {
  for (const std::string argument : {"-pipe", "-fno-lto", "-fno-pic", "-fno-sanitize=all",
                                     "-fno-fat-lto-objects", "-frandom-seed=7", "-fno-modules"}) {
    const std::optional<FrontEndMatch> match = Match({argument});
    ASSERT_TRUE(match.has_value()) << argument;
    EXPECT_EQ(match->role, FrontEndRole::kNoEffect) << argument;
  }
  // These would make one.
  for (const std::string argument :
       {"-fno-integrated-as", "-fno-unroll-loops", "-fno-color-diagnostics", "-fno-vectorize"}) {
    EXPECT_THAT(Error({argument}), HasSubstr(argument));
  }
}

TEST(FrontEndOptionsTest, AMissingValueIsAnError) {
  EXPECT_EQ(Error({"-I"}), "option -I needs a value");
  EXPECT_EQ(Error({"-D", ""}), "option -D needs a value");
  EXPECT_EQ(Error({"-std="}), "option -std= needs a value");
}

TEST(FrontEndOptionsTest, WhatIsRefusedIsNamedWithAReasonAndANextStep) {
  for (const std::string argument : {"-fmodules",
                                     "-fmodule-file=x",
                                     "--precompile",
                                     "-include-pch",
                                     "-fplugin=x.so",
                                     "-Xclang",
                                     "-mllvm",
                                     "-B/usr",
                                     "--config=x",
                                     "-specs=x",
                                     "-fprofile-generate",
                                     "-fprofile-use=x",
                                     "-ftime-trace",
                                     "-save-temps",
                                     "-save-temps=obj",
                                     "-fsanitize=address",
                                     "--coverage",
                                     "-ivfsoverlay",
                                     "-working-directory",
                                     "-flto",
                                     "-flto=thin",
                                     "-fPIC",
                                     "-fpie",
                                     "-MD",
                                     "-fdiagnostics-color=always",
                                     "-fdebug-prefix-map=/a=b",
                                     "-fstack-usage",
                                     "-lm",
                                     "-Wl,-x",
                                     "-Wa,-x",
                                     "-Xlinker",
                                     "-mmcu=atmega328p",
                                     "-E",
                                     "-S",
                                     "-c",
                                     "-emit-llvm",
                                     "-fopenmp"}) {
    EXPECT_THAT(Error({argument, "value"}), AllOf(HasSubstr(argument), ContainsRegex("[:;,] ")));
  }
}

TEST(FrontEndOptionTableTest, EveryRowIsFoundByItsSpellingAndOnlyThatOne) {
  std::string_view before;
  for (const FrontEndRow& row : FrontEndRows()) {
    EXPECT_LT(before, row.spelling);
    before = row.spelling;
    EXPECT_EQ(FindFrontEndRow(Example(row)), &row) << row.spelling;
    EXPECT_FALSE(IsNegated(row, Example(row))) << row.spelling;
    if (!row.negatable || row.spelling[0] != '-' || row.spelling.size() < 3) continue;
    if (row.spelling[1] != 'f' && row.spelling[1] != 'g') continue;
    if (absl::StartsWith(row.spelling, "-fno-")) continue;
    const std::string negative =
        absl::StrCat(row.spelling.substr(0, 2), "no-", Example(row).substr(2));
    EXPECT_EQ(FindFrontEndRow(negative), &row) << negative;
    EXPECT_TRUE(IsNegated(row, negative)) << negative;
  }
}

TEST(FrontEndOptionTableTest, RefusalsSayWhatToDo) {
  for (const FrontEndRow& row : FrontEndRows()) {
    if (row.take == FrontEndTake::kTaken) continue;
    EXPECT_THAT(
        std::string(row.note),
        ContainsRegex(
            "leave it out|use |give |name |include |see |write |ship |test the code|--emit"))
        << row.spelling;
  }
}

TEST(FrontEndOptionTableTest, ACanonicalOptionIsReadAsItself) {
  std::set<std::string> seen;
  for (const FrontEndRow& row : FrontEndRows()) {
    if (row.take != FrontEndTake::kTaken) continue;
    for (const std::string value : {"value", "-value", "-pch", "-", "=", "a b"}) {
      const bool takes_value = row.form != FrontEndForm::kFlag;
      // As two arguments where that is allowed: joined, the value may make another option.
      const std::vector<std::string> arguments =
          !takes_value ? std::vector<std::string>{std::string(row.spelling)}
          : row.form == FrontEndForm::kJoinedOrSeparate
              ? std::vector<std::string>{std::string(row.spelling), value}
              : std::vector<std::string>{absl::StrCat(row.spelling, value)};
      const auto match = MatchFrontEndOption(arguments);
      if (!match.ok() && row.form == FrontEndForm::kPrefix) continue;  // -W- and the like
      ASSERT_TRUE(match.ok() && match->has_value()) << arguments.front() << " " << value;
      const auto again = MatchFrontEndOption((*match)->canonical);
      ASSERT_TRUE(again.ok() && again->has_value()) << (*match)->canonical;
      EXPECT_EQ((*again)->canonical, (*match)->canonical);
      EXPECT_EQ((*again)->spelling, (*match)->spelling);
      EXPECT_EQ((*again)->value, (*match)->value);
      EXPECT_EQ((*again)->role, (*match)->role);
      seen.insert((*match)->canonical);
    }
  }
  EXPECT_GT(seen.size(), 200U);
}

}  // namespace
}  // namespace ingot::compiler
