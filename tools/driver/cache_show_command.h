// `ingot cache show`: everything that is known of one result.

#ifndef INGOT_TOOLS_DRIVER_CACHE_SHOW_COMMAND_H_
#define INGOT_TOOLS_DRIVER_CACHE_SHOW_COMMAND_H_

#include "CLI/App.hpp"
#include "tools/driver/environment.h"

namespace ingot::driver {

// As AddCompileCommand(), below the command `cache`.
void AddCacheShowCommand(CLI::App& cache, const Environment& environment, int& exit_code);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CACHE_SHOW_COMMAND_H_
