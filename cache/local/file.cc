#include "cache/local/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/resize_and_overwrite.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace ingot::cache {
namespace {

// A garbage collector may remove an empty folder between our making it and our using it; it won't
// do so for ever.
constexpr int kFolderAttempts = 3;

std::string_view FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

constexpr std::string_view kTemporaryPrefix = "ingot-";

// 128 random bits: names of files being written must not meet, whichever machines share the store.
absl::StatusOr<std::string> RandomName() {
  char random[16];
  size_t filled = 0;
  while (filled < sizeof(random)) {
    const ssize_t count = getrandom(random + filled, sizeof(random) - filled, 0);
    if (count < 0 && errno != EINTR) return FileError(errno, "getrandom", "the system");
    if (count > 0) filled += static_cast<size_t>(count);
  }
  return absl::StrCat(kTemporaryPrefix,
                      absl::BytesToHexString(std::string_view(random, sizeof(random))));
}

absl::Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return FileError(errno, "write", path);
    }
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// Creates the new file `path` for writing, and its folder if that is missing.
absl::StatusOr<int> CreateFile(const std::string& path) {
  int error = 0;
  for (int attempt = 0; attempt < kFolderAttempts; ++attempt) {
    int fd;
    do {
      fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd >= 0) return fd;
    error = errno;
    if (error != ENOENT) break;
    ABSL_RETURN_IF_ERROR(MakeFolders(std::string(FolderOf(path)), 0777));
  }
  return FileError(error, "create", path);
}

// What a rename does about a file that has the name already.
enum class Existing { kReplace, kKeep };

