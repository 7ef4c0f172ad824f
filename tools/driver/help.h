// What `--help` shows, of the program and of each command.

#ifndef INGOT_TOOLS_DRIVER_HELP_H_
#define INGOT_TOOLS_DRIVER_HELP_H_

#include <string>

#include "CLI/App.hpp"

namespace ingot::driver {

// How `app` is called: "ingot cache show".
std::string CommandLine(const CLI::App& app);

// Makes the help of `app` and all its commands say how they are reached, which CLI11 leaves out.
void SetUpHelp(CLI::App& app);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_HELP_H_
