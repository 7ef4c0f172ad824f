#include "cache/remote/open_remote.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/decorators/outage_breaker.h"
#include "cache/remote/http/http_connection.h"
#include "cache/remote/http/http_store.h"
#include "cache/remote/remote_options.h"

namespace ingot::cache {
namespace {

class HttpRemoteStore final : public RemoteStore {
 public:
  // The breaker comes first, since the connection asks it how long a request may take.
  HttpRemoteStore(std::unique_ptr<OutageBreaker> breaker,
                  std::unique_ptr<HttpConnection> connection)
      : breaker_(std::move(breaker)), connection_(std::move(connection)) {}

  ActionCache& actions() override { return watched_entries_; }
  BlobStore& blobs() override { return watched_blobs_; }
  std::string Describe() const override { return connection_->AddressOf(""); }
  OutageBreaker::Report Outage() const override { return breaker_->GetReport(); }

 private:
  const std::unique_ptr<OutageBreaker> breaker_;
  const std::unique_ptr<HttpConnection> connection_;
  HttpBlobStore blobs_{*connection_};
  HttpActionCache entries_{*connection_};
  BreakerBlobStore watched_blobs_{blobs_, *breaker_};
  BreakerActionCache watched_entries_{entries_, *breaker_};
};

// The URL may hold a password, so messages show its scheme alone.
std::string_view SchemeOf(std::string_view url) {
  const size_t colon = url.find(':');
  if (colon == std::string_view::npos) return "";
  const std::string_view scheme = url.substr(0, colon);
  for (char c : scheme) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '+') return "";
  }
  // HOST:PORT has no scheme either.
  return absl::StartsWith(url.substr(colon), "://") || scheme == "unix" ? scheme : "";
}

}  // namespace

absl::StatusOr<std::unique_ptr<RemoteStore>> OpenRemote(const RemoteOptions& options) {
  constexpr std::string_view kSupported = "supported are http://HOST[:PORT][/PATH] and https://...";
  const std::string scheme = absl::AsciiStrToLower(SchemeOf(options.url));
  if (scheme.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the URL of the remote cache does not begin with a protocol; ", kSupported));
  }
  if (scheme == "grpc" || scheme == "grpcs" || scheme == "unix") {
    return absl::InvalidArgumentError(absl::StrCat("this version cannot speak gRPC, which ", scheme,
                                                   ": in the URL of the remote cache asks "
                                                   "for; ",
                                                   kSupported));
  }
  if (scheme != "http" && scheme != "https") {
    return absl::InvalidArgumentError(
        absl::StrCat("the URL of the remote cache begins with ", scheme, "://; ", kSupported));
  }
  auto breaker = std::make_unique<OutageBreaker>(OutageBreaker::Limits{.budget = options.budget});
  const OutageBreaker* observed = breaker.get();
  ABSL_ASSIGN_OR_RETURN(
      std::unique_ptr<HttpConnection> connection,
      HttpConnection::Create(options, {.patience = [observed] { return observed->TimeLeft(); }}));
  return std::make_unique<HttpRemoteStore>(std::move(breaker), std::move(connection));
}

}  // namespace ingot::cache
