#include "tools/driver/cache_gc_command.h"

#include <memory>
#include <string>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/local/collection_schedule.h"
#include "cache/local/garbage_collection.h"
#include "nlohmann/json.hpp"
#include "tools/driver/collection_options.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"
#include "tools/driver/quantity.h"
#include "tools/driver/store.h"
#include "tools/driver/store_command.h"

namespace ingot::driver {
namespace {

struct GcFlags {
  StoreCommandFlags common;
  CollectionOptions limits;
  bool dry_run = false;
};

void PrintText(const Environment& environment, const std::string& store, bool dry_run,
               const cache::GarbageCollectionResult& result) {
  environment.out << "store          " << store << "\n"
                  << absl::StreamFormat("before         %d files, %s\n", result.files_before,
                                        FormatSize(result.bytes_before))
                  << absl::StreamFormat("%-14s %d files (%d results), %s\n",
                                        dry_run ? "would remove" : "removed", result.removed_files,
                                        result.removed_entries, FormatSize(result.removed_bytes))
                  << absl::StreamFormat("after          %d files, %s\n", result.files_after,
                                        FormatSize(result.bytes_after));
  if (result.abandoned.files > 0) {
    environment.out << absl::StreamFormat("left by dead writers, removed: %d files, %s\n",
                                          result.abandoned.files,
                                          FormatSize(result.abandoned.bytes));
  }
  if (result.used_meanwhile > 0) {
    environment.out << absl::StreamFormat("used meanwhile, kept: %d files\n",
                                          result.used_meanwhile);
  }
  if (result.unknown_names > 0) {
    environment.out << absl::StreamFormat("not a store's, left alone: %d names\n",
                                          result.unknown_names);
  }
}

nlohmann::json ToJson(const std::string& store, bool dry_run, int exit_code,
                      const cache::GarbageCollectionResult& result) {
  nlohmann::json json = {{"schema", 1},
                         {"store", store},
                         {"dry_run", dry_run},
                         {"files_before", result.files_before},
                         {"bytes_before", result.bytes_before},
                         {"removed_files", result.removed_files},
                         {"removed_bytes", result.removed_bytes},
                         {"removed_results", result.removed_entries},
                         {"files_after", result.files_after},
                         {"bytes_after", result.bytes_after},
                         {"abandoned_files", result.abandoned.files},
                         {"used_meanwhile", result.used_meanwhile},
                         {"vanished", result.vanished},
                         {"failed", result.failed},
                         {"unknown_names", result.unknown_names},
                         {"exit_code", exit_code}};
  if (result.failed > 0) json["error"] = result.first_failure;
  return json;
}

int RunGc(const Environment& environment, const GcFlags& flags) {
  const auto fail = [&](const absl::Status& status) {
    return FailStoreCommand(environment, flags.common.json, status);
  };
  const absl::StatusOr<cache::CollectionLimits> limits = ParseCollectionOptions(flags.limits);
  if (!limits.ok()) return fail(limits.status());
  const absl::StatusOr<Store> store = RequireStore(environment, flags.common.store);
  if (!store.ok()) return fail(store.status());
  const absl::Time now = absl::Now();
  const absl::StatusOr<cache::GarbageCollectionResult> result =
      cache::CollectGarbage(store->path, {.max_size = limits->max_size,
                                          .max_age = limits->max_age,
                                          .dry_run = flags.dry_run,
                                          .now = now});
  if (!result.ok()) return fail(result.status());
  if (!flags.dry_run) {
    if (const auto schedule = ScheduleOf(FindStore(environment, flags.common.store))) {
      schedule->RecordCollection(now, result->bytes_after).IgnoreError();
    }
  }
  const int exit_code = result->failed == 0 ? kSuccess : kProgramError;
  if (flags.common.json) {
    PrintJson(environment.out, ToJson(store->path, flags.dry_run, exit_code, *result));
    return exit_code;
  }
  PrintText(environment, store->path, flags.dry_run, *result);
  if (result->failed > 0) {
    environment.err << absl::StreamFormat("ingot: error: %d files could not be removed: %s\n",
                                          result->failed, result->first_failure);
  }
  return exit_code;
}

}  // namespace

void AddCacheGcCommand(CLI::App& cache, const Environment& environment, int& exit_code) {
  CLI::App* command = cache.add_subcommand("gc", "Remove what was used least recently");
  auto flags = std::make_shared<GcFlags>();
  AddStoreCommandFlags(*command, flags->common);
  AddCollectionOptions(*command, flags->limits);
  command->add_flag("--dry-run", flags->dry_run, "Say what would go, and change nothing");
  command->footer(
      "Examples:\n"
      "  ingot cache gc\n"
      "  ingot cache gc --max_size=2G --dry-run\n"
      "  ingot cache gc --max_size=0 --max_age=30d\n\n"
      "Above --max_size, results go until the store is a tenth below it. It is safe while others\n"
      "compile, and for a folder that Bazel uses as its --disk_cache. Compilations that store\n"
      "something do the same when it is due.\n\n"
      "Exit codes: 0 done; 1 another collection is running, or some files could not be removed;\n"
      "2 usage.");
  command->callback([&environment, &exit_code, flags] { exit_code = RunGc(environment, *flags); });
}

}  // namespace ingot::driver
