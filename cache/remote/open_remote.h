// A remote cache by its URL: the one place that knows which protocols there are.
//
//   RemoteOptions options;
//   options.url = "http://cache:8080/ingot";
//   ABSL_ASSIGN_OR_RETURN(std::unique_ptr<RemoteStore> remote, OpenRemote(options));
//   LookupResult found = Lookup(remote->actions(), remote->blobs(), key, outputs);
//
// Both faces stand behind one outage breaker. What a dead, slow or lying server costs is bounded by
// RemoteOptions::budget for the whole life of the object.

#ifndef INGOT_CACHE_REMOTE_OPEN_REMOTE_H_
#define INGOT_CACHE_REMOTE_OPEN_REMOTE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/decorators/outage_breaker.h"
#include "cache/remote/remote_options.h"

namespace ingot::cache {

// Thread-safe.
class RemoteStore {
 public:
  virtual ~RemoteStore() = default;

  virtual ActionCache& actions() = 0;
  virtual BlobStore& blobs() = 0;

  // The URL without credentials.
  virtual std::string Describe() const = 0;

  // Whether it is still asked, why not, and what it has cost so far.
  virtual OutageBreaker::Report Outage() const = 0;
};

// Opens no connection; the first call of the result does. InvalidArgument, never showing
// credentials, for options that cannot be used, among them a URL of a protocol that is not
// supported.
absl::StatusOr<std::unique_ptr<RemoteStore>> OpenRemote(const RemoteOptions& options);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_REMOTE_OPEN_REMOTE_H_
