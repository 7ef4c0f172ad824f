#include "tools/driver/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
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

absl::Status WriteAll(int fd, std::string_view contents, std::string_view path) {
  while (!contents.empty()) {
    const ssize_t written = write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
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
    if (got < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  contents.resize(length);
  return absl::OkStatus();
}

absl::Status WriteInPlace(const std::string& path, std::string_view contents) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  const absl::Cleanup close_fd = [fd] { close(fd); };
  return WriteAll(fd, contents, path);
}

// The mode that a new file would get; there is no way to ask for the umask without setting it, and
// inputs of one request are compiled by several threads, so it is read once, before any starts.
mode_t NewFileMode() {
  static const mode_t mode = [] {
    const mode_t mask = umask(0);
    umask(mask);
    return static_cast<mode_t>(0666 & ~mask);
  }();
  return mode;
}

}  // namespace

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
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  const absl::Cleanup close_fd = [fd] { close(fd); };
  struct stat info = {};
  if (fstat(fd, &info) != 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
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
  std::string target = path;
  struct stat info = {};
  if (lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
    if (!error) target = real.string();
  }
  if (stat(target.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      return absl::FailedPreconditionError(absl::StrCat("cannot write ", path, ": it is a folder"));
    }
    if (!S_ISREG(info.st_mode)) return WriteInPlace(target, contents);
    // A rename would get past a file's own write protection.
    if (access(target.c_str(), W_OK) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
    }
  }
  const mode_t mode = NewFileMode();
  std::string temporary = absl::StrCat(target, ".ingot-XXXXXX");
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    const std::filesystem::path parent = std::filesystem::path(target).parent_path();
    std::error_code ignored;
    if (error == ENOENT && !parent.empty() && !std::filesystem::exists(parent, ignored)) {
      return absl::NotFoundError(absl::StrCat("cannot write ", path, ": the folder ",
                                              parent.string(), " does not exist; create it first"));
    }
    return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", path));
  }
  absl::Status status = WriteAll(fd, contents, path);
  if (status.ok() && fchmod(fd, mode) != 0) {
    status = absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  }
  if (close(fd) != 0 && status.ok()) {
    status = absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  }
  if (status.ok() && rename(temporary.c_str(), target.c_str()) != 0) {
    status = absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

}  // namespace ingot::driver
