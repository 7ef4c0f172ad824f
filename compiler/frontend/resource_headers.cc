#include "compiler/frontend/resource_headers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

namespace ingot::compiler {
namespace {

struct Entry {
  llvm::StringRef path;      // below kResourceDirectory
  llvm::StringRef contents;  // a zero byte follows
};

// Sorted by path.
constexpr Entry kEntries[] = {
#include "compiler/frontend/resource_headers.inc"
};

// The first entry that is not before `path`, or the end.
const Entry* FirstFrom(llvm::StringRef path) {
  return std::lower_bound(
      std::begin(kEntries), std::end(kEntries), path,
      [](const Entry& one, llvm::StringRef wanted) { return one.path < wanted; });
}

uint64_t NumberOf(const Entry* entry) {
  return static_cast<uint64_t>(entry - std::begin(kEntries)) + 1;
}

}  // namespace

bool IsResourcePath(llvm::StringRef path) {
  return path.consume_front(kResourceDirectory) && (path.empty() || path.starts_with("/"));
}

std::optional<ResourceHeader> FindResourceHeader(llvm::StringRef path) {
  llvm::SmallString<128> plain = path;
  llvm::sys::path::remove_dots(plain, /*remove_dot_dot=*/true, llvm::sys::path::Style::posix);
  llvm::StringRef name = plain;
  if (!name.consume_front(kResourceDirectory)) return std::nullopt;
  name.consume_front("/");
  const Entry* entry = FirstFrom(name);
  if (entry != std::end(kEntries) && entry->path == name) {
    return ResourceHeader{.contents = entry->contents, .number = NumberOf(entry)};
  }
  llvm::SmallString<128> folder = name;
  if (!name.empty()) folder += "/";
  entry = FirstFrom(folder);
  if (entry == std::end(kEntries) || !entry->path.starts_with(folder)) return std::nullopt;
  // A directory is told from others by its first file and how far above that it is.
  return ResourceHeader{.is_directory = true, .number = (NumberOf(entry) << 16) + folder.size()};
}

}  // namespace ingot::compiler
