#include "cache/remote/http/http_status.h"

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ingot::cache {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kProxyAuthentication = 407;
constexpr int kTooLarge = 413;
constexpr int kTooManyRequests = 429;
constexpr int kNotImplemented = 501;
constexpr int kInsufficientStorage = 507;

std::string_view MethodName(HttpMethod method) {
  switch (method) {
    case HttpMethod::kGet:
      return "GET";
    case HttpMethod::kHead:
      return "HEAD";
    case HttpMethod::kPut:
      return "PUT";
  }
  return "?";
}

}  // namespace

absl::Status HttpStatusError(HttpMethod method, int status, std::string_view address) {
  const std::string said =
      absl::StrCat(address, ": the server answered ", MethodName(method), " with ", status);
  const bool writing = method == HttpMethod::kPut;
  constexpr std::string_view kReadOnly = "to only read from it use --noremote_upload_local_results";
  switch (status) {
    case kUnauthorized:
      return absl::UnauthenticatedError(absl::StrCat(
          said,
          " (unauthorized). Give credentials: https://USER:PASSWORD@HOST in --remote_cache, a "
          "netrc file, or --remote_header=Authorization=\"Bearer TOKEN\""));
    case kForbidden:
      return absl::PermissionDeniedError(absl::StrCat(
          said, " (forbidden). ",
          writing ? absl::StrCat("The credentials allow no writing; ", kReadOnly)
                  : "Check the credentials (in --remote_cache, netrc or --remote_header)"));
    case kProxyAuthentication:
      return absl::UnauthenticatedError(absl::StrCat(
          said, " (proxy authentication required). Give credentials in the proxy's URL"));
    case kNotFound:
      return absl::FailedPreconditionError(
          absl::StrCat(said, " (not found). Check the path of --remote_cache"));
    case kMethodNotAllowed:
    case kNotImplemented:
      return absl::FailedPreconditionError(
          absl::StrCat(said, " (not supported). ",
                       writing ? absl::StrCat("It takes no writes; ", kReadOnly)
                               : "It is no HTTP cache; check --remote_cache"));
    case kTooLarge:
      return absl::ResourceExhaustedError(absl::StrCat(
          said, " (too large). Raise the server's limit (nginx: client_max_body_size)"));
    case kInsufficientStorage:
      return absl::ResourceExhaustedError(absl::StrCat(
          said, " (insufficient storage). The server is full; until there is space, ", kReadOnly));
    case kTooManyRequests:
      return absl::ResourceExhaustedError(absl::StrCat(said, " (too many requests)"));
    default:
      break;
  }
  if (status >= 500) {
    return absl::UnavailableError(absl::StrCat(said, " (a fault of the server; see its log)"));
  }
  return absl::UnknownError(absl::StrCat(said, ", which has no meaning for a cache"));
}

}  // namespace ingot::cache
