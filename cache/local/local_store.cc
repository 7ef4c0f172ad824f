#include "cache/local/local_store.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/local/file.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"

namespace ingot::cache {
namespace {

// `hash` becomes part of a path, and digests may come from a damaged or hostile entry.
absl::Status ValidateHash(const Digest& digest) {
  if (IsSha256Hex(digest.hash) && digest.size_bytes >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("'", digest.ToString(), "' is not a digest"));
}

std::string Path(std::string_view root, std::string_view folder, std::string_view hash) {
  return absl::StrCat(root, "/", folder, "/", hash.substr(0, 2), "/", hash);
}

Touch TouchFor(Access access) { return access == Access::kUse ? Touch::kNow : Touch::kNot; }

}  // namespace

std::string LocalBlobStore::LocationOf(const Digest& digest) const {
  return Path(root_, "cas", digest.hash);
}

absl::StatusOr<std::string> LocalBlobStore::Get(const Digest& digest) {
  if (absl::Status valid = ValidateHash(digest); !valid.ok()) return valid;
  if (digest == EmptyDigest()) return std::string();
  return ReadCheckedFile(LocationOf(digest),
                         {.exact_size = digest.size_bytes, .maximum_size = kMaximumBlobSize},
                         TouchFor(access_), [&](std::string_view bytes) {
                           const Digest actual = Sha256(bytes);
                           if (actual == digest) return absl::OkStatus();
                           return absl::DataLossError(
                               absl::StrCat("its contents have the digest ", actual.ToString()));
                         });
}

absl::Status LocalBlobStore::Put(const Digest& digest, std::string_view bytes, PutMode mode) {
  const BlobView blob = {digest, bytes};
  return PutAll({&blob, 1}, mode);
}

absl::Status LocalBlobStore::PutAll(std::span<const BlobView> blobs, PutMode mode) {
  std::vector<FileToWrite> files;
  for (const BlobView& blob : blobs) {
    if (absl::Status valid = ValidateHash(blob.digest); !valid.ok()) return valid;
    if (Sha256(blob.bytes) != blob.digest) {
      return absl::InvalidArgumentError(
          absl::StrCat("the bytes to store as ", blob.digest.ToString(), " have another digest"));
    }
    if (blob.bytes.empty()) continue;
    std::string path = LocationOf(blob.digest);
    if (mode == PutMode::kKeep) {
      const absl::StatusOr<int64_t> size = TouchFile(path);
      if (size.ok() && *size == blob.digest.size_bytes) continue;
    }
    files.push_back({std::move(path), blob.bytes});
  }
  const std::string temporary_folder = absl::StrCat(root_, "/tmp");
  if (!files.empty()) RemoveAbandonedFiles(temporary_folder, absl::Now());
  return WriteFilesAtomically(temporary_folder, files, Durability::kSync);
}

absl::StatusOr<std::vector<Digest>> LocalBlobStore::FindMissing(std::span<const Digest> digests) {
  std::vector<Digest> missing;
  std::set<Digest> seen;
  for (const Digest& digest : digests) {
    if (absl::Status valid = ValidateHash(digest); !valid.ok()) return valid;
    if (digest == EmptyDigest() || !seen.insert(digest).second) continue;
    absl::StatusOr<int64_t> size = TouchFile(LocationOf(digest));
    if (!size.ok() && !absl::IsNotFound(size.status())) return size.status();
    if (!size.ok() || *size != digest.size_bytes) missing.push_back(digest);
  }
  return missing;
}

std::string LocalActionCache::LocationOf(const ActionKey& key) const {
  return Path(root_, "ac", key.hash());
}

absl::StatusOr<reapi::ActionResult> LocalActionCache::Get(const ActionKey& key) {
  if (absl::Status valid = ValidateHash(key.digest()); !valid.ok()) return valid;
  reapi::ActionResult result;
  absl::StatusOr<std::string> bytes = ReadCheckedFile(
      LocationOf(key), {.exact_size = std::nullopt, .maximum_size = kMaximumEntryBytes},
      TouchFor(access_), [&](std::string_view bytes) {
        absl::StatusOr<reapi::ActionResult> decoded = DecodeActionResult(key, bytes);
        if (!decoded.ok()) return decoded.status();
        result = *std::move(decoded);
        return absl::OkStatus();
      });
  if (!bytes.ok()) return bytes.status();
  return result;
}

absl::Status LocalActionCache::Update(const ActionKey& key,
                                      const reapi::ActionResult& action_result) {
  if (absl::Status valid = ValidateHash(key.digest()); !valid.ok()) return valid;
  return WriteFileAtomically(absl::StrCat(root_, "/tmp"), LocationOf(key),
                             EncodeActionResult(action_result), Durability::kSync);
}

absl::Status LocalActionCache::Insert(const ActionKey& key,
                                      const reapi::ActionResult& action_result) {
  if (absl::Status valid = ValidateHash(key.digest()); !valid.ok()) return valid;
  return WriteNewFileAtomically(absl::StrCat(root_, "/tmp"), LocationOf(key),
                                EncodeActionResult(action_result), Durability::kSync);
}

}  // namespace ingot::cache
