#include "tools/driver/work_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;

// Tells our folders from whatever else is in a folder that somebody named with --state_dir: there,
// `work` may be the user's own.
constexpr std::string_view kPrefix = "ingot-";

int OpenAndLock(const std::string& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    // A file system without flock cannot tell a dead owner from a living one, so it counts as
    // living.
    close(fd);
    return -1;
  }
  return fd;
}

void RemoveAbandoned(const std::string& parent) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    const std::string path = entry.path().string();
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const int fd = OpenAndLock(path);
    if (fd < 0) continue;
    fs::remove_all(path, error);
    close(fd);
  }
}

}  // namespace

absl::StatusOr<WorkDirectory> WorkDirectory::Create(const std::string& parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) {
    return absl::FailedPreconditionError(absl::StrCat("cannot create the folder ", parent, ": ",
                                                      error.message(),
                                                      "; name another with --state_dir"));
  }
  RemoveAbandoned(parent);
  // A process that cleans up may lock a new folder before its owner does and remove it; then the
  // owner makes another.
  constexpr int kAttempts = 16;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string path = absl::StrCat(parent, "/", kPrefix, "XXXXXX");
    if (mkdtemp(path.data()) == nullptr) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot create a folder in ", parent,
                                                     " (--state_dir names another)"));
    }
    const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) continue;
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    struct stat here = {};
    struct stat opened = {};
    const bool still_there = fstat(fd, &opened) == 0 && stat(path.c_str(), &here) == 0 &&
                             here.st_ino == opened.st_ino && here.st_dev == opened.st_dev;
    if ((locked || errno == ENOLCK || errno == EOPNOTSUPP) && still_there) {
      return WorkDirectory(std::move(path), fd);
    }
    close(fd);
  }
  return absl::UnavailableError(
      absl::StrCat("cannot keep a folder in ", parent, ": other processes remove it"));
}

WorkDirectory::WorkDirectory(WorkDirectory&& other) noexcept
    : path_(std::exchange(other.path_, std::string())),
      lock_fd_(std::exchange(other.lock_fd_, -1)) {}

WorkDirectory::~WorkDirectory() {
  if (!path_.empty()) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  if (lock_fd_ >= 0) close(lock_fd_);
}

absl::Status WorkDirectory::KeepAs(const std::string& destination) && {
  std::error_code error;
  fs::create_directories(fs::path(destination).parent_path(), error);
  fs::remove_all(destination, error);
  fs::rename(path_, destination, error);
  // Another process with the same crash was faster: its folder is as good as this one.
  if (error && fs::is_directory(destination)) return absl::OkStatus();
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot keep ", path_, " as ", destination, ": ", error.message()));
  }
  path_.clear();
  return absl::OkStatus();
}

}  // namespace ingot::driver
