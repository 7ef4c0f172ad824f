// The `ingot` command: parses a command line and runs the subcommand it names.

#ifndef INGOT_TOOLS_DRIVER_DRIVER_H_
#define INGOT_TOOLS_DRIVER_DRIVER_H_

#include <string>
#include <vector>

#include "tools/driver/environment.h"

namespace ingot::driver {

// Runs `arguments` (without the program's name) and returns the process's exit code, an ExitCode.
int RunDriver(std::vector<std::string> arguments, const Environment& environment);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_DRIVER_H_
