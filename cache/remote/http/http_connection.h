// HTTP requests to one server, over connections that are kept open between requests. Knows
// redirects, credentials, repetitions and time limits; knows nothing of blobs and entries.
//
//   ABSL_ASSIGN_OR_RETURN(std::unique_ptr<HttpConnection> server, HttpConnection::Create(options));
//   ABSL_ASSIGN_OR_RETURN(HttpResponse response,
//                         server->Send({.method = HttpMethod::kGet, .path = "/ac/0123", ...}));
//   if (response.status == 200) ... response.body ...

#ifndef INGOT_CACHE_REMOTE_HTTP_HTTP_CONNECTION_H_
#define INGOT_CACHE_REMOTE_HTTP_HTTP_CONNECTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/remote/http/http_status.h"
#include "cache/remote/remote_options.h"

namespace ingot::cache {

struct HttpRequest {
  HttpMethod method = HttpMethod::kGet;
  // Appended to the URL of the server: "/cas/HASH".
  std::string path;
  // What is sent by kPut. The bytes are the caller's.
  std::string_view body;
  // A kGet whose answer is longer is cut off as soon as it is.
  int64_t max_response_bytes = 0;
  // How much the answer to a kGet is expected to hold: bytes up to this earn the time that they
  // take, each when it has come.
  int64_t expected_response_bytes = 0;
};

struct HttpResponse {
  int status = 0;
  // Of a kGet answered with 200; else empty.
  std::string body;
  // The body was longer than max_response_bytes; what is in `body` is a part of it.
  bool too_long = false;
  // What the server said about the length of the body; -1 if nothing.
  int64_t content_length = -1;
};

// Where the time goes. Tests replace these; OpenRemote() connects `patience` to the outage breaker.
struct HttpTiming {
  // How long the next request may take altogether, with its repetitions, apart from the time that
  // the bytes which did move need at kSlowestUsefulBytesPerSecond. Null: RemoteOptions::budget.
  std::function<absl::Duration()> patience;
  // Waits before a repetition. Null: sleeps.
  std::function<void(absl::Duration)> pause;
};

// A transfer that is slower than this is not worth waiting for.
inline constexpr int64_t kSlowestUsefulBytesPerSecond = 64 << 10;

// Thread-safe. Neither making one nor destroying one opens a connection, and nothing of libcurl or
// OpenSSL is initialised before the first Send().
class HttpConnection {
 public:
  // InvalidArgument if an option cannot be used: a URL, a header, a proxy, half a client
  // certificate.
  static absl::StatusOr<std::unique_ptr<HttpConnection>> Create(const RemoteOptions& options,
                                                                HttpTiming timing = {});

  virtual ~HttpConnection() = default;

  // The answer, whatever its status; but of a redirect that was followed the last one. Follows
  // redirects of kGet and kHead, a few, never from https to http, and sends credentials and extra
  // headers to no other host.
  //
  // Errors say what is wrong and what to set, never a secret. Unavailable: no connection, or one
  // that broke. DeadlineExceeded: too slow. FailedPrecondition: TLS is set up wrongly, or a
  // redirect that is not followed.
  virtual absl::StatusOr<HttpResponse> Send(const HttpRequest& request) = 0;

  // The full address of a path, without credentials.
  virtual std::string AddressOf(std::string_view path) const = 0;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_REMOTE_HTTP_HTTP_CONNECTION_H_
