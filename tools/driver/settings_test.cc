#include "tools/driver/settings.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"     // IWYU pragma: keep (CLI11 is inline: what App uses)
#include "CLI/Formatter.hpp"  // IWYU pragma: keep
#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/driver/configuration.h"
#include "tools/driver/rc_file.h"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    app_.option_defaults()->configurable(false);
    compile_ = app_.add_subcommand("compile");
    compile_->add_option("INPUT", inputs_);
    AddTextOption(*compile_, "--cpu", cpu_, "")->configurable();
    AddTextOption(*compile_, "-O", level_, "")->configurable();
    AddTextOption(*compile_, "--toolchain", toolchain_, "");
    AddListOption(*compile_, "--disk_cache", caches_, ListPlaces::kReplaceWhole, "");
    AddListOption(*compile_, "--remote_header", headers_, ListPlaces::kAddUp, "");
    AddBooleanFlag(*compile_, "--upload", upload_, "");
    compile_->add_flag("-v,--verbose", verbose_)->configurable();
    AddConfigurationOptions(*compile_);
    CLI::App* cache = app_.add_subcommand("cache");
    stats_ = cache->add_subcommand("stats");
    stats_->add_flag("--json", json_);
    AddConfigurationOptions(*stats_);
    CLI::App* gc = cache->add_subcommand("gc");
    AddTextOption(*gc, "--max_age", age_, "");
  }

  // Adds a file's lines, `place` being "FILE" or, for one that is not trusted, "?FILE".
  void AddFile(const std::string& file, const std::string& text) {
    const bool trusted = !file.starts_with("?");
    absl::StatusOr<std::vector<RcLine>> lines = ReadRcFile(
        trusted ? file : file.substr(1),
        [&text](const std::string&, const std::string&) { return text; },
        [] { return std::string(); });
    ASSERT_THAT(lines, IsOk());
    for (RcLine& line : *lines) {
      configuration_.lines.push_back({std::move(line), files_, trusted});
    }
    ++files_;
  }

  absl::StatusOr<Settings> Compute(std::vector<std::string> arguments,
                                   CLI::App* command = nullptr) {
    arguments_ = std::move(arguments);
    return ComputeSettings({.configuration = configuration_,
                            .command = command != nullptr ? *command : *compile_,
                            .variable = variable_,
                            .arguments = arguments_,
                            .configs = {}});
  }

  std::vector<std::string> Arguments(std::vector<std::string> arguments,
                                     CLI::App* command = nullptr) {
    const absl::StatusOr<Settings> settings = Compute(std::move(arguments), command);
    if (!settings.ok()) return {std::string(settings.status().message())};
    EXPECT_THAT(settings->warnings, IsEmpty());
    return settings->Arguments();
  }

  std::string ErrorOf(std::vector<std::string> arguments) {
    const absl::StatusOr<Settings> settings = Compute(std::move(arguments));
    EXPECT_THAT(settings, StatusIs(absl::StatusCode::kInvalidArgument));
    return std::string(settings.status().message());
  }

  std::vector<std::string> inputs_, caches_, headers_;
  std::optional<std::string> cpu_, level_, toolchain_, age_;
  bool upload_ = true, verbose_ = false, json_ = false;
  CLI::App app_;
  CLI::App* compile_;
  CLI::App* stats_;
  std::map<std::string, std::string, std::less<>> variables_;
  const std::function<std::optional<std::string>(std::string_view)> variable_ =
      [this](std::string_view name) -> std::optional<std::string> {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
  };
  Configuration configuration_;
  std::vector<std::string> arguments_;
  int files_ = 0;
};

TEST_F(SettingsTest, NothingSetLeavesTheArguments) {
  const std::vector<std::string> arguments = {"a.ll", "--cpu", "x", "-vO3", "--wrong", "--", "-b"};
  EXPECT_EQ(Arguments(arguments), arguments);
  variables_["INGOT_CPU"] = "y";
  std::vector<std::string> with_cpu = {"--cpu=y"};
  with_cpu.insert(with_cpu.end(), arguments.begin(), arguments.end());
  EXPECT_EQ(Arguments(arguments), with_cpu);
}

