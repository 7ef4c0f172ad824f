#include "tools/driver/cache_reset_command.h"

#include <memory>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cache/history.h"
#include "cache/local/collection_schedule.h"
#include "cache/local/remove_tree.h"
#include "cache/local/reset.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"
#include "tools/driver/quantity.h"
#include "tools/driver/store.h"
#include "tools/driver/store_command.h"

namespace ingot::driver {
namespace {

int RunReset(const Environment& environment, const StoreCommandFlags& flags) {
  absl::StatusOr<Store> store = RequireStore(environment, flags.store);
  if (!store.ok()) return FailStoreCommand(environment, flags.json, store.status());
  const absl::StatusOr<cache::Removed> removed = cache::ResetStore(store->path);
  if (!removed.ok()) return FailStoreCommand(environment, flags.json, removed.status());
  if (const auto schedule = ScheduleOf(FindStore(environment, flags.store))) {
    schedule->RecordCollection(absl::Now(), 0).IgnoreError();
  }
  if (store->history.has_value()) {
    store->history->Append({.kind = cache::HistoryEventKind::kReset}).IgnoreError();
  }
  if (flags.json) {
    PrintJson(environment.out, {{"schema", 1},
                                {"store", store->path},
                                {"removed_files", removed->files},
                                {"removed_bytes", removed->bytes},
                                {"exit_code", static_cast<int>(kSuccess)}});
  } else {
    environment.out << "store          " << store->path << "\n"
                    << absl::StreamFormat("removed        %d files, %s\n", removed->files,
                                          FormatSize(removed->bytes));
  }
  return kSuccess;
}

}  // namespace

void AddCacheResetCommand(CLI::App& cache, const Environment& environment, int& exit_code) {
  CLI::App* command = cache.add_subcommand("reset", "Remove every result: a clean slate");
  auto flags = std::make_shared<StoreCommandFlags>();
  AddStoreCommandFlags(*command, *flags);
  command->footer(
      "Examples:\n"
      "  ingot cache reset\n"
      "  ingot cache reset --disk_cache=/srv/cache\n\n"
      "It is safe while others compile: they compile again what they would have found. In a "
      "folder\n"
      "that Bazel uses too, Bazel's results go as well. A folder that does not look like a store\n"
      "is refused. No correct result ever needs this: a new toolchain or input is a new key.\n\n"
      "Exit codes: 0 done; 1 there is no store, or it cannot be written; 2 usage.");
  command->callback(
      [&environment, &exit_code, flags] { exit_code = RunReset(environment, *flags); });
}

}  // namespace ingot::driver