int Rename(const std::string& from, const std::string& to, Existing existing) {
  if (existing == Existing::kKeep) {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    // Not every file system has it.
    if (errno != EINVAL && errno != ENOSYS) return errno;
  }
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

absl::Status RenameInto(const std::string& from, const std::string& to, Existing existing) {
  int error = 0;
  for (int attempt = 0; attempt < kFolderAttempts; ++attempt) {
    error = Rename(from, to, existing);
    if (error == 0) return absl::OkStatus();
    if (error == EEXIST) return absl::AlreadyExistsError(absl::StrCat(to, " is there already"));
    if (error == EISDIR) {
      // Somebody's folder has the name of a file of ours. It moves to where temporary things are,
      // out of the way.
      if (rename(to.c_str(), absl::StrCat(from, ".folder").c_str()) != 0) break;
      continue;
    }
    // ENOENT is also what a missing `from` gives; making the folder of `to` does no harm then.
    if (error != ENOENT) break;
    ABSL_RETURN_IF_ERROR(MakeFolders(std::string(FolderOf(to)), 0777));
  }
  return FileError(error, "rename a finished file to", to);
}

// `check` may be null; only a file that it accepts is touched.
absl::StatusOr<std::string> Read(const std::string& path, const ReadLimits& limits, Touch touch,
                                 const CheckBytes* check) {
  int fd;
  do {
    // O_NONBLOCK: a FIFO in the store's place for a file must not hang us; it means nothing for a
    // file.
    fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return FileError(errno, "open", path);
  absl::Cleanup close_file = [fd] { close(fd); };

  struct stat status;
  if (fstat(fd, &status) != 0) return FileError(errno, "stat", path);
  if (!S_ISREG(status.st_mode)) {
    return absl::DataLossError(absl::StrCat(path, " is not a regular file; delete it"));
  }
  if (limits.exact_size.has_value() && status.st_size != *limits.exact_size) {
    return absl::DataLossError(absl::StrCat(path, " is damaged: it has ", status.st_size,
                                            " bytes instead of ", *limits.exact_size));
  }
  if (status.st_size > limits.maximum_size) {
    return absl::DataLossError(absl::StrCat(path, " is damaged: its ", status.st_size,
                                            " bytes are more than the ", limits.maximum_size,
                                            " that are possible"));
  }

  std::string bytes;
  int error = 0;
  absl::StringResizeAndOverwrite(bytes, static_cast<size_t>(status.st_size),
                                 [&](char* buffer, size_t size) {
                                   size_t filled = 0;
                                   while (filled < size) {
                                     const ssize_t count = read(fd, buffer + filled, size - filled);
                                     if (count < 0 && errno == EINTR) continue;
                                     if (count < 0) error = errno;
                                     if (count <= 0) break;
                                     filled += static_cast<size_t>(count);
                                   }
                                   return filled;
                                 });
  if (error != 0) return FileError(error, "read", path);
  if (check != nullptr) {
    if (absl::Status checked = (*check)(bytes); !checked.ok()) {
      return absl::Status(checked.code(), absl::StrCat(path, " is damaged: ", checked.message()));
    }
  }
  if (touch == Touch::kNot) return bytes;
  // "Now", rather than a time of ours, is what others' files allow us. A store that we may only
  // read stays as it is.
  (void)futimens(fd, nullptr);
  return bytes;
}

absl::Status Write(const std::string& temporary_folder, std::span<const FileToWrite> files,
                   Durability durability, Existing existing) {
  struct Temporary {
    std::string path;
    int fd;
  };
  std::vector<Temporary> temporaries;
  // Closes what is open and removes what was not renamed.
  const absl::Cleanup clean_up = [&] {
    for (const Temporary& temporary : temporaries) {
      if (temporary.fd >= 0) close(temporary.fd);
      if (!temporary.path.empty()) unlink(temporary.path.c_str());
    }
  };
  temporaries.reserve(files.size());
  for (const FileToWrite& file : files) {
    ABSL_ASSIGN_OR_RETURN(const std::string name, RandomName());
    std::string path = absl::StrCat(temporary_folder, "/", name);
    ABSL_ASSIGN_OR_RETURN(const int fd, CreateFile(path));
    temporaries.push_back({std::move(path), fd});
    ABSL_RETURN_IF_ERROR(WriteAll(fd, file.bytes, temporaries.back().path));
  }
  for (Temporary& temporary : temporaries) {
    // Without this a power cut after the rename could leave a name for an empty file.
    if (durability == Durability::kSync && fsync(temporary.fd) != 0) {
      return FileError(errno, "sync", temporary.path);
    }
    // Some file systems report a failed write only here.
    if (close(std::exchange(temporary.fd, -1)) != 0 && errno != EINTR) {
      return FileError(errno, "close", temporary.path);
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    ABSL_RETURN_IF_ERROR(RenameInto(temporaries[i].path, files[i].path, existing));
    temporaries[i].path.clear();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FileError(int error_number, std::string_view operation, std::string_view path) {
  std::string message = absl::StrCat("cannot ", operation, " ", path);
  if (error_number == EIO) {
    return absl::DataLossError(absl::StrCat(message, ": the disk reports an I/O error"));
  }
  return absl::ErrnoToStatus(error_number, message);
}

absl::StatusOr<std::string> ReadCheckedFile(const std::string& path, const ReadLimits& limits,
                                            Touch touch, CheckBytes check) {
  return Read(path, limits, touch, &check);
}

absl::StatusOr<std::string> ReadFile(const std::string& path, const ReadLimits& limits) {
  return Read(path, limits, Touch::kNot, nullptr);
}

absl::StatusOr<int64_t> TouchFile(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return FileError(errno, "stat", path);
  if (!S_ISREG(status.st_mode)) {
    return absl::NotFoundError(absl::StrCat(path, " is not a regular file"));
  }
  (void)utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return static_cast<int64_t>(status.st_size);
}

absl::Status WriteFileAtomically(const std::string& temporary_folder, const std::string& path,
                                 std::string_view bytes, Durability durability) {
  const FileToWrite file = {path, bytes};
  return Write(temporary_folder, {&file, 1}, durability, Existing::kReplace);
}

absl::Status WriteNewFileAtomically(const std::string& temporary_folder, const std::string& path,
                                    std::string_view bytes, Durability durability) {
  const FileToWrite file = {path, bytes};
  return Write(temporary_folder, {&file, 1}, durability, Existing::kKeep);
}

absl::Status WriteFilesAtomically(const std::string& temporary_folder,
                                  std::span<const FileToWrite> files, Durability durability) {
  return Write(temporary_folder, files, durability, Existing::kReplace);
}

void RemoveAbandonedFiles(const std::string& temporary_folder, absl::Time now) {
  DIR* folder = opendir(temporary_folder.c_str());
  if (folder == nullptr) return;
  const absl::Cleanup close_folder = [folder] { closedir(folder); };
  while (const dirent* entry = readdir(folder)) {
    struct stat status;
    if (std::string_view(entry->d_name).starts_with(kTemporaryPrefix) &&
        fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && now - absl::TimeFromTimespec(status.st_mtim) > kAbandonedAfter) {
      unlinkat(dirfd(folder), entry->d_name, 0);
    }
  }
}

absl::Status MakeFolders(const std::string& path, unsigned int mode) {
  if (mkdir(path.c_str(), mode) == 0) return absl::OkStatus();
  int error = errno;
  if (error == ENOENT) {
    const std::string parent(FolderOf(path));
    if (parent == path || path.empty()) return FileError(error, "make folder", path);
    ABSL_RETURN_IF_ERROR(MakeFolders(parent, mode));
    if (mkdir(path.c_str(), mode) == 0) return absl::OkStatus();
    error = errno;
  }
  if (error == EEXIST) {
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(path, " is there but is not a folder"));
  }
  return FileError(error, "make folder", path);
}

}  // namespace ingot::cache