TEST_F(SettingsTest, LowestPrecedenceFirst) {
  AddFile("/system", "compile --cpu=1\ncommon --cpu=0");
  AddFile("/user", "compile --cpu 3 -O2 -v\ncommon --cpu 2");
  variables_["INGOT_CPU"] = "4";
  EXPECT_THAT(Arguments({"--cpu=5", "a.ll"}),
              ElementsAre("--cpu=0", "--cpu=2", "--cpu=1", "--cpu=3", "-O2", "-v", "--cpu=4",
                          "--cpu=5", "a.ll"));
  const absl::StatusOr<Settings> settings = Compute({"--cpu=5"});
  ASSERT_THAT(settings, IsOk());
  std::vector<std::string> origins;
  for (const Setting& setting : settings->settings) {
    if (setting.name == "--cpu") origins.push_back(setting.origin);
  }
  EXPECT_THAT(origins, ElementsAre("/system:2", "/user:2", "/system:1", "/user:1", "INGOT_CPU",
                                   "command line"));
}

TEST_F(SettingsTest, OptionsOfOtherCommands) {
  AddFile("/rc",
          "common --max_age=1d --cpu=x --json\ncache --max_age 2d --json\ncache-gc --max_age=3d\n"
          "compile --cpu=y");
  EXPECT_THAT(Arguments({}), ElementsAre("--cpu=x", "--cpu=y"));
  EXPECT_THAT(Arguments({}, stats_), ElementsAre("--json", "--json"));
}

TEST_F(SettingsTest, Mistakes) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"common --cpuu=x", "unknown option '--cpuu' for common; did you mean '--cpu'?"},
      {"compile --max_age=x", "unknown option '--max_age' for compile"},
      {"compil --cpu=x", "unknown command 'compil'"},
      {"cache gc --max_age=x", "unknown command"},
      {"compile a.ll", "'a.ll' is no option"},
      {"compile -- a.ll", "'--' is no option"},
      {"compile --cpu", "--cpu needs a value"},
      {"compile --help", "--help cannot be set"},
      {"compile --config=x", "no rc file defines --config=x"},
  };
  for (const auto& [line, says] : mistakes) {
    configuration_.lines.clear();
    AddFile("/rc", "\n" + line);
    if (line.starts_with("cache gc")) continue;
    EXPECT_THAT(ErrorOf({}), AllOf(HasSubstr("/rc:2: "), HasSubstr(says))) << line;
  }
  configuration_.lines.clear();
  AddFile("/rc", "cache gc --max_age=x");
  EXPECT_THAT(Arguments({}, stats_),
              ElementsAre(AllOf(HasSubstr("/rc:1: 'gc' is no option"), HasSubstr("cache-gc"))));
}

TEST_F(SettingsTest, ConfigExpandsWhereItStands) {
  AddFile("/a", "compile:ci --cpu=ci -O1\ncommon:ci -v");
  AddFile("/b", "compile:ci -O3\ncompile:both --config=ci --cpu=both");
  EXPECT_THAT(Arguments({"--cpu=1", "--config=ci", "--cpu=2"}),
              ElementsAre("--cpu=1", "-v", "--cpu=ci", "-O1", "-O3", "--cpu=2"));
  EXPECT_THAT(Arguments({"--config", "both"}),
              ElementsAre("-v", "--cpu=ci", "-O1", "-O3", "--cpu=both"));
  EXPECT_THAT(Arguments({"--", "--config=ci"}), ElementsAre("--", "--config=ci"));
  EXPECT_THAT(Arguments({"--cpu", "--config=ci"}), ElementsAre("--cpu", "--config=ci"));
  variables_["INGOT_CONFIG"] = "ci";
  EXPECT_THAT(Arguments({"a"}), ElementsAre("-v", "--cpu=ci", "-O1", "-O3", "a"));
  variables_["INGOT_CONFIG"] = "";
  EXPECT_THAT(Arguments({"a"}), ElementsAre("a"));
  EXPECT_THAT(ErrorOf({"--config=c"}),
              AllOf(HasSubstr("command line: "), HasSubstr("--config=c ")));
  // Known for another command: nothing to do for this one.
  EXPECT_THAT(Arguments({"--config=both"}, stats_), IsEmpty());
}

