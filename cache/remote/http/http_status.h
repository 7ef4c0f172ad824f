// What the status of an HTTP answer means for a cache, in words that say what to do about it.
//
//   if (response.status != 200) {
//     return HttpStatusError(HttpMethod::kGet, response.status, "http://cache/ac/0123");
//   }

#ifndef INGOT_CACHE_REMOTE_HTTP_HTTP_STATUS_H_
#define INGOT_CACHE_REMOTE_HTTP_HTTP_STATUS_H_

#include <string_view>

#include "absl/status/status.h"

namespace ingot::cache {

enum class HttpMethod { kGet, kHead, kPut };

// The error for an answer that is neither success nor "not there". The message starts with
// `address`.
absl::Status HttpStatusError(HttpMethod method, int status, std::string_view address);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_REMOTE_HTTP_HTTP_STATUS_H_
