#include "cache/testing/in_memory_store.h"

#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"

namespace ingot::cache {
namespace {

void Log(CallLog* log, std::string_view call, std::string_view hash) {
  if (log != nullptr) log->Add(absl::StrCat(call, " ", hash));
}

}  // namespace

std::string InMemoryBlobStore::LocationOf(const Digest& digest) const {
  return absl::StrCat("memory:cas/", digest.hash);
}

absl::StatusOr<std::string> InMemoryBlobStore::Get(const Digest& digest) {
  Log(log_, "get cas", digest.hash);
  std::lock_guard lock(mutex_);
  if (!fault_.ok()) return fault_;
  if (!IsSha256Hex(digest.hash)) return absl::InvalidArgumentError("not a digest");
  if (digest == EmptyDigest()) return std::string();
  const auto found = blobs_.find(digest.hash);
  if (found == blobs_.end()) return absl::NotFoundError(LocationOf(digest));
  if (Sha256(found->second) != digest) {
    return absl::DataLossError(absl::StrCat(LocationOf(digest), " is damaged"));
  }
  return found->second;
}

absl::Status InMemoryBlobStore::Put(const Digest& digest, std::string_view bytes, PutMode mode) {
  Log(log_, "put cas", digest.hash);
  std::lock_guard lock(mutex_);
  if (!fault_.ok()) return fault_;
  if (Sha256(bytes) != digest) return absl::InvalidArgumentError("bytes of another digest");
  if (bytes.empty()) return absl::OkStatus();
  const auto found = blobs_.find(digest.hash);
  if (mode == PutMode::kKeep && found != blobs_.end() && found->second.size() == bytes.size()) {
    return absl::OkStatus();
  }
  blobs_[digest.hash] = std::string(bytes);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Digest>> InMemoryBlobStore::FindMissing(
    std::span<const Digest> digests) {
  std::lock_guard lock(mutex_);
  if (!fault_.ok()) return fault_;
  std::vector<Digest> missing;
  std::set<Digest> seen;
  for (const Digest& digest : digests) {
    if (!IsSha256Hex(digest.hash)) return absl::InvalidArgumentError("not a digest");
    if (digest == EmptyDigest() || !seen.insert(digest).second) continue;
    const auto found = blobs_.find(digest.hash);
    if (found == blobs_.end() || static_cast<int64_t>(found->second.size()) != digest.size_bytes) {
      missing.push_back(digest);
    }
  }
  return missing;
}

void InMemoryBlobStore::SetBytes(const Digest& digest, std::string_view bytes) {
  std::lock_guard lock(mutex_);
  blobs_[digest.hash] = std::string(bytes);
}

void InMemoryBlobStore::Remove(const Digest& digest) {
  std::lock_guard lock(mutex_);
  blobs_.erase(digest.hash);
}

void InMemoryBlobStore::SetFault(absl::Status fault) {
  std::lock_guard lock(mutex_);
  fault_ = std::move(fault);
}

std::string InMemoryActionCache::LocationOf(const ActionKey& key) const {
  return absl::StrCat("memory:ac/", key.hash());
}

absl::StatusOr<reapi::ActionResult> InMemoryActionCache::Get(const ActionKey& key) {
  Log(log_, "get ac", key.hash());
  std::lock_guard lock(mutex_);
  if (!fault_.ok()) return fault_;
  const auto found = entries_.find(key.hash());
  if (found == entries_.end()) return absl::NotFoundError(LocationOf(key));
  absl::StatusOr<reapi::ActionResult> result = DecodeActionResult(key, found->second);
  if (!result.ok()) {
    return absl::Status(result.status().code(),
                        absl::StrCat(LocationOf(key), ": ", result.status().message()));
  }
  return result;
}

absl::Status InMemoryActionCache::Update(const ActionKey& key,
                                         const reapi::ActionResult& action_result) {
  Log(log_, "update ac", key.hash());
  std::lock_guard lock(mutex_);
  if (!fault_.ok()) return fault_;
  entries_[key.hash()] = EncodeActionResult(action_result);
  return absl::OkStatus();
}

absl::Status InMemoryActionCache::Insert(const ActionKey& key,
                                         const reapi::ActionResult& action_result) {
  Log(log_, "insert ac", key.hash());
  std::lock_guard lock(mutex_);
  if (!fault_.ok()) return fault_;
  const bool inserted = entries_.emplace(key.hash(), EncodeActionResult(action_result)).second;
  return inserted ? absl::OkStatus() : absl::AlreadyExistsError(LocationOf(key));
}

void InMemoryActionCache::SetBytes(const ActionKey& key, std::string_view bytes) {
  std::lock_guard lock(mutex_);
  entries_[key.hash()] = std::string(bytes);
}

std::optional<std::string> InMemoryActionCache::Bytes(const ActionKey& key) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(key.hash());
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

void InMemoryActionCache::SetFault(absl::Status fault) {
  std::lock_guard lock(mutex_);
  fault_ = std::move(fault);
}

}  // namespace ingot::cache
