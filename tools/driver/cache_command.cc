#include "tools/driver/cache_command.h"

#include "CLI/App.hpp"
#include "tools/driver/cache_disown_command.h"
#include "tools/driver/cache_explain_command.h"
#include "tools/driver/cache_gc_command.h"
#include "tools/driver/cache_recheck_command.h"
#include "tools/driver/cache_reset_command.h"
#include "tools/driver/cache_show_command.h"
#include "tools/driver/cache_stats_command.h"
#include "tools/driver/cache_verify_command.h"
#include "tools/driver/environment.h"

namespace ingot::driver {

void AddCacheCommand(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* command = app.add_subcommand("cache", "Ask about the store, and look after it");
  command->require_subcommand(1);
  AddCacheStatsCommand(*command, environment, exit_code);
  AddCacheShowCommand(*command, environment, exit_code);
  AddCacheExplainCommand(*command, environment, exit_code);
  AddCacheDisownCommand(*command, environment, exit_code);
  AddCacheRecheckCommand(*command, environment, exit_code);
  AddCacheGcCommand(*command, environment, exit_code);
  AddCacheVerifyCommand(*command, environment, exit_code);
  AddCacheResetCommand(*command, environment, exit_code);
}

}  // namespace ingot::driver
