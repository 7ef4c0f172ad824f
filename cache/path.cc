#include "cache/path.h"

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cache/utf8.h"

namespace ingot::cache {
namespace {

constexpr size_t kMaximumLength = 4096;  // Linux's PATH_MAX; also bounds the depth of a tree

}  // namespace

absl::Status ValidateRelativePath(std::string_view path) {
  const auto invalid = [&](std::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("'", absl::CHexEscape(path.substr(0, 256)),
                                                   path.size() > 256 ? "…" : "", "' ", why));
  };
  if (path.empty()) return invalid("is not a path inside an Action: it is empty");
  if (path.size() > kMaximumLength) return invalid("is longer than 4096 bytes");
  if (!IsValidUtf8(path)) return invalid("is not valid UTF-8");
  if (path.find('\0') != std::string_view::npos) return invalid("holds a NUL byte");
  if (path.find('\\') != std::string_view::npos) {
    return invalid("holds a backslash; separate folders by '/'");
  }
  if (path.front() == '/') return invalid("is absolute; give a path relative to the input root");
  for (std::string_view segment : absl::StrSplit(path, '/')) {
    if (segment.empty()) return invalid("has an empty segment");
    if (segment == "." || segment == "..") return invalid("has a '.' or '..' segment");
  }
  return absl::OkStatus();
}

}  // namespace ingot::cache
