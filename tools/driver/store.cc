#include "tools/driver/store.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "cache/local/collection_schedule.h"
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

std::optional<std::string> Given(const Environment& environment,
                                 const std::optional<std::string>& flag, const char* variable) {
  return flag.has_value() ? flag : environment.variable(variable);
}

}  // namespace

void AddStoreOptions(CLI::App& command, StoreOptions& options) {
  AddTextOption(command, "--disk_cache", options.disk_cache,
                "The local store, in the layout of Bazel's flag of that name; empty: none "
                "(INGOT_DISK_CACHE; default ~/.cache/ingot)")
      ->type_name("DIR");
  AddTextOption(command, "--state_dir", options.state_dir,
                "Where counters, memos and reproducers of crashes are kept "
                "(INGOT_STATE_DIR; default ~/.local/state/ingot)")
      ->type_name("DIR");
}

StorePaths FindStore(const Environment& environment, const StoreOptions& options) {
  StorePaths paths;
  if (const auto given = Given(environment, options.disk_cache, "INGOT_DISK_CACHE")) {
    paths.store = Absolute(*given);
  } else if (absl::StatusOr<std::string> found = cache::DefaultStorePath(environment.variable);
             found.ok()) {
    paths.store = *std::move(found);
  } else {
    paths.store_problem = std::string(found.status().message());
  }
  if (const auto given = Given(environment, options.state_dir, "INGOT_STATE_DIR");
      given && !given->empty()) {
    paths.state = Absolute(*given);
  } else if (absl::StatusOr<std::string> found = cache::DefaultStatePath(environment.variable);
             found.ok()) {
    paths.state = *std::move(found);
  }
  return paths;
}

std::optional<cache::CollectionSchedule> ScheduleOf(const StorePaths& paths) {
  if (paths.store.empty() || paths.state.empty()) return std::nullopt;
  return cache::CollectionSchedule(
      cache::StateFolderOfStore(paths.state, paths.store) + "/collection", paths.store);
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
