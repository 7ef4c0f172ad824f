#include "tools/driver/config_command.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Error.hpp"
#include "CLI/Option.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "targets/suggest.h"
#include "tools/driver/configuration.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"
#include "tools/driver/option_words.h"
#include "tools/driver/settings.h"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

struct ConfigFlags {
  std::vector<std::string> command;
  std::vector<std::string> configs;
  bool json = false;
};

// What is known of one option.
struct OptionInForce {
  std::string name;
  bool is_list = false;
  std::vector<std::string> values;  // one, but for lists
  std::string source = "default";   // or "rc_file", "environment", "command_line"
  std::string origin = "default";
  bool harmless = false;
};

std::string_view SourceName(SettingSource source) {
  switch (source) {
    case SettingSource::kRcFile:
      return "rc_file";
    case SettingSource::kEnvironment:
      return "environment";
    case SettingSource::kCommandLine:
      return "command_line";
  }
  return "unknown";
}

// The value without what is secret in it, since what this command shows is pasted into reports: the
// password of an address, and the value of a header. A value that is no address or header, for the
// want of a character, has its secret all the same.
std::string WithoutSecrets(const std::string& option, std::string value) {
  if (absl::StrContains(option, "header")) {
    const std::size_t end = value.find_first_of("=:");
    return end == std::string::npos ? "***" : value.substr(0, end + 1) + "***";
  }
  const std::size_t scheme = value.find("://");
  if (absl::StrContains(option, "remote")) {
    const std::size_t query = value.find_first_of("?#");
    if (query != std::string::npos) value.replace(query + 1, std::string::npos, "***");
    const std::size_t at = value.rfind('@');
    const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    return at == std::string::npos || at < begin ? value : value.replace(begin, at - begin, "***");
  }
  if (scheme == std::string::npos) return value;
  const std::size_t begin = scheme + 3;
  const std::size_t at = value.substr(0, value.find('/', begin)).rfind('@');
  return at == std::string::npos || at < begin ? value : value.replace(begin, at - begin, "***");
}

std::string ValueOf(const Setting& setting) {
  if (TakesValue(*setting.option)) return setting.value.value_or("");
  const std::string name = setting.name.substr(setting.name.find_first_not_of('-'));
  try {
    return setting.option->get_flag_value(name, setting.value.value_or(""));
  } catch (const CLI::Error&) {
    return setting.value.value_or("");
  }
}

std::vector<OptionInForce> OptionsInForce(CLI::App& command, const Settings& settings) {
  std::vector<OptionInForce> all;
  for (CLI::Option* option : command.get_options()) {
    if (option == command.get_help_ptr()) continue;
    if (option->get_lnames().empty() && option->get_snames().empty()) continue;
    OptionInForce in_force{.name = option->get_name(),
                           .is_list = IsList(*option),
                           .harmless = option->get_configurable()};
    for (const Setting& setting : settings.settings) {
      if (setting.option != option) continue;
      const std::string value = WithoutSecrets(in_force.name, ValueOf(setting));
      const bool first = in_force.values.empty();
      if (first || !in_force.is_list) {
        in_force.values = {value};
        in_force.origin = setting.origin;
      } else {
        in_force.values.push_back(value);
        if (!absl::StrContains(in_force.origin, setting.origin)) {
          absl::StrAppend(&in_force.origin, ", ", setting.origin);
        }
      }
      in_force.source = std::string(SourceName(setting.source));
    }
    if (in_force.values.empty()) {
      option->capture_default_str();
      const std::string value = option->get_default_str();
      if (!value.empty()) {
        in_force.values = {value};
      } else if (!TakesValue(*option)) {
        in_force.values = {"false"};
      }
    }
    all.push_back(std::move(in_force));
  }
  return all;
}

nlohmann::json ToJson(const std::string& command, const Configuration& configuration,
                      const std::vector<OptionInForce>& options) {
  nlohmann::json json = {{"schema", 1},
                         {"command", command},
                         {"files", nlohmann::json::array()},
                         {"options", nlohmann::json::array()}};
  for (const RcSource& source : configuration.sources) {
    nlohmann::json file = {{"kind", source.kind},
                           {"path", source.path},
                           {"state", RcStateName(source.state)},
                           {"trusted", source.trusted}};
    if (!source.reason.empty()) file["reason"] = source.reason;
    json["files"].push_back(std::move(file));
  }
  for (const OptionInForce& option : options) {
    nlohmann::json entry = {{"name", option.name},
                            {"source", option.source},
                            {"origin", option.origin},
                            {"untrusted_workspace_may_set", option.harmless}};
    if (option.is_list) {
      entry["value"] = option.values;
    } else if (!option.values.empty()) {
      entry["value"] = option.values.front();
    } else {
      entry["value"] = nullptr;
    }
    json["options"].push_back(std::move(entry));
  }
  return json;
}

