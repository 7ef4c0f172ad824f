#include "tools/driver/rc_flags.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
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
#include "tools/driver/configuration.h"
#include "tools/driver/environment.h"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

std::string WorkingDirectory() {
  std::string path(PATH_MAX, '\0');
  return getcwd(path.data(), path.size()) == nullptr ? "" : std::string(path.c_str());
}

// What a variable that switches something on may say to leave it off.
bool IsOn(const std::optional<std::string>& variable) {
  return variable.has_value() && !variable->empty() && *variable != "0" && *variable != "false";
}

// The folders that the user's words and variables trust.
std::vector<std::string> TrustedWorkspaces(std::span<const std::string> arguments,
                                           const Environment& environment) {
  constexpr std::string_view kOption = "--trusted_workspace";
  std::vector<std::string> folders;
  if (auto folder = environment.variable("INGOT_TRUSTED_WORKSPACE")) folders.push_back(*folder);
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (!arguments[i].starts_with(kOption)) continue;
    const std::string_view rest = std::string_view(arguments[i]).substr(kOption.size());
    if (rest.starts_with("=")) {
      folders.emplace_back(rest.substr(1));
    } else if (rest.empty() && i + 1 < arguments.size()) {
      folders.push_back(arguments[i + 1]);
    }
  }
  return folders;
}

}  // namespace

void AddRcOptions(CLI::App& app, RcFlags& flags) {
  AddBooleanFlag(app, "--system_rc", flags.system_rc, "Read /etc/ingot.ingotrc (default)");
  AddBooleanFlag(app, "--workspace_rc", flags.workspace_rc,
                 "Read the .ingotrc of the workspace around the working directory (default)");
  AddBooleanFlag(app, "--home_rc", flags.home_rc, "Read ~/.ingotrc (default)");
  AddListOption(app, "--ingotrc", flags.files, ListPlaces::kAddUp,
                "Read this file too, after the others")
      ->type_name("FILE");
}

std::size_t CountRcWords(std::span<const std::string> arguments) {
  std::size_t i = 0;
  while (i < arguments.size() && arguments[i].starts_with("-")) {
    i += arguments[i] == "--ingotrc" ? 2 : 1;
  }
  return std::min(i, arguments.size());
}

std::optional<RcFlags> ReadRcFlags(std::vector<std::string> words) {
  RcFlags flags;
  if (words.empty()) return flags;
  CLI::App app;
  AddRcOptions(app, flags);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError&) {
    return std::nullopt;
  }
  return flags;
}

ConfigurationRequest RequestFor(const RcFlags& flags, const Environment& environment,
                                std::span<const std::string> arguments) {
  const bool ignore = IsOn(environment.variable("INGOT_IGNORE_RC"));
  const auto reason = [ignore](bool wanted, const char* flag) {
    return !wanted ? flag : ignore ? "INGOT_IGNORE_RC" : "";
  };
  return {.no_system_rc = reason(flags.system_rc, "--nosystem_rc"),
          .no_workspace_rc = reason(flags.workspace_rc, "--noworkspace_rc"),
          .no_home_rc = reason(flags.home_rc, "--nohome_rc"),
          .rc_files = flags.files,
          .trusted_workspaces = TrustedWorkspaces(arguments, environment),
          .working_directory = WorkingDirectory(),
          .home = environment.variable("HOME").value_or("")};
}

}  // namespace ingot::driver
