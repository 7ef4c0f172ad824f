// The options of one command from all places: rc files, the environment, the command line.
//
//   absl::StatusOr<Settings> settings = ComputeSettings(
//       {.configuration = configuration, .command = *compile, .variable = environment.variable,
//        .arguments = {"k.ll", "--cpu=sm_90"}});
//   settings->Arguments();  // {"--disk_cache=/srv/cache", "k.ll", "--cpu=sm_90"}
//
// Every place says the same in the same way, as arguments, and the last of several wins: so an
// option needs nothing but to be added to its command to be known to all of them.

#ifndef INGOT_TOOLS_DRIVER_SETTINGS_H_
#define INGOT_TOOLS_DRIVER_SETTINGS_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Option.hpp"
#include "absl/status/statusor.h"
#include "tools/driver/configuration.h"

namespace ingot::driver {

enum class SettingSource { kRcFile, kEnvironment, kCommandLine };

// An option that was given, or a word of the command line that is none.
struct Setting {
  CLI::Option* option = nullptr;
  std::string name;                  // as written: "--cpu", "--nojson", "-O"
  std::optional<std::string> value;  // nothing for a flag without one
  SettingSource source = SettingSource::kCommandLine;
  std::string origin;  // "/home/me/.ingotrc:3", "INGOT_CPU" or "command line"
  // Settings of one file, of one --config in one file, of the environment, of the command line:
  // those of one layer make up one list.
  std::pair<int, int> layer;
  std::vector<std::string> words;  // the arguments that say it
};

struct Settings {
  std::vector<Setting> settings;  // the last of several for one option wins
  std::vector<std::string> warnings;

  std::vector<std::string> Arguments() const;
};

struct SettingsRequest {
  const Configuration& configuration;
  CLI::App& command;  // a command without subcommands, of a tree of all commands
  const std::function<std::optional<std::string>(std::string_view)>& variable;
  std::span<const std::string> arguments;  // the user's, after the command's name
  // Whether a --config among the arguments means this command. `ingot config` shows another's.
  bool expand_config = true;
  std::vector<std::string> configs;  // further --config, as if they were the first arguments
};

// InvalidArgument names the place and what is wrong there.
absl::StatusOr<Settings> ComputeSettings(const SettingsRequest& request);

// Adds the options that every command has for configuration, --config and --trusted_workspace.
void AddConfigurationOptions(CLI::App& command);

// The name of a command in rc files: "compile", "cache-stats"; empty for the top of the tree.
std::string RcCommandName(const CLI::App& command);

// Every command without subcommands below `app`.
std::vector<CLI::App*> AllCommands(CLI::App& app);

// The variable for an option, "INGOT_DISK_CACHE"; empty for one without a long name and for --help.
std::string VariableOf(const CLI::App& command, const CLI::Option& option);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_SETTINGS_H_