void Show(const Environment& environment, const std::string& command,
          const Configuration& configuration, const std::vector<OptionInForce>& options) {
  environment.out << "Options of `ingot " << command << "`:\n";
  for (const OptionInForce& option : options) {
    std::string value = absl::StrJoin(option.values, " ");
    // An empty value that somebody gave is told apart from none.
    if (value.empty()) value = option.source == "default" ? "-" : "''";
    environment.out << absl::StreamFormat("  %-20s %-28s %s\n", option.name, value, option.origin);
  }
  environment.out << "\nFiles, each overriding those before it:\n";
  for (const RcSource& source : configuration.sources) {
    environment.out << absl::StreamFormat("  %-10s %s%s%s", source.kind, source.path,
                                          source.path.empty() ? "" : ": ",
                                          RcStateName(source.state));
    if (!source.reason.empty()) environment.out << ", " << source.reason;
    if (source.state == RcState::kRead && !source.trusted) {
      environment.out << ", harmless options only; " << HowToTrust(configuration.workspace);
    }
    environment.out << "\n";
  }
}

int Fail(const Environment& environment, const ConfigFlags& flags, const std::string& message) {
  if (flags.json) {
    PrintJson(environment.out,
              {{"schema", 1}, {"error", message}, {"exit_code", static_cast<int>(kUsageError)}});
  } else {
    environment.err << "ingot: error: " << message << "\n";
  }
  return kUsageError;
}

int Run(CLI::App& app, const Environment& environment, const Configuration& configuration,
        const ConfigFlags& flags) {
  const std::string name = flags.command.empty() ? "compile" : absl::StrJoin(flags.command, "-");
  CLI::App* command = nullptr;
  std::vector<std::string> names;
  for (CLI::App* one : AllCommands(app)) {
    names.push_back(RcCommandName(*one));
    if (names.back() == name) command = one;
  }
  if (command == nullptr) {
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    return Fail(environment, flags,
                absl::StrCat("unknown command '", name, "' (there are ", absl::StrJoin(names, ", "),
                             ")", targets::DidYouMean(name, candidates)));
  }
  // `ingot config config` shows this command's own, which has them already.
  if (command->get_option_no_throw("--config") == nullptr) AddConfigurationOptions(*command);
  const absl::StatusOr<Settings> settings = ComputeSettings({.configuration = configuration,
                                                             .command = *command,
                                                             .variable = environment.variable,
                                                             .arguments = {},
                                                             .configs = flags.configs});
  if (!settings.ok()) return Fail(environment, flags, std::string(settings.status().message()));
  for (const std::string& warning : settings->warnings) {
    environment.err << "ingot: warning: " << warning << "\n";
  }
  const std::vector<OptionInForce> options = OptionsInForce(*command, *settings);
  if (flags.json) {
    PrintJson(environment.out, ToJson(name, configuration, options));
  } else {
    Show(environment,
         absl::StrJoin(flags.command.empty() ? std::vector<std::string>{name} : flags.command, " "),
         configuration, options);
  }
  return kSuccess;
}

}  // namespace

void AddConfigCommand(CLI::App& app, const Environment& environment,
                      const Configuration& configuration, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("config", "Show the options in force and where each comes from");
  auto flags = std::make_shared<ConfigFlags>();
  command
      ->add_option("COMMAND", flags->command,
                   "The command whose options are meant, such as compile (the default) or "
                   "cache stats")
      ->type_name("");
  command->add_flag("--json", flags->json, "Show them as JSON");
  AddListOption(*command, "--config", flags->configs, ListPlaces::kAddUp,
                "Show them as with this --config")
      ->type_name("NAME");
  command->footer(
      "Examples:\n"
      "  ingot config\n"
      "  ingot config cache stats --json\n"
      "  ingot config compile --config=ci\n\n"
      "Options come from /etc/ingot.ingotrc, .ingotrc of the workspace, ~/.ingotrc, the files of\n"
      "--ingotrc, variables INGOT_OPTION and the command line; the last one wins. Files have "
      "lines\n"
      "as Bazel's .bazelrc has, such as:\n"
      "  common --disk_cache=/srv/cache\n"
      "  compile:ci --timeout=1m\n"
      "Passwords and the values of headers are not shown.");
  command->callback([&app, &environment, &configuration, &exit_code, flags] {
    exit_code = Run(app, environment, configuration, *flags);
  });
}

}  // namespace ingot::driver
