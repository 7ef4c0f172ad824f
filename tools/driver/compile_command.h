// `ingot compile`: inputs in, device code out, from the cache where it can be.

#ifndef INGOT_TOOLS_DRIVER_COMPILE_COMMAND_H_
#define INGOT_TOOLS_DRIVER_COMPILE_COMMAND_H_

#include "CLI/App.hpp"
#include "tools/driver/environment.h"
#include "tools/driver/usual_command_line.h"

namespace ingot::driver {

// Adds the subcommand to `app`, with all of its options or only the usual ones; its run writes the
// process's exit code to `exit_code`. Both references must outlive the parsing of the command line.
void AddCompileCommand(CLI::App& app, const Environment& environment, int& exit_code,
                       OptionSet option_set = OptionSet::kAll);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_COMPILE_COMMAND_H_
