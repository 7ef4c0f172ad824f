#include "cache/difference.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cache/description.h"
#include "cache/digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Description Base() {
  Description description;
  description.arguments = {"toolchain/cc", "--cpu=sm_80", "-O2", "-o", "out/k.ptx", "src/k.ll"};
  description.environment_variables = {{"LANG", "C"}};
  description.output_paths = {"out/k.ptx"};
  description.platform = {{"ISA", "x86-64"}, {"OSFamily", "linux"}};
  description.salt = "ingot.1";
  description.has_command = true;
  description.files = {{"toolchain/cc", {Sha256("tool"), true}},
                       {"toolchain/include/a.h", {Sha256("header"), false}},
                       {"src/k.ll", {Sha256("kernel"), false}},
                       {"src/z.h", {Sha256("z"), false}}};
  description.folders = {{"", Sha256("root")}, {"src", Sha256("s")}, {"toolchain", Sha256("t")}};
  description.input_root = Sha256("root");
  return description;
}

// The differences that `change` makes.
template <typename Change>
std::vector<Difference> After(Change change) {
  const Description before = Base();
  Description after = Base();
  change(after);
  return Compare(before, after);
}

auto Is(DifferenceKind kind, const std::string& text) {
  return AllOf(Field(&Difference::kind, kind), Field(&Difference::text, HasSubstr(text)));
}

TEST(DifferenceTest, EqualActionsHaveNone) { EXPECT_THAT(Compare(Base(), Base()), IsEmpty()); }

TEST(DifferenceTest, Tool) {
  EXPECT_THAT(
      After([](Description& d) { d.files["toolchain/cc"].digest = Sha256("other"); }),
      ElementsAre(Is(DifferenceKind::kTool, absl::StrCat("the tool (toolchain/cc) is another one: ",
                                                         Sha256("other").ToString(), ", before ",
                                                         Sha256("tool").ToString()))));
  EXPECT_THAT(
      After([](Description& d) { d.files["toolchain/include/a.h"].digest = Sha256("other"); }),
      ElementsAre(Is(DifferenceKind::kTool, "the tool's file toolchain/include/a.h")));
  EXPECT_THAT(After([](Description& d) { d.files.erase("toolchain/include/a.h"); }),
              ElementsAre(Is(DifferenceKind::kTool, "is not there any more")));
}

// An entry of an older version, or of Bazel, has the folder's digest and not what is in it.
TEST(DifferenceTest, AToolFolderThatCannotBeRead) {
  Description before = Base();
  before.files.erase("toolchain/cc");
  before.files.erase("toolchain/include/a.h");
  before.unread_folders = {"toolchain"};
  EXPECT_THAT(Compare(before, Base()), IsEmpty());
  before.folders["toolchain"] = Sha256("other");
  EXPECT_THAT(Compare(before, Base()),
              ElementsAre(Is(DifferenceKind::kTool, "the input folder toolchain")));
}

TEST(DifferenceTest, Arguments) {
  EXPECT_THAT(After([](Description& d) { d.arguments[1] = "--cpu=sm_90"; }),
              ElementsAre(Is(DifferenceKind::kArgument, "argument --cpu was sm_80 and is sm_90")));
  EXPECT_THAT(After([](Description& d) { d.arguments[1] = "--cpu="; }),
              ElementsAre(Is(DifferenceKind::kArgument, "argument --cpu was sm_80 and is ''")));
  EXPECT_THAT(After([](Description& d) { d.arguments[2] = "-O3"; }),
              ElementsAre(Is(DifferenceKind::kArgument, "was -O2 and is -O3")));
  EXPECT_THAT(
      After([](Description& d) { d.arguments[4] = "out/b.ptx"; }),
      ElementsAre(Is(DifferenceKind::kArgument, "argument -o was out/k.ptx and is out/b.ptx")));
  EXPECT_THAT(After([](Description& d) { d.arguments.insert(d.arguments.begin() + 1, "-g"); }),
              ElementsAre(Is(DifferenceKind::kArgument, "argument -g is new")));
  EXPECT_THAT(After([](Description& d) { d.arguments.erase(d.arguments.begin() + 2); }),
              ElementsAre(Is(DifferenceKind::kArgument, "argument -O2 is not there any more")));
  EXPECT_THAT(After([](Description& d) {
                d.arguments = {"toolchain/cc", "-g",        "--cpu=sm_90", "-O2",
                               "-o",           "out/k.ptx", "src/k.ll"};
              }),
              ElementsAre(Is(DifferenceKind::kArgument, "argument --cpu was sm_80 and is sm_90"),
                          Is(DifferenceKind::kArgument, "argument -g is new")));
  EXPECT_THAT(After([](Description& d) { std::swap(d.arguments[1], d.arguments[2]); }),
              ElementsAre(Is(DifferenceKind::kArgument, "another order")));
}

