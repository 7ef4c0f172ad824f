// Keeping a local store small: what was used least recently goes first.
//
//   absl::StatusOr<GarbageCollectionResult> result =
//       CollectGarbage(root, {.max_size = int64_t{10} << 30, .now = absl::Now()});
//   // result->removed_files, result->bytes_after, …
//
// It does what Bazel's collector does to a `--disk_cache` (7.7.1, DiskCacheGarbageCollector), so
// that either may look after a folder that both use:
//
// - One collection at a time, under an exclusive lock on ROOT/gc/lock. Bazel takes it with Java's
//   FileChannel.tryLock(), a record lock of fcntl() over the whole file; so does this, as a lock of
//   the open file description, which meets the others and which the kernel gives back when its
//   holder dies. Readers and writers take no lock: a collection harms none of them.
// - Files are chosen by mtime, the time of their last use, the oldest first; of two that are
// equally
//   old an entry of the action cache before a blob. Since a hit touches the entry first and its
//   blobs after it, no entry outlives its blobs. Of what was chosen entries are removed first. The
//   mtime is looked at once more before each removal: a file that was used meanwhile stays.
// - The size of a file is its length. `tmp` and `gc` are not counted. The folders of other digest
//   functions are, and are collected too.
//
// Unlike Bazel's it never deletes what has no place in the layout of a store
// (cache/local/layout.h), so that a mistyped folder costs nothing; and after a collection for size
// it has removed a little more than it must (kLowWaterPercent), or every command that stores
// something would have to collect again.
//
// A million files take some 60 MB of memory: 56 bytes each.

#ifndef INGOT_CACHE_LOCAL_GARBAGE_COLLECTION_H_
#define INGOT_CACHE_LOCAL_GARBAGE_COLLECTION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/local/remove_tree.h"

namespace ingot::cache {

// A collection for size goes down to this part of the limit. A tenth of 10 GiB is some hundred
// thousand results: about as many compilations then pass without another.
inline constexpr int kLowWaterPercent = 90;

struct GarbageCollectionOptions {
  int64_t max_size = 0;         // bytes; 0: no limit
  absl::Duration max_age = {};  // since the last use; zero: no limit
  bool dry_run = false;         // say what would go, and change nothing at all
  absl::Time now;
};

struct GarbageCollectionResult {
  int64_t files_before = 0;
  int64_t bytes_before = 0;
  int64_t files_after = 0;
  int64_t bytes_after = 0;

  int64_t removed_files = 0;  // or, in a dry run, those that would go
  int64_t removed_bytes = 0;
  int64_t removed_entries = 0;  // those of the removed files that were entries of the action cache

  int64_t used_meanwhile = 0;  // were to go, but somebody used or replaced them
  int64_t vanished = 0;        // were to go, but somebody else removed them
  int64_t failed = 0;          // could not be removed
  std::string first_failure;   // why the first of those could not, with its path

  Removed abandoned;          // what dead writers had left in tmp, not counted above
  int64_t unknown_names = 0;  // names that no store has, at its top and in its shards; left alone
};

// NotFound if there is nothing at `root`, Unavailable if another collection is running, else the
// system's own error if the lock's file cannot be made or the top folder cannot be read. Where the
// file system has no locks it goes without one: two collections at once would remove too much, not
// something in use. A folder below that cannot be read is counted as failed.
absl::StatusOr<GarbageCollectionResult> CollectGarbage(const std::string& root,
                                                       const GarbageCollectionOptions& options);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOCAL_GARBAGE_COLLECTION_H_
