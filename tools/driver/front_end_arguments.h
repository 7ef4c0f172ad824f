// Options of clang on a command line that CLI11 reads, which takes `-isystem` for `-i -s -y …`.
//
//   std::vector<std::string> arguments = {"compile", "-I", "include", "k.c"};
//   absl::Status status = GuardFrontEndArguments(arguments, 1);
//   // arguments: {"compile", "--copt=-Iinclude", "k.c"}

#ifndef INGOT_TOOLS_DRIVER_FRONT_END_ARGUMENTS_H_
#define INGOT_TOOLS_DRIVER_FRONT_END_ARGUMENTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace ingot::driver {

// The option that carries one of clang's as its value.
inline constexpr std::string_view kFrontEndFlag = "--copt";

// Puts each of clang's options in `arguments` from `first` on, up to `--`, into one argument of
// kFrontEndFlag. InvalidArgument, naming the option, for one that is known and not taken.
absl::Status GuardFrontEndArguments(std::vector<std::string>& arguments, std::size_t first);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_FRONT_END_ARGUMENTS_H_
