// The digest of a file's content without reading the file again while it stays the same.
//
//   FileDigestMemo memo(state_path + "/file_digests");
//   ABSL_ASSIGN_OR_RETURN(Digest tool, memo.FileDigest("/usr/lib/ingot/ingot-compile"));
//
// The compile tool is tens of megabytes and part of every key, so a hit must not read it. A file
// counts as the same while device, inode, size, mtime and ctime (both in nanoseconds) are. ctime
// cannot be set from outside, so a file whose mtime was put back after an edit is still noticed.
//
// A file that was changed less than kMinimumAge before it was looked at is never remembered: the
// kernel stamps files from a clock that ticks every few milliseconds (some file systems store
// seconds), so a second change right after the digest was taken could carry the same times.
// Compilers' caches with an inode cache have been bitten by that.

#ifndef INGOT_CACHE_FILE_DIGEST_MEMO_H_
#define INGOT_CACHE_FILE_DIGEST_MEMO_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/digest.h"

namespace ingot::cache {

// Thread-safe, and safe between processes: the file is replaced as a whole, and of two writers the
// last one wins.
class FileDigestMemo {
 public:
  static constexpr absl::Duration kMinimumAge = absl::Seconds(2);
  static constexpr size_t kMaximumRecords = 64;

  // `memo_path` need not exist, and may be empty: then nothing is remembered. Its folder is made
  // when something is to be remembered. A memo that cannot be read, written or believed is no
  // error: the digest is then computed. `clock` stands in for the real one in tests.
  explicit FileDigestMemo(std::string memo_path, std::function<absl::Time()> clock = absl::Now);

  // The digest of the file at `path`, symlinks followed. An error, naming `path`, if the file
  // cannot be read or is not a regular file, or Aborted if it changed while it was read.
  absl::StatusOr<Digest> FileDigest(const std::string& path);

  // How many digests this object computed by reading the file, rather than remembered.
  int64_t files_read() const;

  // What is compared to decide that a file is the same.
  struct Identity {
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t size = 0;
    int64_t mtime_ns = 0;
    int64_t ctime_ns = 0;

    friend bool operator==(const Identity&, const Identity&) = default;
  };

 private:
  const std::string memo_path_;
  const std::function<absl::Time()> clock_;

  mutable std::mutex mutex_;
  int64_t files_read_ = 0;  // guarded by mutex_
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_FILE_DIGEST_MEMO_H_
