#include "cache/local/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/cleanup/cleanup.h"

namespace ingot::cache {
namespace {

// Deeper than any folder of a store; each level holds a file descriptor.
constexpr int kMaximumDepth = 64;

// A writer that found the folder before it was put aside may add a file after it was listed.
constexpr int kPasses = 5;

void Note(int error, Removed& removed) {
  if (removed.first_error == 0) removed.first_error = error;
}

bool Remove(int parent, const std::string& name, int depth, int64_t& budget, Removed& removed);

// Removes what the folder open as `folder` holds. True if nothing was left when it was listed.
bool RemoveContents(DIR* folder, int depth, int64_t& budget, Removed& removed) {
  bool empty = true;
  while (const dirent* entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (!Remove(dirfd(folder), entry->d_name, depth, budget, removed)) empty = false;
    if (budget <= 0) return false;
  }
  return empty;
}

bool RemoveFolder(int parent, const std::string& name, int depth, int64_t& budget,
                  Removed& removed) {
  if (depth >= kMaximumDepth) {
    Note(ELOOP, removed);
    return false;
  }
  const int fd = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return true;
    Note(errno, removed);
    return false;
  }
  DIR* folder = fdopendir(fd);
  if (folder == nullptr) {
    Note(errno, removed);
    close(fd);
    return false;
  }
  const absl::Cleanup close_folder = [folder] { closedir(folder); };
  for (int pass = 0; pass < kPasses; ++pass) {
    rewinddir(folder);
    if (!RemoveContents(folder, depth + 1, budget, removed)) return false;
    if (budget <= 0) return false;
    --budget;
    if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
    if (errno != ENOTEMPTY && errno != EEXIST) break;
  }
  Note(errno, removed);
  return false;
}

bool Remove(int parent, const std::string& name, int depth, int64_t& budget, Removed& removed) {
  if (budget <= 0) return false;
  struct stat status;
  if (fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return true;
    Note(errno, removed);
    return false;
  }
  if (S_ISDIR(status.st_mode)) return RemoveFolder(parent, name, depth, budget, removed);
  --budget;
  if (unlinkat(parent, name.c_str(), 0) == 0) {
    ++removed.files;
    removed.bytes += status.st_size;
    return true;
  }
  if (errno == ENOENT) return true;
  Note(errno, removed);
  return false;
}

}  // namespace

bool RemoveTree(int parent, const std::string& name, int64_t& budget, Removed& removed) {
  return Remove(parent, name, 0, budget, removed);
}

}  // namespace ingot::cache
