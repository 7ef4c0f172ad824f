#include "tools/driver/store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/decorators/local_first_blob_store.h"
#include "cache/digest.h"
#include "cache/local/collection_schedule.h"
#include "cache/remote/open_remote.h"
#include "cache/state_directory.h"
#include "cache/tiered_cache.h"
#include "tools/driver/environment.h"
#include "tools/driver/option_table.h"
#include "tools/driver/remote_flags.h"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

// Commands may run with another working directory than the one a relative path was meant for.
std::string Absolute(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

// Whether this process may write to `folder`, which is absolute, or make it.
bool CanBeWritten(std::string folder) {
  while (access(folder.c_str(), W_OK) != 0) {
    if (errno != ENOENT || folder == "/") return false;
    folder.resize(std::max<std::size_t>(folder.rfind('/'), 1));
  }
  return true;
}

// The last folder that can be written to, or made, is the store.
void SplitIntoLayers(const std::vector<std::string>& folders, StorePaths& paths) {
  std::vector<std::string> usable;
  for (const std::string& folder : folders) {
    if (folder.empty()) {
      usable.clear();
    } else {
      usable.push_back(Absolute(folder));
    }
  }
  if (usable.empty()) return;
  auto store = usable.end() - 1;
  for (auto it = usable.end(); usable.size() > 1 && it != usable.begin();) {
    --it;
    if (CanBeWritten(*it)) {
      store = it;
      break;
    }
  }
  paths.store = *store;
  usable.erase(store);
  paths.layers = std::move(usable);
}

bool IsWorldWritable(const std::string& folder) {
  struct stat status;
  return stat(folder.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0;
}

}  // namespace

void AppendStoreOptions(StoreOptions& options, std::vector<OptionRow>& rows) {
  const OptionRow store[] = {
      {.names = "--disk_cache",
       .value = &options.disk_cache,
       .value_name = "DIR",
       .help = "The local store, in the layout of Bazel's flag of that name; of several, the last "
               "one is written to and the others are only read; empty: none "
               "(INGOT_DISK_CACHE; default ~/.cache/ingot)",
       .default_text = "${XDG_CACHE_HOME:-~/.cache}/ingot",
       .places = ListPlaces::kReplaceWhole},
      {.names = "--state_dir",
       .value = &options.state_dir,
       .value_name = "DIR",
       .help = "Where counters, memos and reproducers of crashes are kept "
               "(INGOT_STATE_DIR; default ~/.local/state/ingot)",
       .default_text = "${XDG_STATE_HOME:-~/.local/state}/ingot"},
      {.names = "--allow_world_writable_cache",
       .value = &options.allow_world_writable,
       .help = "Use a store even if every user of this machine can write to it"},
  };
  rows.insert(rows.end(), std::begin(store), std::end(store));
}

void AddStoreOptions(CLI::App& command, StoreOptions& options) {
  std::vector<OptionRow> rows;
  AppendStoreOptions(options, rows);
  AddOptions(command, rows);
}

StorePaths FindStore(const Environment& environment, const StoreOptions& options) {
  StorePaths paths;
  paths.allow_world_writable = options.allow_world_writable;
  std::vector<std::string> folders;
  if (!options.disk_cache.empty()) {
    folders = options.disk_cache;
  } else if (absl::StatusOr<std::string> found = cache::DefaultStorePath(environment.variable);
             found.ok()) {
    folders = {*std::move(found)};
  } else {
    paths.store_problem = std::string(found.status().message());
  }
  SplitIntoLayers(folders, paths);
  if (options.state_dir.has_value() && !options.state_dir->empty()) {
    paths.state = Absolute(*options.state_dir);
  } else if (absl::StatusOr<std::string> found = cache::DefaultStatePath(environment.variable);
             found.ok()) {
    paths.state = *std::move(found);
  }
  return paths;
}

std::vector<cache::Tier> Store::Tiers() {
  std::vector<cache::Tier> tiers;
  if (!refused && !path.empty()) {
    tiers.push_back({.name = path, .actions = &actions, .blobs = &blobs});
  }
  for (const std::unique_ptr<LocalFolder>& layer : layers) {
    tiers.push_back({.name = layer->path,
                     .writable = false,
                     .actions = &layer->actions,
                     .blobs = &layer->blobs});
  }
  if (remote != nullptr) {
    const bool has_local = !refused && !path.empty();
    if (has_local) {
      remote_blobs = std::make_unique<cache::LocalFirstBlobStore>(blobs, remote->blobs());
    }
    tiers.push_back({.name = remote->Describe(),
                     .kind = cache::TierKind::kRemote,
                     .writable = upload,
                     .actions = &remote->actions(),
                     .blobs = has_local ? remote_blobs.get() : &remote->blobs()});
  }
  return tiers;
}

std::optional<cache::CollectionSchedule> ScheduleOf(const StorePaths& paths) {
  if (paths.store.empty() || paths.state.empty()) return std::nullopt;
  return cache::CollectionSchedule(
      cache::StateFolderOfStore(paths.state, paths.store) + "/collection", paths.store);
}

std::optional<Store> OpenStore(const StorePaths& paths) {
  if (paths.store.empty()) return std::nullopt;
  std::optional<Store> store(std::in_place, paths.store);
  const auto refuse = [&](const std::string& folder) {
    if (paths.allow_world_writable || !IsWorldWritable(folder)) return false;
    store->refusals.push_back(absl::StrCat(
        folder,
        " is not used: every user of this machine can write to it; take that right away "
        "(chmod o-w), or say --allow_world_writable_cache"));
    return true;
  };
  store->refused = refuse(paths.store);
  for (const std::string& layer : paths.layers) {
    if (refuse(layer)) continue;
    store->layers.push_back(std::make_unique<LocalFolder>(layer, cache::Access::kLook));
  }
  if (!paths.state.empty()) {
    store->state_folder = cache::StateFolderOfStore(paths.state, paths.store);
    store->counters.emplace(store->state_folder + "/counters");
    store->history.emplace(store->state_folder + "/history");
  }
  return store;
}

absl::StatusOr<std::optional<Store>> OpenStoreWithRemote(const Environment& environment,
                                                         const StorePaths& paths,
                                                         const RemoteFlags& options) {
  absl::StatusOr<std::optional<cache::RemoteOptions>> remote = FindRemote(environment, options);
  if (!remote.ok()) return remote.status();
  std::optional<Store> store = OpenStore(paths);
  if (!remote->has_value()) return store;
  absl::StatusOr<std::unique_ptr<cache::RemoteStore>> opened = cache::OpenRemote(**remote);
  if (!opened.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--remote_cache: ", opened.status().message()));
  }
  if (!store.has_value()) {
    store.emplace("");
    if (!paths.state.empty()) {
      // Counters belong to a store, and here the remote one is all there is.
      const std::string digest = cache::Sha256((*opened)->Describe()).hash;
      store->state_folder = absl::StrCat(paths.state, "/store-", digest.substr(0, 16));
      store->counters.emplace(store->state_folder + "/counters");
    }
  }
  store->remote = *std::move(opened);
  store->upload = options.upload_local_results;
  return store;
}

}  // namespace ingot::driver
