#include "tools/driver/driver.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"  // IWYU pragma: keep (CLI11 is inline: what App uses)
#include "CLI/Error.hpp"
#include "CLI/Formatter.hpp"  // IWYU pragma: keep
#include "CLI/Option.hpp"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "targets/suggest.h"
#include "tools/driver/cache_command.h"
#include "tools/driver/cc_arguments.h"
#include "tools/driver/cc_command.h"
#include "tools/driver/compile_command.h"
#include "tools/driver/config_command.h"
#include "tools/driver/configuration.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/front_end_arguments.h"
#include "tools/driver/help.h"
#include "tools/driver/option_origin.h"
#include "tools/driver/option_words.h"
#include "tools/driver/rc_flags.h"
#include "tools/driver/settings.h"
#include "tools/driver/targets_command.h"

namespace ingot::driver {
namespace {

constexpr std::string_view kVersion = "ingot 0.1.0";

// The innermost subcommand that the command line has reached.
const CLI::App& Selected(CLI::App& app) {
  CLI::App* selected = &app;
  while (!selected->get_subcommands().empty()) selected = selected->get_subcommands().back();
  return *selected;
}

// What is wrong with an argument that nobody takes, and what may have been meant.
std::string DescribeUnknown(const CLI::App& app, std::string_view argument) {
  std::vector<std::string> known;
  if (argument.starts_with("-")) {
    argument = argument.substr(0, argument.find('='));
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      for (const std::string& name : option->get_snames()) known.push_back("-" + name);
    }
  } else {
    for (const CLI::App* command : app.get_subcommands(nullptr))
      known.push_back(command->get_name());
  }
  RcFlags flags;
  CLI::App before_command;
  AddRcOptions(before_command, flags);
  const bool is_misplaced = app.get_parent() != nullptr && argument.starts_with("--") &&
                            before_command.get_option_no_throw(std::string(argument)) != nullptr;
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string_view kind = argument.starts_with("-")              ? "option"
                                : app.get_subcommands(nullptr).empty() ? "argument"
                                                                       : "command";
  return "unknown " + std::string(kind) + " '" + std::string(argument) + "'" +
         (is_misplaced ? "; it stands before the command"
                       : targets::DidYouMean(argument, candidates));
}

// A command line before it is parsed.
struct CommandWords {
  std::size_t options = 0;      // how many words stand before the command's name
  std::size_t after_name = 0;   // where those after its name begin
  CLI::App* command = nullptr;  // nothing where there is no such command, or only its first half
};

CommandWords FindCommand(CLI::App& app, const std::vector<std::string>& arguments) {
  CommandWords words{.options = CountRcWords(arguments)};
  std::size_t i = words.options;
  CLI::App* command = &app;
  for (; i < arguments.size() && !command->get_subcommands(nullptr).empty(); ++i) {
    command = command->get_subcommand_no_throw(arguments[i]);
    if (command == nullptr) return words;
  }
  if (!command->get_subcommands(nullptr).empty()) return words;
  words.after_name = i;
  words.command = command;
  return words;
}

// Help and a broken rc file: help must come all the same.
bool AsksForHelp(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, "--help") != end ||
         std::find(arguments.begin(), end, "-h") != end;
}

// What commands are made of.
struct CommandParts {
  CLI::App& app;
  const Environment& environment;
  const Configuration& configuration;
  const CcCall& cc_call;
  int& exit_code;
};

struct CommandEntry {
  std::string_view name;
  void (*add)(const CommandParts& parts);
};

// In the order of `ingot --help`.
constexpr CommandEntry kCommands[] = {
    {"compile",
     [](const CommandParts& parts) {
       AddCompileCommand(parts.app, parts.environment, parts.exit_code);
     }},
    {kCcCommand,
     [](const CommandParts& parts) {
       AddCcCommand(parts.app, parts.environment, parts.cc_call, parts.exit_code);
     }},
    {"targets",
     [](const CommandParts& parts) {
       AddTargetsCommand(parts.app, parts.environment, parts.exit_code);
     }},
    {"cache",
     [](const CommandParts& parts) {
       AddCacheCommand(parts.app, parts.environment, parts.exit_code);
     }},
    {"config",
     [](const CommandParts& parts) {
       AddConfigCommand(parts.app, parts.environment, parts.configuration, parts.exit_code);
     }},
};

// Adds the command of this name; false if there is none. To add those that are not meant would cost
// more than many a command does.
bool AddCommand(const CommandParts& parts, std::string_view name) {
  for (const CommandEntry& command : kCommands) {
    if (command.name != name) continue;
    command.add(parts);
    return true;
  }
  return false;
}

