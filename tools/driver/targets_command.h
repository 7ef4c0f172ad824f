// `ingot targets`: which devices there are.

#ifndef INGOT_TOOLS_DRIVER_TARGETS_COMMAND_H_
#define INGOT_TOOLS_DRIVER_TARGETS_COMMAND_H_

#include "CLI/App.hpp"
#include "tools/driver/environment.h"

namespace ingot::driver {

// As AddCompileCommand().
void AddTargetsCommand(CLI::App& app, const Environment& environment, int& exit_code);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_TARGETS_COMMAND_H_