TEST(DifferenceTest, Inputs) {
  EXPECT_THAT(After([](Description& d) { d.files["src/k.ll"].digest = Sha256("edited"); }),
              ElementsAre(Is(DifferenceKind::kInputContents,
                             absl::StrCat("the input src/k.ll has other contents: ",
                                          Sha256("edited").ToString(), ", before ",
                                          Sha256("kernel").ToString()))));
  EXPECT_THAT(After([](Description& d) { d.files["src/k.ll"].is_executable = true; }),
              ElementsAre(Is(DifferenceKind::kInputMode, "src/k.ll is executable and was not")));
  EXPECT_THAT(After([](Description& d) { d.files["src/a.h"] = {Sha256("a"), false}; }),
              ElementsAre(Is(DifferenceKind::kInputAdded, "src/a.h is new")));
  EXPECT_THAT(After([](Description& d) { d.files.erase("src/z.h"); }),
              ElementsAre(Is(DifferenceKind::kInputRemoved, "src/z.h is not there any more")));
  EXPECT_THAT(After([](Description& d) { d.symlinks["src/l"] = "z.h"; }),
              ElementsAre(Is(DifferenceKind::kInputContents, "the symlink src/l is new")));
  EXPECT_THAT(After([](Description& d) { d.empty_folders.insert("tmp"); }),
              ElementsAre(Is(DifferenceKind::kInputFolder, "the input folder tmp is new")));
}

TEST(DifferenceTest, ARenamedInputIsTheFirstThingToSayAndSaidOnce) {
  EXPECT_THAT(
      After([](Description& d) {
        d.files["src/new.ll"] = d.files["src/k.ll"];
        d.files.erase("src/k.ll");
        d.arguments[4] = "out/new.ptx";
        d.arguments[5] = "src/new.ll";
        d.output_paths = {"out/new.ptx"};
      }),
      ElementsAre(Is(DifferenceKind::kInputRenamed, "the input src/k.ll is called src/new.ll now"),
                  Is(DifferenceKind::kArgument, "argument -o"),
                  Is(DifferenceKind::kOutputPath, "were out/k.ptx and are out/new.ptx")));
}

TEST(DifferenceTest, TheRest) {
  EXPECT_THAT(After([](Description& d) { d.environment_variables["LANG"] = "de"; }),
              ElementsAre(Is(DifferenceKind::kEnvironment, "variable LANG was C and is de")));
  EXPECT_THAT(After([](Description& d) { (*d.platform)[0].second = "arm-a64"; }),
              ElementsAre(Is(DifferenceKind::kPlatform, "property ISA was x86-64 and is arm-a64")));
  EXPECT_THAT(After([](Description& d) { d.platform.reset(); }),
              testing::Contains(Is(DifferenceKind::kPlatform, "no platform is named any more")));
  EXPECT_THAT(After([](Description& d) { d.working_directory = "w"; }),
              ElementsAre(Is(DifferenceKind::kWorkingDirectory, "was '' and is w")));
  EXPECT_THAT(After([](Description& d) { d.timeout_seconds = 5; }),
              ElementsAre(Is(DifferenceKind::kTimeout, "was none and is 5s")));
  EXPECT_THAT(After([](Description& d) { d.salt = "ingot.1+g1.t0.n0"; }),
              ElementsAre(Is(DifferenceKind::kSalt, "was ingot.1 and is ingot.1+g1.t0.n0")));
  EXPECT_THAT(After([](Description& d) { d.do_not_cache = true; }), SizeIs(1));
}

TEST(DifferenceTest, TheOrderHelps) {
  const std::vector<Difference> differences = After([](Description& d) {
    d.salt = "other";
    d.platform.reset();
    d.output_paths = {"x"};
    d.files["src/a.h"] = {Sha256("a"), false};
    d.files["src/z.h"].digest = Sha256("z2");
    d.arguments[1] = "--cpu=sm_90";
    d.files["toolchain/cc"].digest = Sha256("other");
  });
  std::vector<DifferenceKind> kinds;
  for (const Difference& difference : differences) {
    if (kinds.empty() || kinds.back() != difference.kind) kinds.push_back(difference.kind);
  }
  EXPECT_THAT(kinds, ElementsAre(DifferenceKind::kTool, DifferenceKind::kArgument,
                                 DifferenceKind::kInputContents, DifferenceKind::kInputAdded,
                                 DifferenceKind::kOutputPath, DifferenceKind::kPlatform,
                                 DifferenceKind::kSalt));
}

TEST(DifferenceTest, WhatCannotBeReadIsNamedIfNothingElseExplains) {
  Description before = Base();
  before.has_command = false;
  before.arguments.clear();
  before.environment_variables.clear();
  before.output_paths.clear();
  before.problems = {"the Command: gone"};
  Description after = Base();
  after.environment_variables.clear();
  EXPECT_THAT(Compare(before, after), ElementsAre(Is(DifferenceKind::kUnknown, "gone")));
  after.files["src/k.ll"].digest = Sha256("edited");
  EXPECT_THAT(Compare(before, after), ElementsAre(Is(DifferenceKind::kInputContents, "src/k.ll")));
}

TEST(DifferenceTest, OddValuesAreQuoted) {
  EXPECT_THAT(After([](Description& d) { d.arguments[1] = "--cpu=a b\n"; }),
              ElementsAre(Is(DifferenceKind::kArgument, "is 'a b\\n'")));
}

}  // namespace
}  // namespace ingot::cache
