#include "cache/remote/http/http_store.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#include "cache/remote/http/http_connection.h"
#include "cache/remote/http/http_status.h"
#include "cache/result_seal.h"

namespace ingot::cache {
namespace {

constexpr int kOk = 200;
constexpr int kNoContent = 204;
constexpr int kNotFound = 404;
constexpr int kGone = 410;

std::string BlobPath(const Digest& digest) { return absl::StrCat("/cas/", digest.hash); }
std::string EntryPath(const ActionKey& key) { return absl::StrCat("/ac/", key.hash()); }

absl::Status CheckWellFormed(const Digest& digest) {
  if (!IsSha256Hex(digest.hash) || digest.size_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat("'", digest.ToString(), "' is not a digest"));
  }
  return absl::OkStatus();
}

// Bazel takes 204 for a miss too: some servers answer so.
bool IsAbsent(int status) { return status == kNotFound || status == kNoContent || status == kGone; }

// The body of a GET; NotFound if there is none. The caller judges response.too_long.
absl::StatusOr<HttpResponse> Read(HttpConnection& server, const HttpRequest& request) {
  ABSL_ASSIGN_OR_RETURN(HttpResponse response, server.Send(request));
  const std::string address = server.AddressOf(request.path);
  if (IsAbsent(response.status)) return absl::NotFoundError(address);
  if (response.status != kOk) return HttpStatusError(request.method, response.status, address);
  return response;
}

absl::Status Write(HttpConnection& server, std::string path, std::string_view body) {
  const std::string address = server.AddressOf(path);
  ABSL_ASSIGN_OR_RETURN(
      const HttpResponse response,
      server.Send({.method = HttpMethod::kPut, .path = std::move(path), .body = body}));
  if (response.status >= 200 && response.status < 300) return absl::OkStatus();
  return HttpStatusError(HttpMethod::kPut, response.status, address);
}

}  // namespace

std::string HttpBlobStore::LocationOf(const Digest& digest) const {
  return server_.AddressOf(BlobPath(digest));
}

absl::StatusOr<std::string> HttpBlobStore::Get(const Digest& digest) {
  ABSL_RETURN_IF_ERROR(CheckWellFormed(digest));
  if (digest == EmptyDigest()) return std::string();
  if (digest.size_bytes > kMaximumBlobSize) {
    return absl::DataLossError(absl::StrCat(LocationOf(digest), ": the server promises a blob of ",
                                            digest.size_bytes, " bytes, which none can have"));
  }
  ABSL_ASSIGN_OR_RETURN(HttpResponse response,
                        Read(server_, {.path = BlobPath(digest),
                                       .max_response_bytes = digest.size_bytes,
                                       .expected_response_bytes = digest.size_bytes}));
  if (response.too_long || Sha256(response.body) != digest) {
    return absl::DataLossError(
        absl::StrCat(LocationOf(digest), ": the server sent other bytes than this blob's"));
  }
  return std::move(response.body);
}

absl::Status HttpBlobStore::Put(const Digest& digest, std::string_view bytes, PutMode /*mode*/) {
  ABSL_RETURN_IF_ERROR(CheckWellFormed(digest));
  if (Sha256(bytes) != digest) {
    return absl::InvalidArgumentError(
        absl::StrCat("bytes that do not have the digest ", digest.ToString()));
  }
  if (bytes.empty()) return absl::OkStatus();
  return Write(server_, BlobPath(digest), bytes);
}

absl::StatusOr<std::vector<Digest>> HttpBlobStore::FindMissing(std::span<const Digest> digests) {
  std::vector<Digest> missing;
  std::set<std::string_view> seen;
  for (const Digest& digest : digests) ABSL_RETURN_IF_ERROR(CheckWellFormed(digest));
  for (const Digest& digest : digests) {
    if (digest == EmptyDigest() || !seen.insert(digest.hash).second) continue;
    if (digest.size_bytes >= min_bytes_worth_asking_) {
      ABSL_ASSIGN_OR_RETURN(const HttpResponse response,
                            server_.Send({.method = HttpMethod::kHead, .path = BlobPath(digest)}));
      if (response.status == kOk && response.content_length == digest.size_bytes) continue;
    }
    missing.push_back(digest);
  }
  return missing;
}

std::string HttpActionCache::LocationOf(const ActionKey& key) const {
  return server_.AddressOf(EntryPath(key));
}

absl::StatusOr<reapi::ActionResult> HttpActionCache::Get(const ActionKey& key) {
  ABSL_RETURN_IF_ERROR(CheckWellFormed(key.digest()));
  ABSL_ASSIGN_OR_RETURN(
      const HttpResponse response,
      Read(server_, {.path = EntryPath(key), .max_response_bytes = kMaximumEntryBytes}));
  if (response.too_long) {
    return absl::DataLossError(absl::StrCat(LocationOf(key), ": the entry is longer than ",
                                            kMaximumEntryBytes >> 20, " MiB, which none can be"));
  }
  absl::StatusOr<reapi::ActionResult> result = DecodeActionResult(key, response.body);
  if (result.ok()) return result;
  return absl::Status(result.status().code(),
                      absl::StrCat(LocationOf(key), ": ", result.status().message()));
}

absl::Status HttpActionCache::Update(const ActionKey& key,
                                     const reapi::ActionResult& action_result) {
  ABSL_RETURN_IF_ERROR(CheckWellFormed(key.digest()));
  return Write(server_, EntryPath(key), EncodeActionResult(action_result));
}

}  // namespace ingot::cache
