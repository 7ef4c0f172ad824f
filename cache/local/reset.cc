#include "cache/local/reset.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cache/local/file.h"
#include "cache/local/layout.h"

namespace ingot::cache {

absl::StatusOr<Removed> ResetStore(const std::string& root) {
  ABSL_RETURN_IF_ERROR(CheckHasShapeOfStore(root));
  const std::string temporary_folder = absl::StrCat(root, "/tmp");
  Removed removed;
  absl::Status moved = absl::OkStatus();
  std::vector<std::string> put_aside;
  std::vector<int> locks;
  const absl::Cleanup give_back = [&locks] {
    for (const int fd : locks) close(fd);
  };
  for (const char* kind : {"/ac", "/cas"}) {
    const std::string path = root + kind;
    // The lock tells those who clean up that the folder is being taken care of.
    const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) continue;
    if (fd >= 0) {
      locks.push_back(fd);
      (void)flock(fd, LOCK_EX | LOCK_NB);
    }
    if (moved = MakeFolders(temporary_folder, 0777); !moved.ok()) break;
    ABSL_ASSIGN_OR_RETURN(std::string name, RandomTemporaryName());
    if (rename(path.c_str(), absl::StrCat(temporary_folder, "/", name).c_str()) == 0) {
      put_aside.push_back(std::move(name));
    } else if (errno != ENOENT) {  // another reset was faster
      moved = FileError(errno, "move away", path);
      break;
    }
  }

  int64_t budget = std::numeric_limits<int64_t>::max();
  const int folder = open(temporary_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const absl::Cleanup close_folder = [folder] {
    if (folder >= 0) close(folder);
  };
  std::string left;
  for (const std::string& name : put_aside) {
    if (!RemoveTree(folder, name, budget, removed) && left.empty()) left = name;
  }
  if (!moved.ok()) return moved;
  if (!left.empty()) {
    return FileError(removed.first_error == 0 ? ENOTEMPTY : removed.first_error,
                     "delete all of what was the store, in",
                     absl::StrCat(temporary_folder, "/", left));
  }
  // What an earlier reset could not finish.
  const Removed abandoned =
      RemoveAbandonedFiles(temporary_folder, absl::Now(), std::numeric_limits<int64_t>::max());
  removed.files += abandoned.files;
  removed.bytes += abandoned.bytes;
  return removed;
}

}  // namespace ingot::cache
