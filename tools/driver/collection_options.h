// How large a store may grow: the options, and keeping to them at the end of a command.
//
//   CollectionOptions options;
//   AddCollectionOptions(*command, options);                 // --max_size, --max_age
//   ...
//   ABSL_ASSIGN_OR_RETURN(CollectionLimits limits, ParseCollectionOptions(options));
//   ...                                                      // the command's work
//   if (auto warning = CollectIfDue(paths, limits, bytes_published)) Warn(*warning);

#ifndef INGOT_TOOLS_DRIVER_COLLECTION_OPTIONS_H_
#define INGOT_TOOLS_DRIVER_COLLECTION_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "cache/local/collection_schedule.h"
#include "tools/driver/option_table.h"
#include "tools/driver/store.h"

namespace ingot::driver {

// What a store may hold unless somebody says otherwise: some hundred thousand results, and less
// than anybody's disk.
inline constexpr std::string_view kDefaultMaxSize = "10G";

// The values of --max_size and --max_age. Must outlive the parsing of the command line they were
// added to.
struct CollectionOptions {
  std::optional<std::string> max_size;
  std::optional<std::string> max_age;
};

void AppendCollectionOptions(CollectionOptions& options, std::vector<OptionRow>& rows);
void AddCollectionOptions(CLI::App& command, CollectionOptions& options);

// What the options say; kDefaultMaxSize and no limit of age where they say nothing.
// InvalidArgument, naming the option, for a value that is no size or time.
absl::StatusOr<cache::CollectionLimits> ParseCollectionOptions(const CollectionOptions& options);

// To be called once at the end of a command that stored `bytes_written` bytes: adds them to the
// store's account and, if a collection is due, makes it, here and now. Does nothing at all for zero
// bytes, without a store or without a place for state. Returns what the user should be told, in a
// sentence, which is nothing if all went well: a collection is no news, and one by another process
// is as good as ours.
std::optional<std::string> CollectIfDue(const StorePaths& paths,
                                        const cache::CollectionLimits& limits,
                                        int64_t bytes_written);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_COLLECTION_OPTIONS_H_
