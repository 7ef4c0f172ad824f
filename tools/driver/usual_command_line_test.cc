#include "tools/driver/usual_command_line.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"  // IWYU pragma: keep (CLI11 is inline: what App uses)
#include "CLI/Error.hpp"
#include "CLI/Formatter.hpp"  // IWYU pragma: keep
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/driver/compile_options.h"
#include "tools/driver/configuration.h"
#include "tools/driver/option_origin.h"
#include "tools/driver/option_table.h"
#include "tools/driver/option_words.h"
#include "tools/driver/settings.h"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

using ::testing::IsEmpty;

// A value of each kind of option, and all options of a compilation.
struct Values {
  CompileOptions compile;
  std::vector<std::string> added_up;
  bool flag = false;
  bool on = true;

  std::vector<OptionRow> Rows() {
    std::vector<OptionRow> rows;
    AppendCompileOptions(compile, "", rows);
    rows.push_back({.names = "-I,--include", .value = &added_up, .places = ListPlaces::kAddUp});
    rows.push_back({.names = "-v,--verbose", .value = &flag});
    rows.push_back({.names = "--upload-it", .value = &on, .can_be_negated = true});
    return rows;
  }

  // All of it as text, to compare and to print.
  std::string ToString() {
    std::string text;
    for (const OptionRow& row : Rows()) {
      text += std::string(row.names) + ":";
      if (auto* const* value = std::get_if<std::optional<std::string>*>(&row.value)) {
        text += (*value)->has_value() ? "'" + ***value + "'" : "none";
      } else if (auto* const* list = std::get_if<std::vector<std::string>*>(&row.value)) {
        for (const std::string& one : **list) text += "'" + one + "',";
      } else if (auto* const* is_set = std::get_if<bool*>(&row.value)) {
        text += **is_set ? "yes" : "no";
      } else {
        text += std::to_string(*std::get<unsigned*>(row.value));
      }
      text += "\n";
    }
    return text;
  }
};

using Variables = std::map<std::string, std::string, std::less<>>;

std::optional<std::string> Lookup(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::nullopt : std::optional(found->second);
}

// What CLI11 and settings.h make of a command line; nothing for an error.
std::optional<std::string> ReadByCli11(const std::vector<std::string>& words,
                                       const Variables& variables) {
  Values values;
  CLI::App app;
  app.option_defaults()->configurable(false);
  CLI::App* const command = app.add_subcommand("compile");
  app.require_subcommand(1);
  AddOptions(*command, values.Rows());
  AddConfigurationOptions(*command);
  const std::vector<std::string> prepared = PrepareArguments(words);
  const Configuration configuration;
  const std::function<std::optional<std::string>(std::string_view)> variable =
      [&](std::string_view name) { return Lookup(variables, name); };
  const absl::StatusOr<Settings> settings = ComputeSettings({.configuration = configuration,
                                                             .command = *command,
                                                             .variable = variable,
                                                             .arguments = prepared,
                                                             .configs = {}});
  if (!settings.ok()) return std::nullopt;
  std::vector<std::string> arguments = {"compile"};
  for (std::string& argument : settings->Arguments()) arguments.push_back(std::move(argument));
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError&) {
    return std::nullopt;
  }
  return values.ToString();
}

// The same without CLI11; nothing for what it leaves to that.
std::optional<std::string> ReadDirectly(const std::vector<std::string>& words,
                                        const Variables& variables,
                                        std::vector<OptionOrigin>* origins = nullptr) {
  Values values;
  std::vector<std::string_view> names;
  for (const auto& [name, value] : variables) names.push_back(name);
  std::optional<std::vector<OptionOrigin>> found = ReadUsualCommandLine(
      values.Rows(), words, names, [&](std::string_view name) { return Lookup(variables, name); });
  if (!found.has_value()) return std::nullopt;
  if (origins != nullptr) *origins = *std::move(found);
  return values.ToString();
}

std::vector<std::string> Words(std::string_view line) {
  return absl::StrSplit(line, ' ', absl::SkipEmpty());
}

