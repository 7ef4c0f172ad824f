#include "tools/driver/store.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "cache/state_directory.h"
#include "tools/driver/environment.h"
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

}  // namespace

void AddStoreOptions(CLI::App& command, StoreOptions& options) {
  AddTextOption(command, "--disk_cache", options.disk_cache,
                "The local store, in the layout of Bazel's flag of that name; empty: none "
                "(INGOT_DISK_CACHE; default ~/.cache/ingot)")
      ->type_name("DIR")
      ->default_function([] { return "${XDG_CACHE_HOME:-~/.cache}/ingot"; });
  AddTextOption(command, "--state_dir", options.state_dir,
                "Where counters, memos and reproducers of crashes are kept "
                "(INGOT_STATE_DIR; default ~/.local/state/ingot)")
      ->type_name("DIR")
      ->default_function([] { return "${XDG_STATE_HOME:-~/.local/state}/ingot"; });
}

StorePaths FindStore(const Environment& environment, const StoreOptions& options) {
  StorePaths paths;
  if (options.disk_cache.has_value()) {
    paths.store = Absolute(*options.disk_cache);
  } else if (absl::StatusOr<std::string> found = cache::DefaultStorePath(environment.variable);
             found.ok()) {
    paths.store = *std::move(found);
  } else {
    paths.store_problem = std::string(found.status().message());
  }
  if (options.state_dir.has_value() && !options.state_dir->empty()) {
    paths.state = Absolute(*options.state_dir);
  } else if (absl::StatusOr<std::string> found = cache::DefaultStatePath(environment.variable);
             found.ok()) {
    paths.state = *std::move(found);
  }
  return paths;
}

std::optional<Store> OpenStore(const StorePaths& paths) {
  if (paths.store.empty()) return std::nullopt;
  std::optional<Store> store(std::in_place, paths.store);
  if (!paths.state.empty()) {
    store->counters.emplace(cache::StateFolderOfStore(paths.state, paths.store) + "/counters");
  }
  return store;
}

}  // namespace ingot::driver
