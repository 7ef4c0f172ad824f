// The content-addressable storage as the rest of the program sees it: local, remote, or several
// behind one face.
//
//   ABSL_RETURN_IF_ERROR(store.Put(Sha256(ptx), ptx, PutMode::kKeep));
//   ABSL_ASSIGN_OR_RETURN(std::string bytes, store.Get(Sha256(ptx)));  // == ptx

#ifndef INGOT_CACHE_BLOB_STORE_H_
#define INGOT_CACHE_BLOB_STORE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/digest.h"

namespace ingot::cache {

// More than any output of a compiler. No store is asked for more, since what promises it may be a
// hostile entry: what that makes us wait for and hold stays below this.
inline constexpr int64_t kMaximumBlobSize = int64_t{4} << 30;

// A blob to be stored. The bytes are the caller's.
struct BlobView {
  Digest digest;
  std::string_view bytes;
};

// What Put() does about a blob that is there already.
enum class PutMode {
  kKeep,       // believe it, if its size is right, and count this as a use of it
  kOverwrite,  // write it again: for repair, after something proved that the store holds damage
};

// Implementations are thread-safe, never throw and print nothing. Their statuses name the file or
// the address that failed. No fault of a store may fail a compilation, so callers treat every error
// as "not there" after counting it.
//
// The empty blob is always there: Get() returns it, FindMissing() never lists it and Put() of it
// does nothing (remote_execution.proto, Digest).
//
// Eviction is by last use: each function below except Put with an error counts as a use of the
// blobs it names.
class BlobStore {
 public:
  virtual ~BlobStore() = default;

  // The bytes of a blob, already checked against `digest`. NotFound if it is absent, DataLoss if
  // something is there that does not have this digest; any other code is a fault of the store.
  virtual absl::StatusOr<std::string> Get(const Digest& digest) = 0;

  // Stores `bytes`. InvalidArgument, storing nothing, if they do not have `digest`. When this
  // returns OK the blob is complete and survives the end of this process; a reader never sees a
  // part of it.
  virtual absl::Status Put(const Digest& digest, std::string_view bytes, PutMode mode) = 0;

  // Put() for each of `blobs`, in their order; stops at the first error, after which those before
  // it may be stored. What stores several blobs at once cheaper than one by one overrides this.
  virtual absl::Status PutAll(std::span<const BlobView> blobs, PutMode mode) {
    for (const BlobView& blob : blobs) {
      if (absl::Status status = Put(blob.digest, blob.bytes, mode); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Those of `digests` that a Put() would have to transfer, each once, in the order given. One that
  // is not listed was found with the right size; its bytes were not read. An implementation that
  // cannot ask returns all of them.
  virtual absl::StatusOr<std::vector<Digest>> FindMissing(std::span<const Digest> digests) = 0;

  // Where the blob is, or would be: a path or an address, for messages. Touches nothing.
  virtual std::string LocationOf(const Digest& digest) const = 0;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_BLOB_STORE_H_
