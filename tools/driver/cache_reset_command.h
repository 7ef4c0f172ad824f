// `ingot cache reset`: a clean slate.

#ifndef INGOT_TOOLS_DRIVER_CACHE_RESET_COMMAND_H_
#define INGOT_TOOLS_DRIVER_CACHE_RESET_COMMAND_H_

#include "CLI/App.hpp"
#include "tools/driver/environment.h"

namespace ingot::driver {

// As AddCompileCommand().
void AddCacheResetCommand(CLI::App& cache, const Environment& environment, int& exit_code);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CACHE_RESET_COMMAND_H_
