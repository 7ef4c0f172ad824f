// Where an option was set, for messages: a command that complains of a value does not know that the
// user did not write it just now.

#ifndef INGOT_TOOLS_DRIVER_OPTION_ORIGIN_H_
#define INGOT_TOOLS_DRIVER_OPTION_ORIGIN_H_

#include <span>
#include <string>
#include <string_view>

namespace ingot::driver {

struct OptionOrigin {
  std::string option;  // "--cpu"
  std::string origin;  // "/home/me/.ingotrc:3" or "INGOT_CPU"
};

// A line for people that lists options which were set elsewhere than on the command line; empty if
// there are none. `command` as rc files call it.
std::string NoteOfOtherPlaces(std::span<const OptionOrigin> options, std::string_view command);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_OPTION_ORIGIN_H_
