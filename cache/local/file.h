// Reading and writing whole files the way a shared store needs it: reads that cost few system
// calls, writes that appear at once or not at all, errors that name the path.
//
//   ABSL_RETURN_IF_ERROR(WriteFileAtomically(root + "/tmp", root + "/cas/58/5891…", bytes,
//   Durability::kSync));

#ifndef INGOT_CACHE_LOCAL_FILE_H_
#define INGOT_CACHE_LOCAL_FILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/local/remove_tree.h"

namespace ingot::cache {

// A status for `error_number` that says what was tried on which path. EIO, which is a disk's own
// way to say that the bytes are gone, becomes DataLoss.
absl::Status FileError(int error_number, std::string_view operation, std::string_view path);

// Limits of what a read takes for valid.
struct ReadLimits {
  std::optional<int64_t> exact_size;  // DataLoss, without reading, for any other size
  int64_t maximum_size = 0;           // DataLoss, without reading, for more
};

// What reading does to a file's mtime.
enum class Touch { kNow, kNot };

// Reads the regular file at `path`, passes the bytes to `check`, and if that returns OK and `touch`
// says so sets the file's mtime to now. That it could not be set (a read-only store) is no error.
// NotFound if there is no such file; DataLoss for anything there that is not a regular file within
// `limits`; `check`'s own error with the path put before it.
using CheckBytes = absl::FunctionRef<absl::Status(std::string_view bytes)>;
absl::StatusOr<std::string> ReadCheckedFile(const std::string& path, const ReadLimits& limits,
                                            Touch touch, CheckBytes check);

// The same without check and without setting the mtime.
absl::StatusOr<std::string> ReadFile(const std::string& path, const ReadLimits& limits);

// Sets the mtime of the file at `path` to now and returns its size; NotFound if there is no regular
// file there.
absl::StatusOr<int64_t> TouchFile(const std::string& path);

enum class Durability {
  kSync,    // in place after a power cut, whole; what a store needs
  kNoSync,  // for hints, whose readers check what they read
};

// Writes `bytes` to a new file in `temporary_folder`, then gives it the name `path`, replacing what
// is there. Makes the folders of both if need be. On an error `path` is as before and the temporary
// file is gone. Both must lie in one file system.
absl::Status WriteFileAtomically(const std::string& temporary_folder, const std::string& path,
                                 std::string_view bytes, Durability durability);

// The same, except that what is at `path` stays: AlreadyExists. Where the file system has neither
// nameless files nor a rename that does not replace (NFS), it replaces.
absl::Status WriteNewFileAtomically(const std::string& temporary_folder, const std::string& path,
                                    std::string_view bytes, Durability durability);

struct FileToWrite {
  std::string path;
  std::string_view bytes;
};

// As WriteFileAtomically() for each of `files`, in their order, except that all are written before
// the first is synced and all are synced before the first gets its name. A journalling file system
// then commits once for all, where one file after the other costs a commit each. On an error the
// files before the failed one may be in place.
absl::Status WriteFilesAtomically(const std::string& temporary_folder,
                                  std::span<const FileToWrite> files, Durability durability);

// What dead writers leave behind, and who takes it away.
//
// A file is written without a name (O_TMPFILE) and linked to its own at the end: of a writer that
// is killed nothing is left, and there is nothing to tell apart. It costs no more system calls than
// a temporary name and a rename. Two cases need a temporary name: replacing a file, since a link
// does not replace, and file systems without nameless files or machines without /proc. There the
// writer holds a flock() on the file for as long as it has the temporary name. The kernel gives
// that lock back when the writer dies, so whoever gets it knows that the file is nobody's, at once
// and without a clock. A nameless file is locked before it gets its temporary name; one that was
// made with its name might be locked and removed by a cleaner first, which the writer sees (the
// lock is taken, or the file has no link left) and makes another.
//
// A lock proves something only where all writers see it. So it counts on file systems known to be
// local to one kernel; on any other (NFS may keep flock() to each host, FUSE to itself) and for
// files that we may not open, a file must be older than this by its mtime. A living writer needs
// milliseconds; one that slept for an hour finds its file gone, and its publication fails.
inline constexpr absl::Duration kAbandonedAfter = absl::Hours(1);

// How many files one call removes at most, unless told otherwise: a folder that a reset put aside
// may hold a million, and the caller is somebody's compilation.
inline constexpr int64_t kRemovalsPerCall = 1000;

// Removes what writers left in `temporary_folder` that died before they could rename or remove it:
// files named as this library names them, and folders so named, which a reset or a repair put aside
// to be deleted. Other files, such as Bazel's, stay. Errors are nobody's concern: the next call
// tries again. Returns what was removed.
Removed RemoveAbandonedFiles(const std::string& temporary_folder, absl::Time now,
                             int64_t maximum_removals = kRemovalsPerCall);

// A name in a store's temporary folder that no other file has, which RemoveAbandonedFiles() knows.
absl::StatusOr<std::string> RandomTemporaryName();

// Makes the folder `path` and those above it, with the permissions `mode` less the process's umask.
// OK if it is there.
absl::Status MakeFolders(const std::string& path, unsigned int mode);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOCAL_FILE_H_
