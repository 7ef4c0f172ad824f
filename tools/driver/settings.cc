#include "tools/driver/settings.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Option.hpp"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/suggest.h"
#include "tools/driver/configuration.h"
#include "tools/driver/option_words.h"
#include "tools/driver/rc_file.h"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

constexpr std::string_view kCommon = "common";
constexpr std::string_view kConfigOption = "--config";

// Layers that are no rc file's.
constexpr int kEnvironmentLayer = -1;
constexpr int kCommandLineLayer = -2;

CLI::App& Top(CLI::App& command) {
  CLI::App* top = &command;
  while (top->get_parent() != nullptr) top = top->get_parent();
  return *top;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return targets::DidYouMean(name, candidates);
}

void AddNames(CLI::App& app, std::vector<std::string>& names) {
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    names.push_back(RcCommandName(*command));
    AddNames(*command, names);
  }
}

// The arguments by which CLI11 reads one option.
std::vector<std::string> ToWords(const std::string& name, const std::optional<std::string>& value) {
  if (!value.has_value()) return {name};
  // CLI11 takes no empty value after '=' or a letter.
  if (value->empty()) return {name, ""};
  return {absl::StrCat(name, name.starts_with("--") ? "=" : "", *value)};
}

struct Place {
  SettingSource source;
  std::string origin;
  std::pair<int, int> layer;
};

class Computation {
 public:
  explicit Computation(const SettingsRequest& request) : request_(request) {}

  absl::StatusOr<Settings> Run() && {
    if (!request_.configuration.lines.empty()) {
      ABSL_RETURN_IF_ERROR(CheckCommandNames());
      ABSL_RETURN_IF_ERROR(AddLines(/*config=*/"", /*expansion=*/0));
    }
    ABSL_RETURN_IF_ERROR(AddEnvironment());
    for (const std::string& config : request_.configs) {
      ABSL_RETURN_IF_ERROR(AddConfig(config, "command line"));
    }
    ABSL_RETURN_IF_ERROR(AddArguments());
    DropReplacedLists();
    WarnOfRefused();
    return std::move(result_);
  }

 private:
  absl::Status CheckCommandNames() {
    std::vector<std::string> names = {std::string(kCommon)};
    AddNames(Top(request_.command), names);
    for (const ConfigurationLine& line : request_.configuration.lines) {
      if (std::find(names.begin(), names.end(), line.line.command) != names.end()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(line.line.Place(), ": unknown command '", line.line.command, "' (there are ",
                       absl::StrJoin(names, ", "), ")", DidYouMean(line.line.command, names)));
    }
    return absl::OkStatus();
  }

  // Adds the lines for this command, the most general command first, as Bazel does: lines for
  // `compile` override those for `common` wherever they stand.
  absl::Status AddLines(const std::string& config, int expansion) {
    std::vector<CLI::App*> scopes;
    for (CLI::App* app = &request_.command; app != nullptr; app = app->get_parent()) {
      scopes.insert(scopes.begin(), app);
    }
    for (CLI::App* scope : scopes) {
      const std::string name =
          scope->get_parent() == nullptr ? std::string(kCommon) : RcCommandName(*scope);
      for (const ConfigurationLine& line : request_.configuration.lines) {
        if (line.line.command != name || line.line.config != config) continue;
        ABSL_RETURN_IF_ERROR(AddLine(line, *scope, expansion));
      }
    }
    return absl::OkStatus();
  }

