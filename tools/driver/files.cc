#include "tools/driver/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace ingot::driver {
namespace {

// An error of the system about a file. All are alike to callers: the user's files, whatever the
// reason.
absl::Status FileError(int error, std::string_view what, std::string_view path) {
  const absl::Status status = absl::ErrnoToStatus(error, absl::StrCat(what, " ", path));
  // Some errors of the system, such as a name that is too long, would pass for usage errors or our
  // own.
  const bool usual = absl::IsNotFound(status) || absl::IsPermissionDenied(status);
  return usual ? status : absl::FailedPreconditionError(status.message());
}

absl::Status WriteAll(int fd, std::string_view contents, std::string_view path) {
  while (!contents.empty()) {
    const ssize_t written = write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError(errno, "cannot write", path);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status ReadAll(int fd, std::size_t size_hint, std::string_view path, std::string& contents) {
  // One byte more than a regular file's size, so that its end is seen without growing the buffer.
  contents.resize(size_hint + 1);
  std::size_t length = 0;
  while (true) {
    if (length == contents.size()) contents.resize(contents.size() * 2);
    const ssize_t got = read(fd, contents.data() + length, contents.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(errno, "cannot read", path);
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  contents.resize(length);
  return absl::OkStatus();
}

absl::Status WriteInPlace(const std::string& path, std::string_view contents) {
  const int fd = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return FileError(errno, "cannot write", path);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  return WriteAll(fd, contents, path);
}

// The file that `path` means once all links are followed; it need not exist. The system's own limit
// on links applies.
absl::StatusOr<std::string> FollowLinks(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::filesystem::path target = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) return target.string();  // no link, or nothing at all
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return FileError(ELOOP, "cannot write", path);
}

// A name for a temporary file beside `target`: short, since `target` may be as long as a name can
// be.
std::string TemporaryBeside(const std::string& target) {
  return (std::filesystem::path(target).parent_path() / ".ingot-XXXXXX").string();
}

// Renames `temporary` to `target`. Over a file that exists, a plain rename makes ext4 write the new
// file out first (its auto_da_alloc option), a quarter of a millisecond that a hit does not have;
// an exchange does not.
bool Replace(const std::string& temporary, const std::string& target) {
  if (renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
    unlink(temporary.c_str());
    return true;
  }
  return rename(temporary.c_str(), target.c_str()) == 0;
}

}  // namespace

mode_t NewFileMode() {
  static const mode_t mode = [] {
    const mode_t mask = umask(0);
    umask(mask);
    return static_cast<mode_t>(0666 & ~mask);
  }();
  return mode;
}

absl::StatusOr<std::string> ReadInput(const std::string& path) {
  std::string contents;
  constexpr std::size_t kPipeBuffer = 65536;
  if (path == "-") {
    if (absl::Status status = ReadAll(STDIN_FILENO, kPipeBuffer, "standard input", contents);
        !status.ok()) {
      return status;
    }
    return contents;
  }
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileError(errno, "cannot read", path);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  struct stat info = {};
  if (fstat(fd, &info) != 0) return FileError(errno, "cannot read", path);
  if (S_ISDIR(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read ", path, ": it is a folder; name the files in it"));
  }
  const std::size_t size =
      S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : kPipeBuffer;
  if (absl::Status status = ReadAll(fd, size, path, contents); !status.ok()) return status;
  return contents;
}

absl::Status WriteOutput(const std::string& path, std::string_view contents) {
  if (path == "-") return WriteAll(STDOUT_FILENO, contents, "standard output");
  const absl::StatusOr<std::string> followed = FollowLinks(path);
  if (!followed.ok()) return followed.status();
  const std::string& target = *followed;
  mode_t mode = NewFileMode();
  struct stat info = {};
  const bool exists = stat(target.c_str(), &info) == 0;
  if (exists) {
    if (S_ISDIR(info.st_mode)) {
      return absl::FailedPreconditionError(absl::StrCat("cannot write ", path, ": it is a folder"));
    }
    if (!S_ISREG(info.st_mode)) return WriteInPlace(target, contents);
    // A rename would get past a file's own write protection.
    if (access(target.c_str(), W_OK) != 0) return FileError(errno, "cannot write", path);
    mode = info.st_mode & 07777;
  }
  std::string temporary = TemporaryBeside(target);
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    // A folder that takes no new file may still hold one that can be written.
    if (exists && (error == EACCES || error == EROFS)) return WriteInPlace(target, contents);
    const std::filesystem::path parent = std::filesystem::path(target).parent_path();
    std::error_code ignored;
    if (error == ENOENT && !parent.empty() && !std::filesystem::exists(parent, ignored)) {
      return absl::NotFoundError(absl::StrCat("cannot write ", path, ": the folder ",
                                              parent.string(), " does not exist; create it first"));
    }
    return FileError(error, "cannot write", path);
  }
  absl::Status status = WriteAll(fd, contents, path);
  if (status.ok() && fchmod(fd, mode) != 0) status = FileError(errno, "cannot write", path);
  if (close(fd) != 0 && status.ok()) status = FileError(errno, "cannot write", path);
  if (status.ok() && !Replace(temporary, target)) status = FileError(errno, "cannot write", path);
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

}  // namespace ingot::driver
