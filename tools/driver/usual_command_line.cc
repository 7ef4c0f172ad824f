#include "tools/driver/usual_command_line.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "compiler/invocation/invocation.h"

namespace ingot::driver {
namespace {

// Beside those of the compiler; what AddCompileCommand() adds for OptionSet::kUsual.
constexpr std::array<std::string_view, 7> kFlags = {
    "--disk_cache", "--state_dir", "--toolchain", "--timeout", "--jobs", "--verbose", "--json"};

constexpr std::array<std::string_view, 5> kVariables = {
    "INGOT_DISK_CACHE", "INGOT_STATE_DIR", "INGOT_TOOLCHAIN", "INGOT_TIMEOUT", "INGOT_IGNORE_RC"};

bool IsUsualArgument(std::string_view argument) {
  if (!argument.starts_with("-") || argument == "-") return true;
  if (!argument.starts_with("--")) return argument != "-h";
  const std::string_view flag = argument.substr(0, argument.find('='));
  if (std::ranges::find(kFlags, flag) != kFlags.end()) return true;
  const std::span<const compiler::OptionSpec> options = compiler::Options();
  return std::ranges::any_of(options, [&](const auto& option) { return option.flag == flag; });
}

}  // namespace

bool IsUsual(std::span<const std::string> arguments, std::span<const std::string_view> variables) {
  return !arguments.empty() && arguments.front() == "compile" &&
         std::ranges::all_of(arguments.subspan(1), IsUsualArgument) &&
         std::ranges::all_of(variables, [](std::string_view name) {
           return std::ranges::find(kVariables, name) != kVariables.end();
         });
}

}  // namespace ingot::driver
