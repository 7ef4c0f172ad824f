#include "tools/driver/dependency_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

bool IsStillAbsent(const Absence& absence, const std::vector<HostRoot>& roots) {
  const std::string path = compiler::HostPath(absence.requested, roots);
  if (path.empty()) return false;
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0) return absence.directory && S_ISDIR(status.st_mode);
  return errno == ENOENT || errno == ENOTDIR;
}

bool AreStillAbsent(const Dependencies& record, const std::vector<HostRoot>& roots) {
  return std::all_of(record.absences.begin(), record.absences.end(),
                     [&](const Absence& absence) { return IsStillAbsent(absence, roots); });
}

}  // namespace

std::optional<Dependencies> Refresh(const Dependencies& record,
                                    const std::vector<HostRoot>& roots) {
  if (!AreStillAbsent(record, roots)) return std::nullopt;
  Dependencies now = record;
  for (ReadFile& file : now.files) {
    const std::string path = compiler::HostPath(file.requested, roots);
    struct stat status = {};
    if (path.empty() || stat(path.c_str(), &status) != 0) return std::nullopt;
    if (IdentityOf(status) != file.identity && !Reread(path, file)) return std::nullopt;
  }
  return now;
}

bool IsCurrent(const Dependencies& record, const std::vector<HostRoot>& roots) {
  return AreStillAbsent(record, roots) &&
         std::all_of(record.files.begin(), record.files.end(), [&](const ReadFile& file) {
           const std::string path = compiler::HostPath(file.requested, roots);
           struct stat status = {};
           return !path.empty() && stat(path.c_str(), &status) == 0 &&
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
