#include "tools/driver/dependency_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/file_digest_memo.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/plan/canonical_request.h"

namespace ingot::driver {
namespace {

using compiler::Absence;
using compiler::Dependencies;
using compiler::FileIdentity;
using compiler::HostRoot;
using compiler::ReadFile;

int64_t Nanoseconds(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileIdentity IdentityOf(const struct stat& status) {
  return {.device = static_cast<uint64_t>(status.st_dev),
          .inode = static_cast<uint64_t>(status.st_ino),
          .size = static_cast<uint64_t>(status.st_size),
          .mtime_ns = Nanoseconds(status.st_mtim),
          .ctime_ns = Nanoseconds(status.st_ctim)};
}

// Reads the file and fills in what it holds. False if that cannot be said.
bool Reread(const std::string& path, ReadFile& file) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  const absl::Cleanup close_file = [fd] { close(fd); };
  const absl::Time now = absl::Now();
  struct stat before = {};
  if (fstat(fd, &before) != 0 || !S_ISREG(before.st_mode)) return false;
  cache::Sha256Hasher hasher;
  std::vector<char> buffer(64 << 10);
  while (true) {
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    hasher.Update(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
  }
  struct stat after = {};
  file.identity = IdentityOf(before);
  if (fstat(fd, &after) != 0 || IdentityOf(after) != file.identity) return false;
  file.sha256 = std::move(hasher).Finish().hash;
  Dependencies one{.files = {std::move(file)}};
  file = std::move(Lasting(std::move(one), now).files.front());
  return true;
}

// The folders of the roots, opened when the first file below one is looked for: a lookup then walks
// only what follows it, and a record asks for thousands.
class RootFolders {
 public:
  explicit RootFolders(const std::vector<HostRoot>& roots) : roots_(roots) {}
  RootFolders(const RootFolders&) = delete;
  RootFolders& operator=(const RootFolders&) = delete;
  ~RootFolders() {
    for (const Folder& folder : folders_) close(folder.fd);
  }

  // stat() of what a record calls `requested`. 0, or what errno says.
  int Status(const std::string& requested, struct stat& status) {
    const compiler::RootedPath path = compiler::SplitRoot(requested);
    const int fd = path.rest.empty() || path.rest.front() == '/' ? -1 : FolderOf(path.root);
    if (fd >= 0) {
      const char* const rest = requested.c_str() + (requested.size() - path.rest.size());
      return fstatat(fd, rest, &status, 0) == 0 ? 0 : errno;
    }
    const std::string whole = compiler::HostPath(requested, roots_);
    if (whole.empty()) return EINVAL;
    return stat(whole.c_str(), &status) == 0 ? 0 : errno;
  }

  bool IsStillAbsent(const Absence& absence) {
    struct stat status = {};
    const int error = Status(absence.requested, status);
    if (error == 0) return absence.directory && S_ISDIR(status.st_mode);
    return error == ENOENT || error == ENOTDIR;
  }

  bool AreStillAbsent(const Dependencies& record) {
    return std::all_of(record.absences.begin(), record.absences.end(),
                       [&](const Absence& absence) { return IsStillAbsent(absence); });
  }

 private:
  struct Folder {
    std::string_view root;
    int fd;
  };

  // A process may have few descriptors, and several compilations at once: those of the first roots
  // that are used, which are those that most is found below.
  static constexpr std::size_t kMostOpen = 8;

  // -1 if the folder is not open and stays so.
  int FolderOf(std::string_view root) {
    for (const Folder& folder : folders_) {
      if (folder.root == root) return folder.fd;
    }
    if (folders_.size() == kMostOpen) return -1;
    const auto found = std::find_if(roots_.begin(), roots_.end(),
                                    [&](const HostRoot& one) { return one.root == root; });
    if (found == roots_.end()) return -1;
    const int fd = open(found->folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) folders_.push_back({found->root, fd});
    return fd;
  }

  const std::vector<HostRoot>& roots_;
  std::vector<Folder> folders_;
};

}  // namespace

std::optional<bool> Refresh(Dependencies& record, const std::vector<HostRoot>& roots) {
  RootFolders folders(roots);
  if (!folders.AreStillAbsent(record)) return std::nullopt;
  bool is_changed = false;
  for (ReadFile& file : record.files) {
    struct stat status = {};
    if (folders.Status(file.requested, status) != 0) return std::nullopt;
    if (IdentityOf(status) == file.identity) continue;
    const ReadFile before = file;
    if (!Reread(compiler::HostPath(file.requested, roots), file)) return std::nullopt;
    is_changed = is_changed || file != before;
  }
  return is_changed;
}

bool IsCurrent(const Dependencies& record, const std::vector<HostRoot>& roots) {
  RootFolders folders(roots);
  return folders.AreStillAbsent(record) &&
         std::all_of(record.files.begin(), record.files.end(), [&](const ReadFile& file) {
           struct stat status = {};
           return folders.Status(file.requested, status) == 0 &&
                  IdentityOf(status) == file.identity;
         });
}

Dependencies Lasting(Dependencies record, absl::Time read) {
  for (ReadFile& file : record.files) {
    const absl::Time changed =
        absl::FromUnixNanos(std::max(file.identity.mtime_ns, file.identity.ctime_ns));
    // No file has this time; device and inode still tell which names are one file.
    if (read - changed < cache::FileDigestMemo::kMinimumAge) file.identity.ctime_ns = 0;
  }
  return record;
}

}  // namespace ingot::driver
