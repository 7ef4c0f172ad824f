#include "tools/driver/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/local/bounded_wait.h"

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

// Clang's and LLVM's places in a source have 31 bits.
constexpr std::size_t kMostSourceBytes = (std::size_t{1} << 31) - 1;

// A device need not have an end.
constexpr std::size_t kMostPipeBytes = std::size_t{256} << 20;

absl::Status TooLarge(std::string_view path, std::size_t most) {
  return absl::FailedPreconditionError(absl::StrCat("cannot read ", path, ": it has more than ",
                                                    most >> 20, " MiB, which no source has"));
}

absl::Status ReadAll(int fd, std::size_t size_hint, std::size_t most, std::string_view path,
                     std::string& contents) {
  if (size_hint > most) return TooLarge(path, most);
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
    if (length > most) return TooLarge(path, most);
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

// The start of the names of temporary files for `target`, beside it. The same for one target at all
// times, so that what a killed process may leave is found. Short, since `target` may be as long as
// a name can be.
std::string TemporaryBeside(const std::filesystem::path& target) {
  const std::string digest = cache::Sha256(target.filename().string()).hash;
  return (target.parent_path() / absl::StrCat(".ingot-", digest.substr(0, 16))).string();
}

// A lock on a folder, for the few microseconds in which a name in it is in use. Advisory and
// bounded: who does not get it does without.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr absl::Duration kMostWait = absl::Milliseconds(50);
    constexpr absl::Duration kPause = absl::Microseconds(50);
    if (fd_ < 0) return;
    (void)cache::TryFor(kMostWait, kPause, kPause, [this] {
      held_ = flock(fd_, LOCK_EX | LOCK_NB) == 0;
      return held_ || (errno != EWOULDBLOCK && errno != EINTR);
    });
  }
  ~FolderLock() {
    if (fd_ >= 0) close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  bool held() const { return held_; }

 private:
  int fd_;
  bool held_ = false;
};

// Removes files of `folder` whose names start with `prefix` and that nobody has written to for an
// hour, which no writer takes.
void RemoveAbandoned(const std::filesystem::path& folder, const std::string& prefix) {
  constexpr time_t kAbandonedAfterSeconds = 3600;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder.empty() ? "." : folder, error), end;
       !error && it != end; it.increment(error)) {
    struct stat info = {};
    if (it->path().filename().string().starts_with(prefix) &&
        lstat(it->path().c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
        time(nullptr) - info.st_mtim.tv_sec > kAbandonedAfterSeconds) {
      unlink(it->path().c_str());
    }
  }
}

// A new file that is being written: if `nameless`, without a name where the file system can do that
// (O_TMPFILE), so that nothing is left of it if this process dies.
class NewFile {
 public:
  // `temporary` is what TemporaryBeside() gives for the target.
  NewFile(std::string temporary, mode_t mode, bool nameless) : temporary_(std::move(temporary)) {
    const std::filesystem::path parent = std::filesystem::path(temporary_).parent_path();
    folder_ = parent.empty() ? "." : parent.string();
    if (nameless) fd_ = open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (!nameless || (fd_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))) {
      RemoveAbandoned(folder_, std::filesystem::path(temporary_).filename().string());
      named_ = NextName([&](const std::string& name) {
                 fd_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
                 return fd_ >= 0;
               }) == 0;
    }
  }
  ~NewFile() {
    if (fd_ >= 0) close(fd_);
    if (named_) unlink(temporary_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int fd() const { return fd_; }

  // After MoveTo() has failed, whether this is because no name at all could be given.
  bool is_nameless() const { return fd_ >= 0 && !named_; }

  // Gives the complete file the name `target`, replacing what has it. Returns 0 or an errno.
  int MoveTo(const std::string& target, bool exists) {
    if (named_) {
      // Some file systems report a failed write only here.
      if (close(std::exchange(fd_, -1)) != 0) return errno;
      return Replace(target);
    }
    if (!exists) {
      if (Link(target)) return 0;
      if (errno != EEXIST) return errno;
    }
    // A rename needs a name to start from. Under the lock that name is nobody else's, and a file
    // that has it was left by a process that was killed.
    const FolderLock lock(folder_);
    if (lock.held()) {
      if (!Link(temporary_)) {
        if (errno != EEXIST) return errno;
        unlink(temporary_.c_str());
        if (!Link(temporary_)) return errno;
      }
      named_ = true;
      return Replace(target);
    }
    const int error = NextName([&](const std::string& name) { return Link(name); });
    if (error != 0) return error;
    named_ = true;
    return Replace(target);
  }

 private:
  // Numbers `temporary_` so that `create`, which sets errno, succeeds. Returns 0 or an errno.
  int NextName(absl::FunctionRef<bool(const std::string&)> create) {
    constexpr int kMostAtOnce = 1000;
    const std::string stem = temporary_ + "-";
    for (int number = 0; number < kMostAtOnce; ++number) {
      temporary_ = absl::StrCat(stem, number);
      if (create(temporary_)) return 0;
      if (errno != EEXIST) break;
    }
    return errno;
  }

  bool Link(const std::string& name) const {
    // The one way to name a file without a name that needs no privilege (open(2), O_TMPFILE).
    return linkat(AT_FDCWD, absl::StrCat("/proc/self/fd/", fd_).c_str(), AT_FDCWD, name.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
  }

  // Over a file that exists, a plain rename makes ext4 write the new file out first (its
  // auto_da_alloc option), a quarter of a millisecond that a hit does not have; an exchange does
  // not.
  int Replace(const std::string& target) {
    if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
      unlink(temporary_.c_str());
    } else if (rename(temporary_.c_str(), target.c_str()) != 0) {
      return errno;
    }
    named_ = false;
    return 0;
  }

  std::string temporary_;
  std::string folder_;
  int fd_ = -1;
  bool named_ = false;  // the file has the name `temporary_`
};

}  // namespace

