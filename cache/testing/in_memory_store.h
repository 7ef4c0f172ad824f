// Both cache interfaces in memory, for tests: the simplest thing that keeps the contracts, with
// doors to break it.
//
//   InMemoryBlobStore blobs;
//   blobs.SetBytes(digest, "damaged");   // Get(digest) is DataLoss now

#ifndef INGOT_CACHE_TESTING_IN_MEMORY_STORE_H_
#define INGOT_CACHE_TESTING_IN_MEMORY_STORE_H_

#include <map>
#include <mutex>
#include <optional>
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

// What a store was asked, in order: "get cas HASH", "put cas HASH", "get ac HASH", "update ac
// HASH".
class CallLog {
 public:
  void Add(std::string call) {
    std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  std::vector<std::string> Take() {
    std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> calls_;
};

class InMemoryBlobStore final : public BlobStore {
 public:
  // `log` may be null, else it must outlive this.
  explicit InMemoryBlobStore(CallLog* log = nullptr) : log_(log) {}

  absl::StatusOr<std::string> Get(const Digest& digest) override;
  absl::Status Put(const Digest& digest, std::string_view bytes, PutMode mode) override;
  absl::StatusOr<std::vector<Digest>> FindMissing(std::span<const Digest> digests) override;
  std::string LocationOf(const Digest& digest) const override;

  // Behind the contract's back.
  void SetBytes(const Digest& digest, std::string_view bytes);
  void Remove(const Digest& digest);
  // From now on every call fails with this, until it is OK again.
  void SetFault(absl::Status fault);

 private:
  CallLog* const log_;
  std::mutex mutex_;
  absl::Status fault_;
  // By hash alone, as on a disk.
  std::map<std::string, std::string> blobs_;
};

class InMemoryActionCache final : public ActionCache {
 public:
  explicit InMemoryActionCache(CallLog* log = nullptr) : log_(log) {}

  absl::StatusOr<reapi::ActionResult> Get(const ActionKey& key) override;
  absl::Status Update(const ActionKey& key, const reapi::ActionResult& action_result) override;
  absl::Status Insert(const ActionKey& key, const reapi::ActionResult& action_result) override;
  std::string LocationOf(const ActionKey& key) const override;

  void SetBytes(const ActionKey& key, std::string_view bytes);
  // The stored bytes, if any.
  std::optional<std::string> Bytes(const ActionKey& key);
  void SetFault(absl::Status fault);

 private:
  CallLog* const log_;
  std::mutex mutex_;
  absl::Status fault_;
  std::map<std::string, std::string> entries_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_TESTING_IN_MEMORY_STORE_H_
