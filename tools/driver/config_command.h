// `ingot config`: the options in force for a command, and which place each comes from.

#ifndef INGOT_TOOLS_DRIVER_CONFIG_COMMAND_H_
#define INGOT_TOOLS_DRIVER_CONFIG_COMMAND_H_

#include "CLI/App.hpp"
#include "tools/driver/configuration.h"
#include "tools/driver/environment.h"

namespace ingot::driver {

// As AddCompileCommand(). `configuration` is what was loaded before the command line is parsed.
void AddConfigCommand(CLI::App& app, const Environment& environment,
                      const Configuration& configuration, int& exit_code);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CONFIG_COMMAND_H_
