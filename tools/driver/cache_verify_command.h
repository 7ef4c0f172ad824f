// `ingot cache verify`: read all of the store, report damage and repair it.

#ifndef INGOT_TOOLS_DRIVER_CACHE_VERIFY_COMMAND_H_
#define INGOT_TOOLS_DRIVER_CACHE_VERIFY_COMMAND_H_

#include "CLI/App.hpp"
#include "tools/driver/environment.h"

namespace ingot::driver {

// As AddCompileCommand().
void AddCacheVerifyCommand(CLI::App& cache, const Environment& environment, int& exit_code);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CACHE_VERIFY_COMMAND_H_