// Adds all commands that are not there yet.
void AddAllCommands(const CommandParts& parts) {
  for (const CommandEntry& command : kCommands) {
    if (parts.app.get_subcommand_no_throw(std::string(command.name)) == nullptr) {
      command.add(parts);
    }
  }
}

// Reads the rc files, and puts what they and the environment set before the user's own words.
absl::Status Configure(const CommandWords& words, const RcFlags& flags, const CommandParts& parts,
                       std::vector<std::string>& arguments, Configuration& configuration,
                       Settings& settings) {
  const Environment& environment = parts.environment;
  ABSL_ASSIGN_OR_RETURN(
      configuration, LoadConfiguration(RequestFor(flags, environment,
                                                  std::span(arguments).subspan(words.after_name))));
  // Lines for all commands are judged by what all commands know.
  if (!configuration.lines.empty()) AddAllCommands(parts);
  ABSL_ASSIGN_OR_RETURN(
      settings, ComputeSettings({.configuration = configuration,
                                 .command = *words.command,
                                 .variable = environment.variable,
                                 .arguments = std::span(arguments).subspan(words.after_name),
                                 .expand_config = words.command->get_name() != "config",
                                 .configs = {}}));
  arguments.resize(words.after_name);
  for (std::string& argument : settings.Arguments()) arguments.push_back(std::move(argument));
  for (const std::vector<std::string>* warnings : {&configuration.warnings, &settings.warnings}) {
    for (const std::string& warning : *warnings) {
      environment.err << "ingot: warning: " << warning << "\n";
    }
  }
  return absl::OkStatus();
}

// Where the value that CLI11 complains of was set, for the end of the message.
std::string OriginOfError(const Settings& settings, std::string_view message) {
  for (std::size_t i = settings.settings.size(); i-- > 0;) {
    const Setting& setting = settings.settings[i];
    if (setting.option == nullptr) continue;
    if (message.find(setting.option->get_name()) == std::string_view::npos) continue;
    return setting.source == SettingSource::kCommandLine ? "" : " (from " + setting.origin + ")";
  }
  return "";
}

// Tells of the options that the user did not write just now.
void NoteOtherPlaces(const Environment& environment, const Settings& settings,
                     const CLI::App& command) {
  std::vector<OptionOrigin> origins;
  for (const Setting& setting : settings.settings) {
    if (setting.option == nullptr || setting.source == SettingSource::kCommandLine) continue;
    origins.push_back({setting.option->get_name(), setting.origin});
  }
  environment.err << NoteOfOtherPlaces(origins, RcCommandName(command));
}

// What to say when CLI11 ended the parsing, in a handler of its exception; returns the exit code.
int ReportParseError(CLI::App& app, const Environment& environment, const Settings& settings) {
  try {
    throw;
  } catch (const CLI::CallForHelp&) {
    SetUpHelp(app);
    environment.out << Selected(app).help();
  } catch (const CLI::CallForVersion&) {
    environment.out << kVersion << "\n";
  } catch (const CLI::ExtrasError&) {
    // What stands before the subcommand is not the subcommand's.
    const std::vector<std::string> outer = app.remaining(/*recurse=*/false);
    const CLI::App& command = outer.empty() ? Selected(app) : app;
    const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
    environment.err << "ingot: error: "
                    << DescribeUnknown(command, extras.empty() ? "" : extras.front()) << "\n`"
                    << CommandLine(command) << " --help` shows what there is.\n";
    return kUsageError;
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = Selected(app);
    const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
    // An unknown command is also a missing one, which is what CLI11 reports.
    environment.err << "ingot: error: "
                    << (extras.empty() ? error.what() + OriginOfError(settings, error.what())
                                       : DescribeUnknown(command, extras.front()))
                    << "\n`" << CommandLine(command) << " --help` shows how it is used.\n";
    return kUsageError;
  }
  return kSuccess;
}

// The exit code of a command that has ended with `exit_code`, its output being written to the end.
int FinishOutput(const Environment& environment, int exit_code) {
  environment.out.flush();
  if (environment.out || exit_code != kSuccess) return exit_code;
  environment.err << "ingot: error: cannot write standard output\n";
  return kProgramError;
}

