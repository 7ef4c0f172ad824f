// Reads the usual command lines by a table of options, without CLI11.
//
//   if (ReadUsualCommandLine(rows, words, names, environment.variable)) …  // values are set
//   else …                                           // the same rows as CLI11's options:
//   AddOptions
//
// CLI11 has the help, the error messages and every spelling that it allows; this has neither, and
// says no to all but well-formed words in plain spelling. What it takes, it takes as CLI11 does,
// with the variables of the environment before the words (settings.h). A test compares the two.

#ifndef INGOT_TOOLS_DRIVER_USUAL_COMMAND_LINE_H_
#define INGOT_TOOLS_DRIVER_USUAL_COMMAND_LINE_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/driver/option_origin.h"
#include "tools/driver/option_table.h"

namespace ingot::driver {

// Sets the values of `rows`, which have their defaults, to what `words` (those after the command's
// name) and the environment say: `variables` are the names of its variables that start with INGOT_,
// `variable` gives their values. Returns the options that the environment names, or nothing if
// anything about it is not usual; some values may be set then.
std::optional<std::vector<OptionOrigin>> ReadUsualCommandLine(
    std::span<const OptionRow> rows, std::span<const std::string> words,
    std::span<const std::string_view> variables,
    const std::function<std::optional<std::string>(std::string_view)>& variable);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_USUAL_COMMAND_LINE_H_
