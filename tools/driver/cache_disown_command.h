// `ingot cache disown`: never ask for these results again, wherever they are stored.

#ifndef INGOT_TOOLS_DRIVER_CACHE_DISOWN_COMMAND_H_
#define INGOT_TOOLS_DRIVER_CACHE_DISOWN_COMMAND_H_

#include "CLI/App.hpp"
#include "tools/driver/environment.h"

namespace ingot::driver {

// As AddCompileCommand(), below the command `cache`.
void AddCacheDisownCommand(CLI::App& cache, const Environment& environment, int& exit_code);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CACHE_DISOWN_COMMAND_H_
