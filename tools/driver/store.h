// The store and the state that a command works with, from its flags and the environment.

#ifndef INGOT_TOOLS_DRIVER_STORE_H_
#define INGOT_TOOLS_DRIVER_STORE_H_

#include <optional>
#include <string>

#include "CLI/App.hpp"
#include "cache/counters.h"
#include "cache/local/collection_schedule.h"
#include "cache/local/local_store.h"
#include "tools/driver/environment.h"

namespace ingot::driver {

// The values of --disk_cache and --state_dir. Must outlive the parsing of the command line they
// were added to.
struct StoreOptions {
  std::optional<std::string> disk_cache;
  std::optional<std::string> state_dir;
};

void AddStoreOptions(CLI::App& command, StoreOptions& options);

// A local store with its counters.
struct Store {
  explicit Store(const std::string& root) : path(root), actions(root), blobs(root) {}

  std::string path;
  cache::LocalActionCache actions;
  cache::LocalBlobStore blobs;
  std::optional<cache::Counters> counters;  // nothing where there is no place for state
};

struct StorePaths {
  std::string store;          // empty: no caching was asked for, or there is no place for a store
  std::string store_problem;  // why there is no place, if there is none
  std::string state;          // empty if there is no place for it
};

// --disk_cache, else INGOT_DISK_CACHE, else ${XDG_CACHE_HOME:-~/.cache}/ingot; an empty value turns
// the cache off. The state is in --state_dir, else INGOT_STATE_DIR, else
// ${XDG_STATE_HOME:-~/.local/state}/ingot.
StorePaths FindStore(const Environment& environment, const StoreOptions& options);

// When the store at `paths` needs a garbage collection; nothing without a store or a place for
// state.
std::optional<cache::CollectionSchedule> ScheduleOf(const StorePaths& paths);

// The store at `paths`, or nothing where it is off.
std::optional<Store> OpenStore(const StorePaths& paths);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_STORE_H_
