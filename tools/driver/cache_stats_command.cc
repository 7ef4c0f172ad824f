#include "tools/driver/cache_stats_command.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "cache/counters.h"
#include "nlohmann/json.hpp"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"
#include "tools/driver/quantity.h"
#include "tools/driver/store.h"
#include "tools/driver/store_command.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;

struct FolderSize {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

// Files that vanish while they are counted are not there; that is all there is to say about them.
FolderSize Measure(const fs::path& folder) {
  FolderSize size;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code vanished;
    if (!it->is_regular_file(vanished) || vanished) continue;
    const uintmax_t bytes = it->file_size(vanished);
    if (vanished) continue;
    ++size.files;
    size.bytes += bytes;
  }
  return size;
}

struct StatsFlags : StoreCommandFlags {
  bool zero = false;
};

absl::StatusOr<cache::CounterValues> ReadOrZero(std::optional<cache::Counters>& counters,
                                                bool zero) {
  if (!counters.has_value()) return cache::CounterValues();
  return zero ? counters->Zero() : counters->Read();
}

int RunStats(const Environment& environment, const StatsFlags& flags) {
  absl::StatusOr<Store> store = RequireStore(environment, flags.store);
  if (!store.ok()) return FailStoreCommand(environment, flags.json, store.status());
  const absl::StatusOr<cache::CounterValues> counters = ReadOrZero(store->counters, flags.zero);
  const int exit_code = ExitCodeFor(counters.status());
  const FolderSize results = Measure(fs::path(store->path) / "ac");
  const FolderSize blobs = Measure(fs::path(store->path) / "cas");
  if (flags.json) {
    nlohmann::json json = {{"schema", 1},
                           {"store", store->path},
                           {"results", results.files},
                           {"blobs", blobs.files},
                           {"bytes", results.bytes + blobs.bytes},
                           {"zeroed", flags.zero && counters.ok()},
                           {"exit_code", exit_code}};
    if (counters.ok()) {
      json["misses"] = counters->Misses();
      for (const cache::Counter counter : cache::AllCounters()) {
        json["counters"][std::string(cache::CounterName(counter))] = (*counters)[counter];
      }
    } else {
      json["error"] = counters.status().message();
    }
    PrintJson(environment.out, json);
    return exit_code;
  }
  environment.out << "store          " << store->path << "\n"
                  << absl::StreamFormat("results        %d\nblobs          %d\n", results.files,
                                        blobs.files)
                  << "size           "
                  << FormatSize(static_cast<int64_t>(results.bytes + blobs.bytes)) << "\n";
  if (!counters.ok()) {
    environment.err << "ingot: error: the counters are not known: " << counters.status().message()
                    << "\n";
    return exit_code;
  }
  const uint64_t hits = (*counters)[cache::Counter::kHit];
  const uint64_t lookups = hits + counters->Misses();
  environment.out << absl::StreamFormat("lookups        %d", lookups);
  if (lookups > 0) {
    environment.out << absl::StreamFormat(
        " (%.1f %% hits)", 100.0 * static_cast<double>(hits) / static_cast<double>(lookups));
  }
  environment.out << "\n";
  for (const cache::Counter counter : cache::AllCounters()) {
    if ((*counters)[counter] == 0) continue;
    environment.out << absl::StreamFormat("  %-22s %d\n", cache::CounterName(counter),
                                          (*counters)[counter]);
  }
  if (flags.zero) environment.out << "The counters are zero from here on.\n";
  return kSuccess;
}

}  // namespace

void AddCacheStatsCommand(CLI::App& cache, const Environment& environment, int& exit_code) {
  CLI::App* command = cache.add_subcommand("stats", "Show what is stored, hits and misses");
  auto flags = std::make_shared<StatsFlags>();
  AddStoreCommandFlags(*command, *flags);
  command->add_flag("--zero", flags->zero, "Show the counters, then set them to zero");
  command->footer(
      "Examples:\n  ingot cache stats\n  ingot cache stats --disk_cache=/srv/cache --json\n"
      "  ingot cache stats --zero\n\n"
      "--zero empties no store. What others count meanwhile is in what is shown or in what\n"
      "is counted from then on, and nothing is in both.\n\n"
      "Exit codes: 0 shown; 1 the counters cannot be read or set, so only the sizes are; 2 usage.");
  command->callback(
      [&environment, &exit_code, flags] { exit_code = RunStats(environment, *flags); });
}

}  // namespace ingot::driver
