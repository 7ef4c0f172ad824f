// The store and the state that a command works with, from its options.

#ifndef INGOT_TOOLS_DRIVER_STORE_H_
#define INGOT_TOOLS_DRIVER_STORE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "cache/blob_store.h"
#include "cache/counters.h"
#include "cache/history.h"
#include "cache/local/collection_schedule.h"
#include "cache/local/local_store.h"
#include "cache/remote/open_remote.h"
#include "cache/tiered_cache.h"
#include "tools/driver/environment.h"
#include "tools/driver/option_table.h"
#include "tools/driver/remote_flags.h"

namespace ingot::driver {

// The values of the flags. Must outlive the parsing of the command line they were added to.
struct StoreOptions {
  // Several: see FindStore(). An empty one takes back those before it.
  std::vector<std::string> disk_cache;
  std::optional<std::string> state_dir;
  bool allow_world_writable = false;
  RemoteFlags remote;
};

// The flags of local stores, as rows or as options of `command`. Those of remote ones are
// AppendRemoteFlags() of `options.remote`.
void AppendStoreOptions(StoreOptions& options, std::vector<OptionRow>& rows);
void AddStoreOptions(CLI::App& command, StoreOptions& options);

struct StorePaths {
  std::string store;                // that is written to; empty: there is none
  std::vector<std::string> layers;  // that are only read, in the order in which they are asked
  std::string store_problem;        // why there is none, if that was not asked for
  std::string state;                // empty if there is no place for it
  bool allow_world_writable = false;
};

// The folders of --disk_cache, else ${XDG_CACHE_HOME:-~/.cache}/ingot. Of
// several folders the last one that this process can write to is the store; the others, such as one
// that came prebuilt in an image, are layers: they are asked after it, never written to, and what
// they know is copied into the store. An empty one takes back those before it, and none at all
// turns the cache off. The state is in --state_dir, else (or if that is empty)
// ${XDG_STATE_HOME:-~/.local/state}/ingot.
StorePaths FindStore(const Environment& environment, const StoreOptions& options);

// A folder in the layout of Bazel's disk cache.
struct LocalFolder {
  explicit LocalFolder(const std::string& root, cache::Access access = cache::Access::kUse)
      : path(root), actions(root, access), blobs(root, access) {}

  std::string path;
  cache::LocalActionCache actions;
  cache::LocalBlobStore blobs;
};

// A store with what belongs to it. Without a folder of its own (`path` is empty) there is only a
// remote cache.
struct Store : LocalFolder {
  using LocalFolder::LocalFolder;

  std::vector<std::unique_ptr<LocalFolder>> layers;
  // Why `path` or a layer is not used, each in a sentence; such a layer is not in `layers`.
  std::vector<std::string> refusals;
  bool refused = false;                            // `path` is among them
  std::unique_ptr<cache::RemoteStore> remote;      // null without one
  std::unique_ptr<cache::BlobStore> remote_blobs;  // made by Tiers() where there is a local store
  bool upload = true;                              // whether results go to `remote`
  // The folder for its counters, locks and history; empty where there is no place for state.
  std::string state_folder;
  std::optional<cache::Counters> counters;  // nothing where there is no place for state
  std::optional<cache::History> history;    // the same

  // All that may be used, in the order in which it is asked. Refers to this object, which must stay
  // where it is from now on.
  std::vector<cache::Tier> Tiers();
};

// When the store at `paths` needs a garbage collection; nothing without a store or a place for
// state.
std::optional<cache::CollectionSchedule> ScheduleOf(const StorePaths& paths);

// The store at `paths`, or nothing where it is off. A folder that every user of the machine can
// write to is refused, since anybody could put results there; unless that is allowed.
std::optional<Store> OpenStore(const StorePaths& paths);

// The same with the remote cache that `options` name, if they name one. InvalidArgument, naming the
// flag, for one that cannot be. Nothing is connected yet.
absl::StatusOr<std::optional<Store>> OpenStoreWithRemote(const Environment& environment,
                                                         const StorePaths& paths,
                                                         const RemoteFlags& options);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_STORE_H_
