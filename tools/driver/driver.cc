#include "tools/driver/driver.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Error.hpp"
#include "CLI/Formatter.hpp"
#include "targets/suggest.h"
#include "tools/driver/cache_command.h"
#include "tools/driver/compile_command.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
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

std::string CommandLine(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : CommandLine(*app.get_parent()) + " " + app.get_name();
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
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string_view kind = argument.starts_with("-")              ? "option"
                                : app.get_subcommands(nullptr).empty() ? "argument"
                                                                       : "command";
  return "unknown " + std::string(kind) + " '" + std::string(argument) + "'" +
         targets::DidYouMean(argument, candidates);
}

// Guards arguments against CLI11's own ideas: it reads `--name= next` as `--name next`, so an empty
// value becomes an argument of its own, and `[a,b]` as a list, so a file of such a name is named
// with its folder.
std::vector<std::string> PrepareArguments(const std::vector<std::string>& arguments) {
  std::vector<std::string> prepared;
  prepared.reserve(arguments.size() + 1);
  bool options_ended = false;
  for (const std::string& argument : arguments) {
    options_ended = options_ended || argument == "--";
    if (!options_ended && argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      prepared.push_back(argument.substr(0, argument.size() - 1));
      prepared.emplace_back();
    } else if (argument.starts_with("[") && argument.ends_with("]")) {
      prepared.push_back("./" + argument);
    } else {
      prepared.push_back(argument);
    }
  }
  return prepared;
}

// CLI11 would lay out examples as if they were prose, and leave out how a subcommand is reached.
void SetUpHelp(CLI::App& app) {
  app.get_formatter()->enable_footer_formatting(false);
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    command->usage("Usage: " + CommandLine(*command) +
                   (command->get_subcommands(nullptr).empty() ? " [OPTION...]" : " COMMAND") +
                   (command->get_option_no_throw("INPUT") != nullptr    ? " INPUT..."
                    : command->get_option_no_throw("TARGET") != nullptr ? " [TARGET]"
                                                                        : ""));
    SetUpHelp(*command);
  }
}

}  // namespace

int RunDriver(std::vector<std::string> arguments, const Environment& environment) {
  // Never destroyed: taking it apart costs a hit as much as looking up its key, and the process
  // ends anyway.
  CLI::App& app = *new CLI::App(
      "A cross-compiler for device code: GPU kernels and microcontroller firmware.", "ingot");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(kVersion));
  app.set_help_flag("-h,--help", "Show this help");
  app.footer(
      "Exit codes: 0 done; 1 the user's program or files; 2 usage; 3 Ingot's own failure.\n"
      "`ingot COMMAND --help` shows a command's options.");
  int exit_code = kSuccess;
  AddCompileCommand(app, environment, exit_code);
  // A hit is the one command that has no time for commands it does not run. A first argument can
  // only be the command, and then nobody asks what others there are.
  if (arguments.empty() || arguments.front() != "compile") {
    AddTargetsCommand(app, environment, exit_code);
    AddCacheCommand(app, environment, exit_code);
  }
  app.usage("Usage: ingot COMMAND [OPTION...]");
  SetUpHelp(app);

  // CLI11 takes the arguments last first, and reports by exceptions, which end here.
  arguments = PrepareArguments(arguments);
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
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
    exit_code = kUsageError;
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = Selected(app);
    const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
    // An unknown command is also a missing one, which is what CLI11 reports.
    environment.err << "ingot: error: "
                    << (extras.empty() ? error.what() : DescribeUnknown(command, extras.front()))
                    << "\n`" << CommandLine(command) << " --help` shows how it is used.\n";
    exit_code = kUsageError;
  }
  environment.out.flush();
  if (!environment.out && exit_code == kSuccess) {
    environment.err << "ingot: error: cannot write standard output\n";
    exit_code = kProgramError;
  }
  return exit_code;
}

}  // namespace ingot::driver