// What people and build systems write must not take the long way.
TEST(UsualCommandLineTest, UsualLinesAreReadDirectlyAndAsByCli11) {
  const Variables none;
  const Variables folders = {
      {"INGOT_DISK_CACHE", "/srv/cache"},    {"INGOT_STATE_DIR", ""}, {"INGOT_IGNORE_RC", "1"},
      {"INGOT_TOOLCHAIN", "/opt/toolchain"}, {"INGOT_JOBS", "3"},     {"INGOT_CPU", "-x"}};
  for (const std::string_view line : {
           "",
           "a.ll",
           "a.ll --target=nvptx64 --cpu=sm_90 -o a.ptx",
           "a.ll --target nvptx64 --cpu sm_90 -oa.ptx -O3 --disk_cache=/tmp/c",
           "--target=avr --cpu=atmega328p -Os a.ll b.ll c.bc -o objects/ -j4",
           "- --target=nvptx64 --emit=bc -o -",
           "-O 2 a.ll --jobs=16 -v --disk_cache=",
           "--disk_cache=/image --disk_cache=/home/c a.ll --timeout=90s --timeout=10m",
           "--remote_cache=http://localhost:8080/x?y=z --remote_budget=2s a.ll --remote_retries=0",
           "a.ll --remote_header=A=b --remote_header=C=d --tls_certificate=a.pem",
           "a.ll --cpu=sm_90 --cpu= --features=+ptx87,-foo",
           "-I include --include=other -Iagain a.ll --toolchain=x",
           "compile --target=x --allow_world_writable_cache --upload-it",
           "a=b.ll ./-x.ll --state_dir=a,b",
           "--cpu=--target a.ll --jobs=0",
       }) {
    for (const Variables& variables : {none, folders}) {
      const std::vector<std::string> words = Words(line);
      const std::optional<std::string> directly = ReadDirectly(words, variables);
      ASSERT_TRUE(directly.has_value()) << line;
      EXPECT_EQ(directly, ReadByCli11(words, variables)) << line;
    }
  }
}

TEST(UsualCommandLineTest, AllElseIsLeftToCli11) {
  for (const std::string_view line : {
           "--help",
           "-h",
           "a.ll --help",
           "--versio",
           "--cpu",
           "a.ll -o",
           "-x",
           "-o=a",
           "--noupload-it",
           "--upload-it=false",
           "-v -v",
           "--verbose=1",
           "-vj4",
           "--jobs=4x",
           "--jobs=-1",
           "--jobs=010",
           "--jobs=",
           "--jobs=99999999999",
           "-- a.ll",
           "[a,b].ll",
           "--disk_cache=[a]",
           "--cpu --target",
           "--config=x a.ll",
           "--trusted_workspace=/x",
           "--",
           "--=x",
           "---",
           "--target=nvptx64 'a",
           "INPUT --INPUT=x",
       }) {
    EXPECT_EQ(ReadDirectly(Words(line), {}), std::nullopt) << line;
  }
  EXPECT_EQ(ReadDirectly({""}, {}), std::nullopt);
  EXPECT_EQ(ReadDirectly({"--cpu", ""}, {}), std::nullopt);
  for (const Variables& variables : std::vector<Variables>{{{"INGOT_VERBOSE", "1"}},
                                                           {{"INGOT_CONFIG", "x"}},
                                                           {{"INGOT_INCLUDE", "x"}},
                                                           {{"INGOT_JOBS", "many"}},
                                                           {{"INGOT_JOBS", ""}},
                                                           {{"INGOT_SOMETHING", "x"}},
                                                           {{"INGOT_", "x"}},
                                                           {{"INGOT_TRUSTED_WORKSPACE", "/x"}}}) {
    EXPECT_EQ(ReadDirectly({"a.ll"}, variables), std::nullopt) << variables.begin()->first;
  }
  // Even where the words override it: CLI11 would complain of it.
  EXPECT_EQ(ReadDirectly({"a.ll", "-j4"}, {{"INGOT_JOBS", "many"}}), std::nullopt);
}

TEST(UsualCommandLineTest, TheWordsOverrideTheEnvironment) {
  const Variables variables = {{"INGOT_DISK_CACHE", "/a"}, {"INGOT_CPU", "x"}};
  const std::vector<std::string> words = {"--disk_cache=/b", "--cpu=y"};
  std::vector<OptionOrigin> origins;
  EXPECT_EQ(ReadDirectly(words, variables, &origins), ReadDirectly(words, {}));
  EXPECT_NE(ReadDirectly({}, variables), ReadDirectly({}, {}));
}

