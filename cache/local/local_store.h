// The cache on a local disk, in the layout of Bazel's `--disk_cache` (Bazel 7.7.1,
// DiskCacheClient), so that one directory can serve Bazel and Ingot at once.
//
//   LocalBlobStore blobs("/home/me/.cache/ingot");
//   LocalActionCache actions("/home/me/.cache/ingot");
//
//   ROOT/ac/hh/HASH    an ActionResult, by the hash of its Action (hh: the first two digits)
//   ROOT/cas/hh/HASH   a blob, raw
//   ROOT/tmp/…         files being written; what dead writers left there goes with a later write
//
// A file is written in tmp/, synced and then gets its name, so a name only ever stands for whole
// contents; the last of several writers wins, with equal bytes. A file's mtime is the time of its
// last use, set on every read: who evicts by mtime, oldest first, evicts what was used least
// recently. Nothing else is ever put into ROOT. No locks are taken.
//
// Both classes are thread-safe, hold no file open between calls, and may be used from any number of
// processes, by Bazel, and during a garbage collection. Constructing one touches nothing;
// directories are made by the first write. `root` is used as given: a relative one follows the
// working directory.
//
// Errors: NotFound, DataLoss and InvalidArgument as the interfaces say; otherwise the system's own
// error as absl maps it (PermissionDenied, ResourceExhausted for a full disk, …). All name the
// path.

#ifndef INGOT_CACHE_LOCAL_LOCAL_STORE_H_
#define INGOT_CACHE_LOCAL_LOCAL_STORE_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/reapi.h"

namespace ingot::cache {

// Whether reading counts as a use.
enum class Access {
  kUse,   // reading sets the mtime
  kLook,  // reading leaves no trace: for a store that is somebody else's, and for those who only
          // ask
};

class LocalBlobStore final : public BlobStore {
 public:
  explicit LocalBlobStore(std::string root, Access access = Access::kUse)
      : root_(std::move(root)), access_(access) {}

  // Five system calls for a blob that is there: open, fstat, read, futimens, close.
  absl::StatusOr<std::string> Get(const Digest& digest) override;
  absl::Status Put(const Digest& digest, std::string_view bytes, PutMode mode) override;
  absl::Status PutAll(std::span<const BlobView> blobs, PutMode mode) override;
  absl::StatusOr<std::vector<Digest>> FindMissing(std::span<const Digest> digests) override;

  std::string LocationOf(const Digest& digest) const override;

 private:
  const std::string root_;
  const Access access_;
};

class LocalActionCache final : public ActionCache {
 public:
  explicit LocalActionCache(std::string root, Access access = Access::kUse)
      : root_(std::move(root)), access_(access) {}

  absl::StatusOr<reapi::ActionResult> Get(const ActionKey& key) override;
  absl::Status Update(const ActionKey& key, const reapi::ActionResult& action_result) override;
  // On a file system that cannot rename without replacing, the later of two at once wins.
  absl::Status Insert(const ActionKey& key, const reapi::ActionResult& action_result) override;

  std::string LocationOf(const ActionKey& key) const override;

 private:
  const std::string root_;
  const Access access_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOCAL_LOCAL_STORE_H_