  // `scope` is the command that the line is for: ours, or one that ours is below.
  absl::Status AddLine(const ConfigurationLine& line, CLI::App& scope, int expansion) {
    const std::string place = line.line.Place();
    // An option that only other commands of the scope have must be understood all the same, to know
    // whether the next word is its value.
    const std::vector<OptionUse> uses =
        ReadOptionUses(line.line.words, [this, &scope](const std::string& name) {
          CLI::Option* option = request_.command.get_option_no_throw(name);
          return option != nullptr ? option : FindInOthers(scope, name);
        });
    for (const OptionUse& use : uses) {
      // In a line for several commands it means another command's option of that name.
      const bool only_as_argument = use.option != nullptr && IsOnlyAsArgument(*use.option);
      if (use.option == nullptr || use.option == request_.command.get_help_ptr() ||
          (only_as_argument && &scope == &request_.command)) {
        return absl::InvalidArgumentError(
            absl::StrCat(place, ": ", DescribeUnknown(use, line.line, scope)));
      }
      if (TakesValue(*use.option) && !use.value.has_value()) {
        return absl::InvalidArgumentError(absl::StrCat(place, ": ", use.name, " needs a value"));
      }
      // CLI11 would take the empty word for an input.
      if (!TakesValue(*use.option) && use.value.has_value() && use.value->empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat(place, ": ", use.name, "= needs true or false after it"));
      }
      if (only_as_argument || request_.command.get_option_no_throw(use.name) != use.option)
        continue;
      if (!line.trusted && !use.option->get_configurable()) {
        refused_.push_back(absl::StrCat(place, ": ", use.name));
        continue;
      }
      ABSL_RETURN_IF_ERROR(Add(use, {SettingSource::kRcFile, place, {expansion, line.source}}));
    }
    return absl::OkStatus();
  }

  CLI::Option* FindInOthers(CLI::App& scope, const std::string& name) {
    for (CLI::App* command : AllCommands(scope)) {
      if (CLI::Option* option = command->get_option_no_throw(name); option != nullptr) {
        return option;
      }
    }
    return nullptr;
  }

  std::string DescribeUnknown(const OptionUse& use, const RcLine& line, CLI::App& scope) {
    if (use.option != nullptr) return absl::StrCat(use.name, " cannot be set in a file");
    if (!use.name.starts_with("-") || use.name == "--") {
      std::string message = absl::StrCat("'", use.name, "' is no option");
      for (CLI::App* command : scope.get_subcommands(nullptr)) {
        if (command->get_name() != use.name || scope.get_parent() == nullptr) continue;
        absl::StrAppend(&message, "; lines for `ingot ", line.command, " ", use.name,
                        "` begin with ", RcCommandName(*command));
      }
      return message;
    }
    std::vector<std::string> known;
    std::vector<CLI::App*> commands = AllCommands(scope);
    commands.push_back(&request_.command);
    for (CLI::App* command : commands) {
      for (const CLI::Option* option : command->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
    }
    return absl::StrCat("unknown option '", use.name, "' for ", line.command,
                        DidYouMean(use.name, known));
  }

  // One option, or in place of a --config what it stands for.
  absl::Status Add(const OptionUse& use, const Place& place) {
    if (use.name == kConfigOption && use.value.has_value()) {
      return AddConfig(*use.value, place.origin);
    }
    result_.settings.push_back({.option = use.option,
                                .name = use.name,
                                .value = use.value,
                                .source = place.source,
                                .origin = place.origin,
                                .layer = place.layer,
                                .words = ToWords(use.name, use.value)});
    return absl::OkStatus();
  }

  absl::Status AddConfig(const std::string& config, const std::string& origin) {
    if (std::find(open_configs_.begin(), open_configs_.end(), config) != open_configs_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(origin, ": --config=", config, " would expand to itself without end"));
    }
    std::vector<std::string> known;
    for (const ConfigurationLine& line : request_.configuration.lines) {
      if (!line.line.config.empty()) known.push_back(line.line.config);
    }
    if (std::find(known.begin(), known.end(), config) == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          origin, ": no rc file defines --config=", config, " by a line such as `",
          RcCommandName(request_.command), ":", config, " --OPTION`", DidYouMean(config, known)));
    }
    if (++expansions_ > kMaximumExpansions) {
      return absl::InvalidArgumentError(
          absl::StrCat(origin, ": more than ", kMaximumExpansions, " expansions of --config"));
    }
    open_configs_.push_back(config);
    ABSL_RETURN_IF_ERROR(AddLines(config, expansions_));
    open_configs_.pop_back();
    return absl::OkStatus();
  }

  absl::Status AddEnvironment() {
    for (CLI::Option* option : request_.command.get_options()) {
      const std::string name = VariableOf(request_.command, *option);
      if (name.empty()) continue;
      std::optional<std::string> value = request_.variable(name);
      if (!value.has_value()) continue;
      // An empty value means something to an option, such as no store; to a flag it does not.
      if (value->empty() && (!TakesValue(*option) || IsConfigOption(*option))) continue;
      ABSL_RETURN_IF_ERROR(Add({.option = option,
                                .name = "--" + option->get_lnames().front(),
                                .value = std::move(value)},
                               {SettingSource::kEnvironment, name, {0, kEnvironmentLayer}}));
    }
    return absl::OkStatus();
  }

  bool IsConfigOption(const CLI::Option& option) const {
    return request_.command.get_option_no_throw(std::string(kConfigOption)) == &option;
  }

  absl::Status AddArguments() {
    // The usual case: nothing that the arguments would have to be compared with, so no need to know
    // what they mean.
    const bool may_expand =
        request_.expand_config &&
        std::any_of(request_.arguments.begin(), request_.arguments.end(),
                    [](const std::string& word) { return word.starts_with(kConfigOption); });
    if (result_.settings.empty() && !may_expand) {
      result_.settings.push_back({.origin = "command line",
                                  .words = {request_.arguments.begin(), request_.arguments.end()}});
      return absl::OkStatus();
    }
    std::vector<OptionUse> uses = ReadOptionUses(
        request_.arguments,
        [this](const std::string& name) { return request_.command.get_option_no_throw(name); });
    for (OptionUse& use : uses) {
      if (may_expand && use.name == kConfigOption && use.value.has_value()) {
        ABSL_RETURN_IF_ERROR(AddConfig(*use.value, "command line"));
        continue;
      }
      result_.settings.push_back({.option = use.option,
                                  .name = std::move(use.name),
                                  .value = std::move(use.value),
                                  .source = SettingSource::kCommandLine,
                                  .origin = "command line",
                                  .layer = {0, kCommandLineLayer},
                                  .words = std::move(use.words)});
    }
    return absl::OkStatus();
  }

  void DropReplacedLists() {
    std::map<const CLI::Option*, std::pair<int, int>> last;
    for (const Setting& setting : result_.settings) {
      if (setting.option != nullptr && IsReplacedAsAWhole(*setting.option)) {
        last[setting.option] = setting.layer;
      }
    }
    if (last.empty()) return;
    std::erase_if(result_.settings, [&last](const Setting& setting) {
      const auto found = last.find(setting.option);
      return found != last.end() && found->second != setting.layer;
    });
  }

  void WarnOfRefused() {
    if (refused_.empty()) return;
    const std::size_t shown = std::min<std::size_t>(refused_.size(), kShownRefusals);
    std::string list = absl::StrJoin(std::span(refused_).first(shown), ", ");
    if (refused_.size() > shown) absl::StrAppend(&list, " and ", refused_.size() - shown, " more");
    result_.warnings.push_back(absl::StrCat(list, refused_.size() == 1 ? " is" : " are",
                                            " ignored, since a source tree could do harm with it; ",
                                            HowToTrust(request_.configuration.workspace)));
  }

  static constexpr int kMaximumExpansions = 100;
  static constexpr std::size_t kShownRefusals = 3;

  const SettingsRequest& request_;
  Settings result_;
  std::vector<std::string> open_configs_;
  int expansions_ = 0;
  std::vector<std::string> refused_;
};

}  // namespace

