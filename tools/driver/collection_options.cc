#include "tools/driver/collection_options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/local/collection_schedule.h"
#include "cache/local/garbage_collection.h"
#include "tools/driver/option_table.h"
#include "tools/driver/quantity.h"
#include "tools/driver/store.h"

namespace ingot::driver {
namespace {

absl::Status NameOption(std::string_view option, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(option, ": ", status.message()));
}

}  // namespace

void AppendCollectionOptions(CollectionOptions& options, std::vector<OptionRow>& rows) {
  static_assert(kDefaultMaxSize == "10G", "the help says so");
  rows.push_back({.names = "--max_size",
                  .value = &options.max_size,
                  .value_name = "SIZE",
                  .help = "What the store may grow to, like 500M or 10G; what was used least "
                          "recently goes first; 0: no limit (default 10G)",
                  .default_text = kDefaultMaxSize});
  rows.push_back({.names = "--max_age",
                  .value = &options.max_age,
                  .value_name = "TIME",
                  .help = "How long a result stays that nobody uses, like 30d or 12h; 0: no limit "
                          "(default 0)"});
}

void AddCollectionOptions(CLI::App& command, CollectionOptions& options) {
  std::vector<OptionRow> rows;
  AppendCollectionOptions(options, rows);
  AddOptions(command, rows);
}

absl::StatusOr<cache::CollectionLimits> ParseCollectionOptions(const CollectionOptions& options) {
  cache::CollectionLimits limits;
  const absl::StatusOr<int64_t> size =
      ParseSize(options.max_size.has_value() ? *options.max_size : kDefaultMaxSize);
  if (!size.ok()) return NameOption("--max_size", size.status());
  const absl::StatusOr<absl::Duration> age =
      ParseAge(options.max_age.has_value() ? *options.max_age : "0");
  if (!age.ok()) return NameOption("--max_age", age.status());
  limits.max_size = *size;
  limits.max_age = *age;
  return limits;
}

std::optional<std::string> CollectIfDue(const StorePaths& paths,
                                        const cache::CollectionLimits& limits,
                                        int64_t bytes_written) {
  if (bytes_written <= 0) return std::nullopt;
  const std::optional<cache::CollectionSchedule> schedule = ScheduleOf(paths);
  if (!schedule.has_value()) return std::nullopt;
  const absl::Time now = absl::Now();
  // State that cannot be written has been warned of where it matters more: counters.
  if (!schedule->AddWritten(bytes_written, now).ok() || !schedule->IsDue(limits, now)) {
    return std::nullopt;
  }
  const absl::StatusOr<cache::GarbageCollectionResult> result = cache::CollectGarbage(
      paths.store, {.max_size = limits.max_size, .max_age = limits.max_age, .now = now});
  if (absl::IsUnavailable(result.status()) || absl::IsNotFound(result.status())) {
    return std::nullopt;
  }
  if (!result.ok()) {
    // As one in vain, or every command would try again.
    schedule->RecordCollection(now, limits.max_size + 1).IgnoreError();
    return absl::StrCat("the store cannot be kept below its limits: ", result.status().message());
  }
  schedule->RecordCollection(now, result->bytes_after).IgnoreError();
  if (result->failed == 0) return std::nullopt;
  return absl::StrCat(result->failed,
                      " files of the store could not be removed: ", result->first_failure);
}

}  // namespace ingot::driver