absl::StatusOr<std::string> ReadInput(const std::string& path) {
  std::string contents;
  constexpr std::size_t kPipeBuffer = 65536;
  if (path == "-") {
    if (absl::Status status =
            ReadAll(STDIN_FILENO, kPipeBuffer, kMostPipeBytes, "standard input", contents);
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
  const bool is_regular = S_ISREG(info.st_mode);
  const std::size_t size = is_regular ? static_cast<std::size_t>(info.st_size) : kPipeBuffer;
  if (absl::Status status =
          ReadAll(fd, size, is_regular ? kMostSourceBytes : kMostPipeBytes, path, contents);
      !status.ok()) {
    return status;
  }
  return contents;
}

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return a != "-" && b != "-" && std::filesystem::equivalent(a, b, error) && !error;
}

absl::Status WriteOutput(const std::string& path, std::string_view contents) {
  if (path == "-") return WriteAll(STDOUT_FILENO, contents, "standard output");
  const absl::StatusOr<std::string> followed = FollowLinks(path);
  if (!followed.ok()) return followed.status();
  const std::string& target = *followed;
  struct stat info = {};
  const bool exists = stat(target.c_str(), &info) == 0;
  if (exists) {
    if (S_ISDIR(info.st_mode)) {
      return absl::FailedPreconditionError(absl::StrCat("cannot write ", path, ": it is a folder"));
    }
    if (!S_ISREG(info.st_mode)) return WriteInPlace(target, contents);
    // A rename would get past a file's own write protection.
    if (access(target.c_str(), W_OK) != 0) return FileError(errno, "cannot write", path);
  }
  for (const bool nameless : {true, false}) {
    NewFile file(TemporaryBeside(target), 0666, nameless);
    if (file.fd() < 0) {
      const int error = errno;
      // A folder that takes no new file may still hold one that can be written.
      if (exists && (error == EACCES || error == EROFS)) return WriteInPlace(target, contents);
      const std::filesystem::path parent = std::filesystem::path(target).parent_path();
      std::error_code ignored;
      if (error == ENOENT && !parent.empty() && !std::filesystem::exists(parent, ignored)) {
        return absl::NotFoundError(absl::StrCat("cannot write ", path, ": the folder ",
                                                parent.string(),
                                                " does not exist; create it first"));
      }
      return FileError(error, "cannot write", path);
    }
    if (absl::Status status = WriteAll(file.fd(), contents, path); !status.ok()) return status;
    if (exists && fchmod(file.fd(), info.st_mode & 07777) != 0) {
      return FileError(errno, "cannot write", path);
    }
    const int error = file.MoveTo(target, exists);
    if (error == 0) return absl::OkStatus();
    // Where there is no /proc, or a security module forbids it, nothing can be given a name later.
    if (!nameless || !file.is_nameless()) return FileError(error, "cannot write", path);
  }
  return absl::OkStatus();
}

}  // namespace ingot::driver
