#include "tools/driver/store_command.h"

#include <optional>
#include <utility>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"
#include "tools/driver/store.h"

namespace ingot::driver {

void AddStoreCommandFlags(CLI::App& command, StoreCommandFlags& flags) {
  AddStoreOptions(command, flags.store);
  command.add_flag("--json", flags.json, "Show it as JSON");
}

absl::StatusOr<Store> RequireStore(const Environment& environment, const StoreOptions& options) {
  const StorePaths paths = FindStore(environment, options);
  std::optional<Store> store = OpenStore(paths);
  if (store.has_value()) return *std::move(store);
  return absl::InvalidArgumentError(absl::StrCat(
      "no store: ", paths.store_problem.empty() ? "--disk_cache is empty" : paths.store_problem));
}

int FailStoreCommand(const Environment& environment, bool json, const absl::Status& status) {
  const int exit_code = ExitCodeFor(status);
  if (json) {
    PrintJson(environment.out,
              {{"schema", 1}, {"error", status.message()}, {"exit_code", exit_code}});
  } else {
    environment.err << "ingot: error: " << status.message() << "\n";
  }
  return exit_code;
}

}  // namespace ingot::driver