TEST_F(SettingsTest, ConfigsThatNeverEnd) {
  AddFile("/rc", "compile:a --config=b\ncompile:b --config=a");
  EXPECT_THAT(ErrorOf({"--config=a"}), AllOf(HasSubstr("/rc:2: "), HasSubstr("without end")));
  configuration_.lines.clear();
  std::string text = "compile:c0 --cpu=x\n";
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&text, "compile:c", i, " --config=c", i - 1, " --config=c", i - 1, "\n");
  }
  AddFile("/rc", text);
  EXPECT_THAT(ErrorOf({"--config=c39"}), HasSubstr("expansions"));
}

TEST_F(SettingsTest, AnotherPlacesStoresReplaceAndHeadersAddUp) {
  AddFile("/system", "common --disk_cache=s1 --disk_cache=s2 --remote_header=a");
  EXPECT_THAT(Arguments({}),
              ElementsAre("--disk_cache=s1", "--disk_cache=s2", "--remote_header=a"));
  AddFile("/user",
          "common --disk_cache=u1 --remote_header=b\ncompile --disk_cache=u2\n"
          "compile:ci --disk_cache=c1 --remote_header=c");
  EXPECT_THAT(Arguments({}), ElementsAre("--remote_header=a", "--disk_cache=u1",
                                         "--remote_header=b", "--disk_cache=u2"));
  EXPECT_THAT(Arguments({"--config=ci"}), ElementsAre("--remote_header=a", "--remote_header=b",
                                                      "--disk_cache=c1", "--remote_header=c"));
  EXPECT_THAT(Arguments({"--config=ci", "--disk_cache", "x", "a", "--disk_cache=y"}),
              ElementsAre("--remote_header=a", "--remote_header=b", "--remote_header=c",
                          "--disk_cache", "x", "a", "--disk_cache=y"));
  EXPECT_THAT(Arguments({"--disk_cache=x", "--config=ci"}),
              ElementsAre("--remote_header=a", "--remote_header=b", "--disk_cache=c1",
                          "--remote_header=c"));
  variables_["INGOT_DISK_CACHE"] = "";
  variables_["INGOT_REMOTE_HEADER"] = "d";
  EXPECT_THAT(Arguments({}), ElementsAre("--remote_header=a", "--remote_header=b", "--disk_cache",
                                         "", "--remote_header=d"));
}

TEST_F(SettingsTest, Variables) {
  variables_ = {{"INGOT_CPU", ""},      {"INGOT_VERBOSE", "1"}, {"INGOT_UPLOAD", ""},
                {"INGOT_HELP", "1"},    {"INGOT_INPUT", "x"},   {"INGOT_JSON", "1"},
                {"INGOT_MAX_AGE", "x"}, {"INGOT_O", "3"}};
  EXPECT_THAT(Arguments({}), ElementsAre("--cpu", "", "--verbose=1"));
  EXPECT_THAT(Arguments({}, stats_), ElementsAre("--json=1"));
}

TEST_F(SettingsTest, AnUntrustedFileSetsWhatIsMarkedHarmless) {
  configuration_.workspace = "/work";
  AddFile("?/work/rc",
          "compile --cpu=x --toolchain=/evil -v\ncommon --disk_cache=/evil --max_age=9d\n"
          "compile --upload --remote_header=x --config=ci --trusted_workspace=/work\n"
          "compile:ci --cpu=ci --toolchain=/evil");
  AddFile("/user", "compile:ci --toolchain=mine");
  absl::StatusOr<Settings> settings = Compute({});
  ASSERT_THAT(settings, IsOk());
  EXPECT_THAT(settings->Arguments(), ElementsAre("--cpu=x", "-v"));
  EXPECT_THAT(settings->warnings,
              ElementsAre(AllOf(HasSubstr("/work/rc:2: --disk_cache, /work/rc:1: --toolchain"),
                                HasSubstr("and 3 more are ignored"),
                                HasSubstr("`common --trusted_workspace=/work`"))));
  settings = Compute({"--config=ci"});
  ASSERT_THAT(settings, IsOk());
  EXPECT_THAT(settings->Arguments(), ElementsAre("--cpu=x", "-v", "--cpu=ci", "--toolchain=mine"));
  // What the command does not have is no reason to warn.
  settings = Compute({}, stats_);
  ASSERT_THAT(settings, IsOk());
  EXPECT_THAT(settings->warnings, IsEmpty());
}

