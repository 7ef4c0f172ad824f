// `ingot compile`: inputs in, device code out, from the cache where it can be.

#ifndef INGOT_TOOLS_DRIVER_COMPILE_COMMAND_H_
#define INGOT_TOOLS_DRIVER_COMPILE_COMMAND_H_

#include <optional>
#include <span>
#include <string>

#include "CLI/App.hpp"
#include "tools/driver/environment.h"

namespace ingot::driver {

// Adds the subcommand to `app`, with all of its options or only the usual ones; its run writes the
// process's exit code to `exit_code`. Both references must outlive the parsing of the command line.
void AddCompileCommand(CLI::App& app, const Environment& environment, int& exit_code);

// Runs `ingot compile` with `arguments`, those after the command's name, without setting up CLI11
// and what it needs; returns the exit code. Nothing, having said and done nothing, if it takes more
// than that: there is an rc file, or ReadUsualCommandLine() does not understand all.
std::optional<int> RunUsualCompileCommand(std::span<const std::string> arguments,
                                          const Environment& environment);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_COMPILE_COMMAND_H_
