// What the subcommands of `ingot cache` have in common: they need a store, and they fail alike.

#ifndef INGOT_TOOLS_DRIVER_STORE_COMMAND_H_
#define INGOT_TOOLS_DRIVER_STORE_COMMAND_H_

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/driver/environment.h"
#include "tools/driver/store.h"

namespace ingot::driver {

// The flags that every subcommand of `ingot cache` has.
struct StoreCommandFlags {
  StoreOptions store;
  bool json = false;
};

// Adds them to `command`.
void AddStoreCommandFlags(CLI::App& command, StoreCommandFlags& flags);

// The store of a command that makes no sense without one; InvalidArgument where caching is off or
// there is no place for it.
absl::StatusOr<Store> RequireStore(const Environment& environment, const StoreOptions& options);

// Reports `status`, which is not OK, as text on the error stream or, for `json`, as an object with
// "schema", "error" and "exit_code" on standard output. Returns the exit code.
int FailStoreCommand(const Environment& environment, bool json, const absl::Status& status);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_STORE_COMMAND_H_
