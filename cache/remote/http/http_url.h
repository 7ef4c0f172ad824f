// The URL of an HTTP cache, taken apart: where to send requests, whose credentials to send, and
// what may be shown of it.
//
//   ABSL_ASSIGN_OR_RETURN(HttpUrl url, HttpUrl::Parse("http://me:secret@cache:8080/ingot/"));
//   url.base;      // "http://cache:8080/ingot"
//   url.user;      // "me"

#ifndef INGOT_CACHE_REMOTE_HTTP_HTTP_URL_H_
#define INGOT_CACHE_REMOTE_HTTP_HTTP_URL_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ingot::cache {

struct HttpUrl {
  std::string scheme;    // "http" or "https"
  std::string host;      // an IPv6 address is in brackets
  int port = 0;          // the scheme's own where the URL names none
  std::string base;      // without credentials and without a slash at the end
  std::string user;      // decoded; empty if there is none
  std::string password;  // decoded

  // InvalidArgument, without showing credentials, for anything but http://HOST[:PORT][/PATH] and
  // https://...
  static absl::StatusOr<HttpUrl> Parse(const std::string& text);

  // For targets of redirects, which may have queries.
  static std::string WithoutQuery(std::string_view url);

  // "http://cache:8080", which is what may be shown of the target of a redirect: paths and queries
  // of such hold access tokens.
  std::string Origin() const;

  // Whether credentials for this URL may be sent to `other`: the same host and port, or the same
  // host at the https port where this is the http port.
  bool MayShareCredentialsWith(const HttpUrl& other) const;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_REMOTE_HTTP_HTTP_URL_H_