TEST(UsualCommandLineTest, SaysWhatTheEnvironmentSet) {
  std::vector<OptionOrigin> origins;
  ASSERT_TRUE(ReadDirectly({}, {{"INGOT_DISK_CACHE", "/a"}, {"INGOT_IGNORE_RC", "1"}}, &origins));
  ASSERT_EQ(origins.size(), 1u);
  EXPECT_EQ(origins[0].option, "--disk_cache");
  EXPECT_EQ(origins[0].origin, "INGOT_DISK_CACHE");
  EXPECT_EQ(NoteOfOtherPlaces(origins, "compile"),
            "ingot: note: options from elsewhere than the command line: --disk_cache "
            "(INGOT_DISK_CACHE); `ingot config compile` shows them\n");
  EXPECT_THAT(NoteOfOtherPlaces({}, "compile"), IsEmpty());
}

// Whatever is read directly is read as CLI11 reads it.
TEST(UsualCommandLineTest, RandomLinesAreReadAsByCli11) {
  const std::vector<std::string> pieces = {
      "a.ll",
      "b",
      "-",
      "--",
      "",
      "-o",
      "-O",
      "-Os",
      "-O2",
      "-I",
      "-Ix",
      "-v",
      "-vv",
      "-j",
      "-j8",
      "-j08",
      "-jv",
      "-vj2",
      "-ox",
      "-o=x",
      "-5",
      "-x",
      "--cpu",
      "--cpu=",
      "--cpu=a",
      "--cpu=a=b",
      "--cp=a",
      "--cpus=a",
      "--verbose",
      "--verbose=0",
      "--noverbose",
      "--upload-it",
      "--noupload-it",
      "--upload_it",
      "--jobs",
      "--jobs=3",
      "--jobs=0x3",
      "--jobs=+3",
      "--jobs= 3",
      "--jobs=3.0",
      "--jobs=1e3",
      "--jobs=1'000",
      "4",
      "0",
      "--disk_cache",
      "--disk_cache=",
      "--disk_cache=/x",
      "--disk_cache=a,b",
      "--disk_cache=[a,b]",
      "--remote_header=a=b",
      "--remote_header",
      "[x]",
      "[a,b]",
      "{}",
      "{",
      "'q'",
      "\"q\"",
      "\"q",
      "`r`",
      "%%",
      "%",
      "a b",
      " a",
      "b ",
      "\t",
      "compile",
      "targets",
      "INPUT",
      "/x",
      "x=y",
      "=",
      "-=",
      "--=",
      "--=x",
      "++",
      "+x",
      "--config=x",
      "--INPUT=x",
      "--timeout",
      "--timeout=1s",
      "(x)",
      "#",
      "a;b",
      "a\\b",
      "\\",
      "--toolchain",
      "--toolchain=",
      "--allow_world_writable_cache",
      "--allow_world_writable_cache=true",
  };
  const std::vector<std::string> names = {"INGOT_DISK_CACHE", "INGOT_CPU",       "INGOT_JOBS",
                                          "INGOT_VERBOSE",    "INGOT_UPLOAD_IT", "INGOT_INCLUDE",
                                          "INGOT_IGNORE_RC",  "INGOT_TOOLCHAIN", "INGOT_OTHER"};
  const std::vector<std::string> values = {"",   "1",  "x",     "a,b", "[a,b]", "-x",  "--cpu=y",
                                           "07", "{}", "'q r'", " 1",  "%",     "true"};
  std::mt19937 random(1);
  const auto pick = [&](const std::vector<std::string>& from) {
    return from[random() % from.size()];
  };
  int read_directly = 0;
  constexpr int kLines = 20000;
  for (int i = 0; i < kLines; ++i) {
    std::vector<std::string> words(random() % 5);
    for (std::string& word : words) word = pick(pieces);
    Variables variables;
    for (std::size_t left = random() % 3; left > 0; --left) variables[pick(names)] = pick(values);
    const std::optional<std::string> directly = ReadDirectly(words, variables);
    if (!directly.has_value()) continue;
    ++read_directly;
    const std::optional<std::string> by_cli11 = ReadByCli11(words, variables);
    ASSERT_EQ(directly, by_cli11) << "'" << absl::StrJoin(words, "' '") << "' with "
                                  << absl::StrJoin(variables, " ", absl::PairFormatter("="));
  }
  EXPECT_GT(read_directly, kLines / 50);
}

}  // namespace
}  // namespace ingot::driver
