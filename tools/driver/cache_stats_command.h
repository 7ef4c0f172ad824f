// `ingot cache stats`: how large the store is and what has happened to it.

#ifndef INGOT_TOOLS_DRIVER_CACHE_STATS_COMMAND_H_
#define INGOT_TOOLS_DRIVER_CACHE_STATS_COMMAND_H_

#include "CLI/App.hpp"
#include "tools/driver/environment.h"

namespace ingot::driver {

// As AddCompileCommand().
void AddCacheStatsCommand(CLI::App& cache, const Environment& environment, int& exit_code);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CACHE_STATS_COMMAND_H_