int Run(std::vector<std::string> arguments, const Environment& environment, const CcCall& cc_call) {
  // Never destroyed: taking it apart takes time, and the process ends anyway.
  CLI::App& app = *new CLI::App(
      "A cross-compiler for device code: GPU kernels and microcontroller firmware.", "ingot");
  // Commands inherit it: what a source tree's rc file may set is said option by option.
  app.option_defaults()->configurable(false);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(kVersion));
  app.set_help_flag("-h,--help", "Show this help");
  app.footer(
      "Options also come from /etc/ingot.ingotrc, .ingotrc of the workspace, ~/.ingotrc and\n"
      "variables INGOT_OPTION; `ingot config` shows them, `ingot config --help` says more.\n\n"
      "Exit codes: 0 done; 1 the user's program or files; 2 usage; 3 Ingot's own failure.\n"
      "`ingot COMMAND --help` shows a command's options.");
  int exit_code = kSuccess;
  Configuration configuration;
  const CommandParts parts{app, environment, configuration, cc_call, exit_code};
  arguments = PrepareArguments(arguments);
  const std::size_t name = CountRcWords(arguments);
  // `ingot config` shows every other command, and `ingot --help` and a misspelt name ask for all.
  if (name == arguments.size() || arguments[name] == "config" ||
      !AddCommand(parts, arguments[name])) {
    AddAllCommands(parts);
  }
  RcFlags shown_by_help;
  if (name > 0 || arguments.empty()) AddRcOptions(app, shown_by_help);
  const CommandWords words = FindCommand(app, arguments);
  if (words.command != nullptr &&
      words.command->get_option_no_throw(std::string(kFrontEndFlag)) != nullptr) {
    if (absl::Status status = GuardFrontEndArguments(arguments, words.after_name); !status.ok()) {
      environment.err << "ingot: error: " << status.message() << "\n";
      return kUsageError;
    }
  }
  if (words.command != nullptr && words.command->get_option_no_throw("--config") == nullptr) {
    AddConfigurationOptions(*words.command);
  }
  Settings settings;
  if (words.command != nullptr && !AsksForHelp(arguments)) {
    const std::optional<RcFlags> flags = ReadRcFlags(
        {arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(words.options)});
    if (flags.has_value()) {
      const absl::Status status =
          Configure(words, *flags, parts, arguments, configuration, settings);
      if (!status.ok()) {
        environment.err << "ingot: error: " << status.message() << "\n";
        return ExitCodeFor(status);
      }
    }
  }

  // CLI11 takes the arguments last first, and reports by exceptions, which end here.
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
    if (exit_code == kUsageError) NoteOtherPlaces(environment, settings, *words.command);
  } catch (const CLI::ParseError&) {
    exit_code = ReportParseError(app, environment, settings);
  }
  return FinishOutput(environment, exit_code);
}

// Runs the compiler without CLI11; nothing, having said nothing, if rc files have something to say.
std::optional<int> RunUsualCc(std::span<const std::string> words, const Environment& environment,
                              const CcCommandLine& line) {
  const std::optional<CcFlags> flags = UsualCcFlags(environment, line.ingot_words);
  const std::optional<RcFlags> rc_flags = ReadRcFlags({words.begin(), words.end()});
  if (!flags.has_value() || !rc_flags.has_value()) return std::nullopt;
  const absl::StatusOr<Configuration> configuration =
      LoadConfiguration(RequestFor(*rc_flags, environment, {}));
  if (!configuration.ok() || !configuration->lines.empty() || !configuration->warnings.empty()) {
    return std::nullopt;
  }
  return FinishOutput(environment, RunCc(environment, line.call, *flags));
}

}  // namespace

int RunDriver(std::vector<std::string> arguments, const Environment& environment) {
  // By the name of a compiler, all is the compiler's.
  const std::size_t rc_words =
      CompilerOfProgram(environment.program).has_value() ? 0 : CountRcWords(arguments);
  CcCall cc_call;
  if (std::optional<CcCommandLine> cc =
          FindCcCommand(std::span(arguments).subspan(rc_words), environment.program)) {
    arguments.resize(rc_words);
    if (const std::optional<int> exit_code = RunUsualCc(arguments, environment, *cc)) {
      return *exit_code;
    }
    arguments.insert(arguments.end(), cc->ingot_words.begin(), cc->ingot_words.end());
    cc_call = std::move(cc->call);
  } else if (!arguments.empty() && arguments.front() == "compile" &&
             GuardFrontEndArguments(arguments, 1).ok()) {
    // What is wrong with an option of clang, Run() says.
    const std::optional<int> exit_code =
        RunUsualCompileCommand(std::span(arguments).subspan(1), environment);
    if (exit_code.has_value()) return FinishOutput(environment, *exit_code);
  }
  return Run(std::move(arguments), environment, cc_call);
}

}  // namespace ingot::driver
