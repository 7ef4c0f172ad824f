#include "tools/driver/option_words.h"

#include <optional>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"     // IWYU pragma: keep (CLI11 is inline: what App uses)
#include "CLI/Formatter.hpp"  // IWYU pragma: keep
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

using ::testing::ElementsAre;

// "NAME=VALUE (WORDS)" for each use, with a ? after the name of what is no option.
std::vector<std::string> Show(const std::vector<std::string>& words) {
  CLI::App app;
  std::string text;
  bool flag = false;
  app.add_option("INPUT", text);
  app.add_option("--cpu", text);
  app.add_option("-j,--jobs", text);
  app.add_flag("-v,--verbose", flag);
  app.add_flag("--json,!--nojson", flag);
  std::vector<std::string> shown;
  for (const OptionUse& use : ReadOptionUses(
           words, [&app](const std::string& name) { return app.get_option_no_throw(name); })) {
    shown.push_back(absl::StrCat(use.name, use.option == nullptr ? "?" : "",
                                 use.value.has_value() ? "=" : "", use.value.value_or(""), " (",
                                 absl::StrJoin(use.words, " "), ")"));
  }
  return shown;
}

TEST(OptionWordsTest, Values) {
  EXPECT_THAT(Show({"--cpu=a=b", "--cpu", "b", "--cpu=", "--cpu", "", "-j4", "-j", "5"}),
              ElementsAre("--cpu=a=b (--cpu=a=b)", "--cpu=b (--cpu b)", "--cpu= (--cpu=)",
                          "--cpu= (--cpu )", "-j=4 (-j4)", "-j=5 (-j 5)"));
  EXPECT_THAT(Show({"--cpu", "--json"}), ElementsAre("--cpu=--json (--cpu --json)"));
  EXPECT_THAT(Show({"--cpu"}), ElementsAre("--cpu (--cpu)"));
}

TEST(OptionWordsTest, FlagsTakeNoWord) {
  EXPECT_THAT(Show({"--json", "a", "--nojson", "--json=0", "-v", "b"}),
              ElementsAre("--json (--json)", "a? (a)", "--nojson (--nojson)", "--json=0 (--json=0)",
                          "-v (-v)", "b? (b)"));
}

TEST(OptionWordsTest, ShortOptionsTogether) {
  EXPECT_THAT(Show({"-vj4", "a"}), ElementsAre("-v (-vj4)", "-j=4 ()", "a? (a)"));
  EXPECT_THAT(Show({"-vvj", "4", "a"}), ElementsAre("-v (-vvj 4)", "-v ()", "-j=4 ()", "a? (a)"));
}

TEST(OptionWordsTest, WhatIsNoOption) {
  EXPECT_THAT(Show({"a.ll", "-", "--what=x", "-w", "INPUT", "--", "--cpu=x", "b"}),
              ElementsAre("a.ll? (a.ll)", "-? (-)", "--what?=x (--what=x)", "-w? (-w)",
                          "INPUT? (INPUT)", "--? (-- --cpu=x b)"));
}

// However the words are understood, the command line stays what it was.
TEST(OptionWordsTest, NoWordIsLost) {
  const std::vector<std::string> words = {"-vj", "4", "a", "--cpu", "x", "-qv", "--", "-v", "--"};
  CLI::App app;
  std::string text;
  bool flag = false;
  app.add_option("--cpu", text);
  app.add_option("-j", text);
  app.add_flag("-v", flag);
  std::vector<std::string> all;
  for (const OptionUse& use : ReadOptionUses(
           words, [&app](const std::string& name) { return app.get_option_no_throw(name); })) {
    all.insert(all.end(), use.words.begin(), use.words.end());
  }
  EXPECT_EQ(all, words);
}

}  // namespace
}  // namespace ingot::driver
