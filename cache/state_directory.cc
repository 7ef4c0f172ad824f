#include "cache/state_directory.h"

#include <limits.h>
#include <stdlib.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/digest.h"

namespace ingot::cache {
namespace {

// XDG Base Directory Specification 0.8: an unset or empty variable means the default; a relative
// one is invalid and to be ignored.
absl::StatusOr<std::string> BaseDirectory(EnvironmentLookup environment, std::string_view variable,
                                          std::string_view default_below_home) {
  std::optional<std::string> base = environment(variable);
  if (base.has_value() && absl::StartsWith(*base, "/")) return *base;
  std::optional<std::string> home = environment("HOME");
  if (home.has_value() && absl::StartsWith(*home, "/")) {
    return absl::StrCat(*home == "/" ? "" : *home, "/", default_below_home);
  }
  return absl::FailedPreconditionError(
      absl::StrCat("neither ", variable, " nor HOME is set to an absolute path; set one of them"));
}

// `path` with what exists of it resolved. A loop, since a path may have more parts than a stack has
// room for.
std::string RealPath(std::string path) {
  std::string missing;
  char resolved[PATH_MAX];
  while (realpath(path.c_str(), resolved) == nullptr) {
    const size_t end = path.find_last_not_of('/');
    if (end == std::string::npos || path == ".") return path + missing;
    path.resize(end + 1);
    const size_t slash = path.rfind('/');
    const size_t name = slash == std::string::npos ? 0 : slash + 1;
    missing.insert(0, "/" + path.substr(name));
    path.resize(name);
    if (path.empty()) path = ".";
  }
  const std::string_view base = resolved;
  return absl::StrCat(base == "/" && !missing.empty() ? "" : base, missing);
}

}  // namespace

absl::StatusOr<std::string> DefaultStorePath(EnvironmentLookup environment) {
  ABSL_ASSIGN_OR_RETURN(const std::string base,
                        BaseDirectory(environment, "XDG_CACHE_HOME", ".cache"));
  return absl::StrCat(base, "/ingot");
}

absl::StatusOr<std::string> DefaultStatePath(EnvironmentLookup environment) {
  ABSL_ASSIGN_OR_RETURN(const std::string base,
                        BaseDirectory(environment, "XDG_STATE_HOME", ".local/state"));
  return absl::StrCat(base, "/ingot");
}

std::string StateFolderOfStore(std::string_view state_path, std::string_view store_path) {
  const Digest digest = Sha256(RealPath(std::string(store_path)));
  return absl::StrCat(state_path, "/store-", std::string_view(digest.hash).substr(0, 16));
}

}  // namespace ingot::cache