TEST_F(SettingsTest, AFlagWithAnEmptyValueGivesNoInput) {
  AddFile("/user", "\ncompile --verbose=");
  EXPECT_THAT(Compute({}).status(), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr("/user:2: --verbose= needs true or false")));
}

// A new option that nobody thought about stays out of a source tree's reach.
TEST_F(SettingsTest, AnOptionThatIsNotMarkedIsRefused) {
  std::string value;
  compile_->add_option("--brand_new", value);
  AddFile("?/work/rc", "compile --brand_new=x");
  const absl::StatusOr<Settings> settings = Compute({});
  ASSERT_THAT(settings, IsOk());
  EXPECT_THAT(settings->Arguments(), IsEmpty());
  EXPECT_THAT(settings->warnings, ElementsAre(HasSubstr("/work/rc:1: --brand_new is ignored")));
}

// What CLI11 makes of the arguments.
TEST_F(SettingsTest, ParsedInTheEnd) {
  AddFile("/rc",
          "common --disk_cache=s --remote_header=a --remote_header='[b,c]' --noupload -O1\n"
          "common --cpu=''");
  std::vector<std::string> arguments =
      Arguments({"a.ll", "--disk_cache=x", "--disk_cache", "[y]", "b.ll", "-O", "3"});
  arguments.insert(arguments.begin(), "compile");
  app_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  EXPECT_THAT(inputs_, ElementsAre("a.ll", "b.ll"));
  EXPECT_THAT(caches_, ElementsAre("x", "[y]"));
  EXPECT_THAT(headers_, ElementsAre("a", "[b,c]"));
  EXPECT_FALSE(upload_);
  EXPECT_EQ(level_, "3");
  EXPECT_EQ(cpu_, "");
}

TEST_F(SettingsTest, BooleanFlags) {
  for (const auto& [word, value] :
       std::vector<std::pair<std::string, bool>>{{"--upload", true},
                                                 {"--noupload", false},
                                                 {"--upload=0", false},
                                                 {"--upload=false", false},
                                                 {"--upload=1", true},
                                                 {"--upload=true", true}}) {
    for (const std::string before : {"--upload", "--noupload"}) {
      std::vector<std::string> last_first = {word, before, "compile"};
      app_.parse(last_first);
      EXPECT_EQ(upload_, value) << before << " " << word;
    }
  }
}

// Whoever sets --cpu for compilations does not mean what another command calls so.
TEST_F(SettingsTest, WhatOnlyArgumentsMaySayIsTakenFromNowhereElse) {
  CLI::App* gc = app_.get_subcommand("cache")->get_subcommand("gc");
  std::optional<std::string> which;
  OnlyAsArgument(AddTextOption(*gc, "--cpu", which, ""));
  AddFile("rc", "common --cpu=sm_90\n");
  variables_["INGOT_CPU"] = "sm_80";
  absl::StatusOr<Settings> settings = Compute({"--cpu=sm_75"}, gc);
  ASSERT_THAT(settings, IsOk());
  EXPECT_THAT(settings->Arguments(), ElementsAre("--cpu=sm_75"));
  AddFile("wrong", "cache-gc --cpu=sm_90\n");
  EXPECT_THAT(Compute({}, gc), StatusIs(absl::StatusCode::kInvalidArgument,
                                        HasSubstr("--cpu cannot be set in a file")));
}

TEST_F(SettingsTest, Names) {
  EXPECT_EQ(RcCommandName(app_), "");
  EXPECT_EQ(RcCommandName(*compile_), "compile");
  EXPECT_EQ(RcCommandName(*stats_), "cache-stats");
  EXPECT_EQ(AllCommands(app_).size(), 3u);
  EXPECT_EQ(VariableOf(*compile_, *compile_->get_option("--disk_cache")), "INGOT_DISK_CACHE");
  EXPECT_EQ(VariableOf(*compile_, *compile_->get_option("-v")), "INGOT_VERBOSE");
  EXPECT_EQ(VariableOf(*compile_, *compile_->get_option("-O")), "");
}

}  // namespace
}  // namespace ingot::driver
