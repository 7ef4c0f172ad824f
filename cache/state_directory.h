// Where things are kept unless somebody says otherwise: the store, and Ingot's own state beside it.
//
//   auto environment = [](std::string_view name) -> std::optional<std::string> { ... };
//   ABSL_ASSIGN_OR_RETURN(std::string store, DefaultStorePath(environment));   // ~/.cache/ingot
//   ABSL_ASSIGN_OR_RETURN(std::string state, DefaultStatePath(environment));   //
//   ~/.local/state/ingot std::string folder = StateFolderOfStore(state, store);  //
//   ~/.local/state/ingot/store-1f3d5b79…
//
// State is not in the store, because a store may be shared, read-only, or Bazel's, whose garbage
// collector counts and deletes every file it does not know.

#ifndef INGOT_CACHE_STATE_DIRECTORY_H_
#define INGOT_CACHE_STATE_DIRECTORY_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace ingot::cache {

// Gives the value of an environment variable, or nothing if it is not set. This library reads no
// environment itself.
using EnvironmentLookup = absl::FunctionRef<std::optional<std::string>(std::string_view name)>;

// `${XDG_CACHE_HOME}/ingot`, or `${HOME}/.cache/ingot` where that variable is unset, empty or, as
// the XDG Base Directory Specification demands, not absolute. FailedPrecondition if HOME is of no
// use either.
absl::StatusOr<std::string> DefaultStorePath(EnvironmentLookup environment);

// `${XDG_STATE_HOME}/ingot`, or `${HOME}/.local/state/ingot`, by the same rules.
absl::StatusOr<std::string> DefaultStatePath(EnvironmentLookup environment);

// The folder below `state_path` for what belongs to one store: "store-" and 16 hexadecimal digits
// of the SHA-256 of the store's real path, so that two names of one store share it. The store need
// not exist: the part of the path that does is resolved. Makes nothing.
std::string StateFolderOfStore(std::string_view state_path, std::string_view store_path);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_STATE_DIRECTORY_H_