std::vector<std::string> Settings::Arguments() const {
  std::vector<std::string> arguments;
  for (const Setting& setting : settings) {
    arguments.insert(arguments.end(), setting.words.begin(), setting.words.end());
  }
  return arguments;
}

absl::StatusOr<Settings> ComputeSettings(const SettingsRequest& request) {
  return Computation(request).Run();
}

void AddConfigurationOptions(CLI::App& command) {
  // Both have done their work when CLI11 comes to read them.
  const auto add = [&command](const std::string& name, const std::string& description) {
    return command
        .add_option_function<std::vector<std::string>>(
            name, [](const std::vector<std::string>&) {}, description)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->group("Configuration");
  };
  add(std::string(kConfigOption), "In this place, take the lines COMMAND:NAME of rc files too")
      ->type_name("NAME");
  add("--trusted_workspace", "Let the .ingotrc in DIR set every option; DIR/...: below DIR too")
      ->type_name("DIR");
}

std::string RcCommandName(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "";
  const std::string above = RcCommandName(*command.get_parent());
  return above.empty() ? command.get_name() : absl::StrCat(above, "-", command.get_name());
}

std::vector<CLI::App*> AllCommands(CLI::App& app) {
  std::vector<CLI::App*> commands;
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_subcommands(nullptr).empty()) {
      commands.push_back(command);
    } else {
      for (CLI::App* below : AllCommands(*command)) commands.push_back(below);
    }
  }
  return commands;
}

std::string VariableOf(const CLI::App& command, const CLI::Option& option) {
  if (option.get_lnames().empty() || &option == command.get_help_ptr() ||
      IsOnlyAsArgument(option)) {
    return "";
  }
  std::string name = absl::StrCat("INGOT_", absl::AsciiStrToUpper(option.get_lnames().front()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace ingot::driver
