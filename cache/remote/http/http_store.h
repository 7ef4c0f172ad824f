// A cache behind Bazel's HTTP protocol: GET and PUT of URL/ac/HASH and URL/cas/HASH. nginx with
// WebDAV, bazel-remote and many more speak it.
//
//   ABSL_ASSIGN_OR_RETURN(std::unique_ptr<HttpConnection> server, HttpConnection::Create(options));
//   HttpActionCache entries(*server);
//   HttpBlobStore blobs(*server);
//
// The protocol says nothing about digests, so every blob is checked here; and a server may be
// anybody, so no answer is read further than what was asked for can be long.

#ifndef INGOT_CACHE_REMOTE_HTTP_HTTP_STORE_H_
#define INGOT_CACHE_REMOTE_HTTP_HTTP_STORE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#include "cache/remote/http/http_connection.h"

namespace ingot::cache {

// Asking for a blob's size and storing it cost a round trip each, so only for a blob of some size
// is asking first worth it: what follows a compilation is mostly small and new.
inline constexpr int64_t kMinBytesWorthAsking = 64 << 10;

// Get() of anything the server answers 404, 410 or 204 to is NotFound. An answer of another length
// or digest is DataLoss; one that ends before its announced end is a broken connection. Put()
// always sends the blob, in both modes, as Bazel does.
class HttpBlobStore final : public BlobStore {
 public:
  // `server` must outlive this. FindMissing() lists blobs smaller than `min_bytes_worth_asking` as
  // missing without asking, and asks for others with HEAD; servers that answer no HEAD have
  // nothing, as far as it knows.
  explicit HttpBlobStore(HttpConnection& server,
                         int64_t min_bytes_worth_asking = kMinBytesWorthAsking)
      : server_(server), min_bytes_worth_asking_(min_bytes_worth_asking) {}

  absl::StatusOr<std::string> Get(const Digest& digest) override;
  absl::Status Put(const Digest& digest, std::string_view bytes, PutMode mode) override;
  absl::StatusOr<std::vector<Digest>> FindMissing(std::span<const Digest> digests) override;
  std::string LocationOf(const Digest& digest) const override;

 private:
  HttpConnection& server_;
  const int64_t min_bytes_worth_asking_;
};

// Insert() stores like Update(): the protocol cannot insert.
class HttpActionCache final : public ActionCache {
 public:
  // `server` must outlive this.
  explicit HttpActionCache(HttpConnection& server) : server_(server) {}

  absl::StatusOr<reapi::ActionResult> Get(const ActionKey& key) override;
  absl::Status Update(const ActionKey& key, const reapi::ActionResult& action_result) override;
  std::string LocationOf(const ActionKey& key) const override;

 private:
  HttpConnection& server_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_REMOTE_HTTP_HTTP_STORE_H_
