// `ingot cache explain`: why is there no hit, and what is the state of a result?

#ifndef INGOT_TOOLS_DRIVER_CACHE_EXPLAIN_COMMAND_H_
#define INGOT_TOOLS_DRIVER_CACHE_EXPLAIN_COMMAND_H_

#include "CLI/App.hpp"
#include "tools/driver/environment.h"

namespace ingot::driver {

// As AddCompileCommand(), below the command `cache`.
void AddCacheExplainCommand(CLI::App& cache, const Environment& environment, int& exit_code);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CACHE_EXPLAIN_COMMAND_H_
