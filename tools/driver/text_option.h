// An option of CLI11 whose value may be empty, and which is told apart from one that was not given.

#ifndef INGOT_TOOLS_DRIVER_TEXT_OPTION_H_
#define INGOT_TOOLS_DRIVER_TEXT_OPTION_H_

#include <optional>
#include <string>

#include "CLI/App.hpp"
#include "CLI/Option.hpp"

namespace ingot::driver {

// Adds `--name VALUE`; the last of several wins. `value`, which must outlive the parsing, stays
// empty if there is none. (CLI11's own std::optional support turns an empty value into none.)
inline CLI::Option* AddTextOption(CLI::App& command, const std::string& name,
                                  std::optional<std::string>& value,
                                  const std::string& description) {
  return command
      .add_option_function<std::string>(
          name, [&value](const std::string& text) { value = text; }, description)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_TEXT_OPTION_H_
