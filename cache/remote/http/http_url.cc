#include "cache/remote/http/http_url.h"

#include <curl/curl.h>

#include <string>
#include <string_view>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ingot::cache {
namespace {

constexpr int kHttpPort = 80;
constexpr int kHttpsPort = 443;

// A part of the URL; empty if it has no such part.
std::string Part(CURLU* url, CURLUPart part, unsigned int flags = 0) {
  char* value = nullptr;
  if (curl_url_get(url, part, &value, flags) != CURLUE_OK || value == nullptr) return "";
  std::string result = value;
  curl_free(value);
  return result;
}

// The text itself may hold a password, so messages say only what is wrong with it.
absl::Status Invalid(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the URL of the remote cache ", what,
                                                 "; it has the form http://HOST[:PORT][/PATH], "
                                                 "or https://... with TLS"));
}

}  // namespace

absl::StatusOr<HttpUrl> HttpUrl::Parse(const std::string& text) {
  CURLU* parsed = curl_url();
  if (parsed == nullptr) return absl::ResourceExhaustedError("out of memory");
  absl::Cleanup free_parsed = [parsed] { curl_url_cleanup(parsed); };
  // Without a scheme Bazel takes a cache to be grpcs://; guessing would send credentials somewhere.
  if (text.find('\0') != std::string::npos ||
      curl_url_set(parsed, CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return Invalid("cannot be read");
  }
  HttpUrl url;
  url.scheme = Part(parsed, CURLUPART_SCHEME);
  if (url.scheme != "http" && url.scheme != "https") return Invalid("is neither http nor https");
  if (!Part(parsed, CURLUPART_QUERY).empty() || !Part(parsed, CURLUPART_FRAGMENT).empty()) {
    return Invalid("has a query or a fragment");
  }
  url.host = Part(parsed, CURLUPART_HOST);
  if (!absl::SimpleAtoi(Part(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT), &url.port)) {
    return Invalid("has no valid port");
  }
  // What cannot be decoded (a zero byte) comes back empty.
  url.user = Part(parsed, CURLUPART_USER, CURLU_URLDECODE);
  url.password = Part(parsed, CURLUPART_PASSWORD, CURLU_URLDECODE);
  if (url.user.empty() != Part(parsed, CURLUPART_USER).empty() ||
      url.password.empty() != Part(parsed, CURLUPART_PASSWORD).empty()) {
    return Invalid("has credentials that cannot be decoded");
  }
  curl_url_set(parsed, CURLUPART_USER, nullptr, 0);
  curl_url_set(parsed, CURLUPART_PASSWORD, nullptr, 0);
  curl_url_set(parsed, CURLUPART_OPTIONS, nullptr, 0);
  url.base = Part(parsed, CURLUPART_URL);
  while (url.base.ends_with('/')) url.base.pop_back();
  return url;
}

std::string HttpUrl::WithoutQuery(std::string_view url) {
  return std::string(url.substr(0, url.find_first_of("?#")));
}

std::string HttpUrl::Origin() const { return absl::StrCat(scheme, "://", host, ":", port); }

bool HttpUrl::MayShareCredentialsWith(const HttpUrl& other) const {
  if (host != other.host) return false;
  if (scheme == other.scheme) return port == other.port;
  return scheme == "http" && other.scheme == "https" &&
         (port == other.port || (port == kHttpPort && other.port == kHttpsPort));
}

}  // namespace ingot::cache
