#include "cache/local/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
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
#include "cache/local/remove_tree.h"

namespace ingot::cache {
namespace {

// A reset may take a folder away between our making it and our using it; it won't do so for ever.
constexpr int kFolderAttempts = 16;

// Cleaners may be faster than a new file's lock, which is a matter of microseconds.
constexpr int kNameAttempts = 16;

// From the file systems' own sources; linux/magic.h has neither.
constexpr uint32_t kZfsMagic = 0x2fc12fc1;
constexpr uint32_t kBcachefsMagic = 0xca451a4e;

std::string_view FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

constexpr std::string_view kTemporaryPrefix = "ingot-";

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

// Opens `path` for writing with `flags`, which have O_CREAT or O_TMPFILE in them, and makes the
// folder `folder` if that is what is missing.
absl::StatusOr<int> OpenNew(const std::string& path, int flags, const std::string& folder) {
  for (int attempt = 0;; ++attempt) {
    int fd;
    do {
      fd = open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd >= 0) return fd;
    if (errno != ENOENT || attempt == kFolderAttempts) return FileError(errno, "create", path);
    // A new store is not for every user of the machine to write to, whatever the umask: it would be
    // refused as soon as it is there. Below its root the umask decides, as whoever made a root that
    // everybody may write to wants to share what is in it.
    ABSL_RETURN_IF_ERROR(MakeFolders(std::string(FolderOf(folder)), 0775));
    ABSL_RETURN_IF_ERROR(MakeFolders(folder, 0777));
  }
}

// A file being written. Without a name it vanishes when it is closed; with one it is locked.
struct Temporary {
  int fd = -1;
  std::string path;  // empty: no name
};

// Whether nameless files can be given names without a privilege. Asked once, and only by writers.
bool HasProc() {
  static const bool has_proc = access("/proc/self/fd", X_OK) == 0;
  return has_proc;
}

absl::StatusOr<Temporary> CreateNamed(const std::string& folder) {
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    ABSL_ASSIGN_OR_RETURN(const std::string name, RandomTemporaryName());
    Temporary created = {.fd = -1, .path = absl::StrCat(folder, "/", name)};
    ABSL_ASSIGN_OR_RETURN(created.fd, OpenNew(created.path, O_CREAT | O_EXCL, folder));
    struct stat status;
    const bool taken = flock(created.fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && fstat(created.fd, &status) == 0 && status.st_nlink > 0) return created;
    // Somebody who cleans up was faster than the lock.
    close(created.fd);
    unlink(created.path.c_str());
  }
  return absl::UnavailableError(
      absl::StrCat("cannot keep a file in ", folder, ": other processes remove it"));
}

absl::StatusOr<Temporary> CreateTemporary(const std::string& folder, bool& nameless) {
  if (nameless && HasProc()) {
    const absl::StatusOr<int> fd = OpenNew(folder, O_TMPFILE, folder);
    if (fd.ok()) return Temporary{.fd = *fd, .path = ""};
    // Old kernels and file systems without them say this in several ways; if something else is
    // wrong, the attempt with a name says what.
    nameless = false;
  }
  return CreateNamed(folder);
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

// Gives the nameless file `fd` the name `path`; the errno of a failure, 0 if there was none.
int Link(int fd, const std::string& path) {
  const std::string source = absl::StrCat("/proc/self/fd/", fd);
  for (int attempt = 0;; ++attempt) {
    if (linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return 0;
    if (errno != ENOENT || attempt == kFolderAttempts) return errno;
    if (!MakeFolders(std::string(FolderOf(path)), 0777).ok()) return ENOENT;
  }
}

absl::Status WriteTo(const Temporary& temporary, std::string_view bytes, const std::string& path) {
  return WriteAll(temporary.fd, bytes, temporary.path.empty() ? path : temporary.path);
}

absl::Status Sync(const Temporary& temporary, const std::string& path, Durability durability) {
  const std::string& named = temporary.path.empty() ? path : temporary.path;
  // Without this a power cut after the rename could leave a name for an empty file.
  if (durability == Durability::kSync) {
    if (fsync(temporary.fd) != 0) return FileError(errno, "sync", named);
  } else if (!temporary.path.empty()) {
    // Some file systems report a failed write only when a descriptor is closed; the one that holds
    // the lock must stay open.
    if (const int copy = fcntl(temporary.fd, F_DUPFD_CLOEXEC, 0);
        copy >= 0 && close(copy) != 0 && errno != EINTR) {
      return FileError(errno, "close", named);
    }
  }
  return absl::OkStatus();
}

// Gives `temporary` the name `file.path`.
absl::Status Finish(const std::string& temporary_folder, const FileToWrite& file,
                    Durability durability, Existing existing, Temporary& temporary) {
  if (temporary.path.empty()) {
    const int linked = Link(temporary.fd, file.path);
    if (linked == 0) return absl::OkStatus();
    if (linked == EEXIST && existing == Existing::kKeep) {
      return absl::AlreadyExistsError(absl::StrCat(file.path, " is there already"));
    }
    ABSL_ASSIGN_OR_RETURN(const std::string name, RandomTemporaryName());
    std::string path = absl::StrCat(temporary_folder, "/", name);
    (void)flock(temporary.fd, LOCK_EX | LOCK_NB);  // nobody else can have it
    if (linked == EEXIST && Link(temporary.fd, path) == 0) {
      temporary.path = std::move(path);
    } else {
      // Not everything that has nameless files can name them (security modules, FUSE).
      close(std::exchange(temporary.fd, -1));
      ABSL_ASSIGN_OR_RETURN(temporary, CreateNamed(temporary_folder));
      ABSL_RETURN_IF_ERROR(WriteTo(temporary, file.bytes, file.path));
      ABSL_RETURN_IF_ERROR(Sync(temporary, file.path, durability));
    }
  }
  ABSL_RETURN_IF_ERROR(RenameInto(temporary.path, file.path, existing));
  temporary.path.clear();
  return absl::OkStatus();
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
  std::vector<Temporary> temporaries;
  // Removes what did not get its name, then closes it, which gives the lock back.
  const absl::Cleanup clean_up = [&] {
    for (const Temporary& temporary : temporaries) {
      if (!temporary.path.empty()) unlink(temporary.path.c_str());
      if (temporary.fd >= 0) close(temporary.fd);
    }
  };
  temporaries.reserve(files.size());
  bool nameless = true;
  for (const FileToWrite& file : files) {
    ABSL_ASSIGN_OR_RETURN(Temporary created, CreateTemporary(temporary_folder, nameless));
    temporaries.push_back(std::move(created));
    ABSL_RETURN_IF_ERROR(WriteTo(temporaries.back(), file.bytes, file.path));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    ABSL_RETURN_IF_ERROR(Sync(temporaries[i], files[i].path, durability));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    ABSL_RETURN_IF_ERROR(Finish(temporary_folder, files[i], durability, existing, temporaries[i]));
  }
  return absl::OkStatus();
}

// Whether a flock() that we get on a file in `folder` proves that no writer holds it, on whichever
// machine: file systems that live in one kernel.
bool LocksProve(int folder) {
  struct statfs status;
  if (fstatfs(folder, &status) != 0) return false;
  switch (static_cast<uint32_t>(status.f_type)) {
    case EXT4_SUPER_MAGIC:  // ext2 and ext3 too
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
    case F2FS_SUPER_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
    case kZfsMagic:
    case kBcachefsMagic:
      return true;
    default:
      return false;
  }
}

// Opens what `name` is in `folder` and locks it. -1 if it cannot be opened or has an owner.
int OpenAndLock(int folder, const char* name, bool& has_owner) {
  const int fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  has_owner = errno == EWOULDBLOCK;
  close(fd);
  return -1;
}

}  // namespace

absl::Status FileError(int error_number, std::string_view operation, std::string_view path) {
  std::string message = absl::StrCat("cannot ", operation, " ", path);
  // On the way of every hit: the system's own text would be looked up in catalogues of
  // translations, a tenth of a hit's instructions.
  if (error_number == ENOENT) {
    return absl::NotFoundError(absl::StrCat(message, ": No such file or directory"));
  }
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

Removed RemoveAbandonedFiles(const std::string& temporary_folder, absl::Time now,
                             int64_t maximum_removals) {
  Removed removed;
  DIR* folder = opendir(temporary_folder.c_str());
  if (folder == nullptr) return removed;
  const absl::Cleanup close_folder = [folder] { closedir(folder); };
  std::optional<bool> locks_prove;
  while (const dirent* entry = readdir(folder)) {
    if (maximum_removals <= 0) break;
    struct stat status;
    if (!std::string_view(entry->d_name).starts_with(kTemporaryPrefix) ||
        fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    const bool is_folder = S_ISDIR(status.st_mode);
    if (!is_folder && !S_ISREG(status.st_mode)) continue;
    bool has_owner = false;
    const int fd = OpenAndLock(dirfd(folder), entry->d_name, has_owner);
    // The lock is kept until the file is gone: a writer may be about to take it.
    const absl::Cleanup give_back = [fd] {
      if (fd >= 0) close(fd);
    };
    if (has_owner) continue;
    // A folder is rubbish whoever put it there: its owner's lock only says that somebody is at it.
    bool abandoned = is_folder || now - absl::TimeFromTimespec(status.st_mtim) > kAbandonedAfter;
    if (!abandoned && fd >= 0) {
      if (!locks_prove.has_value()) locks_prove = LocksProve(dirfd(folder));
      abandoned = *locks_prove;
    }
    if (abandoned) RemoveTree(dirfd(folder), entry->d_name, maximum_removals, removed);
  }
  return removed;
}

// 128 random bits: names of files being written must not meet, whichever machines share the store.
absl::StatusOr<std::string> RandomTemporaryName() {
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

absl::Status MakeFolders(const std::string& path, unsigned int mode) {
  int error = 0;
  for (int attempt = 0; attempt < kFolderAttempts; ++attempt) {
    if (mkdir(path.c_str(), mode) == 0) return absl::OkStatus();
    error = errno;
    if (error != ENOENT) break;
    const std::string parent(FolderOf(path));
    if (parent == path || path.empty()) break;
    ABSL_RETURN_IF_ERROR(MakeFolders(parent, mode));
  }
  if (error == EEXIST) {
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return absl::OkStatus();
    // Taken away since, which whoever uses it will notice.
    if (errno == ENOENT) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(path, " is there but is not a folder"));
  }
  return FileError(error, "make folder", path);
}

}  // namespace ingot::cache
