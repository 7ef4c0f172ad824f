// Blobs of a remote, but those that the local store has are not fetched from there.
//
//   LocalFirstBlobStore blobs(local, remote);
//   Lookup(remote_entries, blobs, key, outputs);   // downloads what the disk does not have
//
// Only Get() looks at the local store, and nothing here writes to it: storing what was found
// elsewhere is for who asked.

#ifndef INGOT_CACHE_DECORATORS_LOCAL_FIRST_BLOB_STORE_H_
#define INGOT_CACHE_DECORATORS_LOCAL_FIRST_BLOB_STORE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/blob_store.h"
#include "cache/digest.h"

namespace ingot::cache {

class LocalFirstBlobStore final : public BlobStore {
 public:
  // Both must outlive this.
  LocalFirstBlobStore(BlobStore& local, BlobStore& remote) : local_(local), remote_(remote) {}

  // The local bytes if they are there and right, else what the remote says. An error of the local
  // store is no error: the remote may still have the blob.
  absl::StatusOr<std::string> Get(const Digest& digest) override;

  // Of the remote alone.
  absl::Status Put(const Digest& digest, std::string_view bytes, PutMode mode) override {
    return remote_.Put(digest, bytes, mode);
  }
  absl::Status PutAll(std::span<const BlobView> blobs, PutMode mode) override {
    return remote_.PutAll(blobs, mode);
  }
  absl::StatusOr<std::vector<Digest>> FindMissing(std::span<const Digest> digests) override {
    return remote_.FindMissing(digests);
  }
  std::string LocationOf(const Digest& digest) const override { return remote_.LocationOf(digest); }

 private:
  BlobStore& local_;
  BlobStore& remote_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_DECORATORS_LOCAL_FIRST_BLOB_STORE_H_
