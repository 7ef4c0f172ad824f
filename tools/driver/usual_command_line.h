// Which command lines get by with the options that most use.
//
// Setting up an option of CLI11 takes memory and compares its names with those of all others. A
// cache hit is about as long as starting a process, and the two dozen options that it does not use
// were a fifth of it. So `ingot compile` first gets its usual options only, if that can be enough;
// if it turns out not to be, everything is set up and the command line is read again.

#ifndef INGOT_TOOLS_DRIVER_USUAL_COMMAND_LINE_H_
#define INGOT_TOOLS_DRIVER_USUAL_COMMAND_LINE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::driver {

enum class OptionSet { kUsual, kAll };

// Whether the usual options may be enough for `arguments` (without the program's name), with these
// names of environment variables that start with INGOT_. True only for `compile`. A wrong "yes"
// costs time, no more: what is unknown then is looked for among all options.
bool IsUsual(std::span<const std::string> arguments, std::span<const std::string_view> variables);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_USUAL_COMMAND_LINE_H_
