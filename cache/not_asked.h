// Tells an answer of a store from one that somebody gave in its place, because the store is not
// asked any more (cache/decorators/outage_breaker.h): the fault behind it was reported when it
// happened, and deserves no further word for each of the requests after it.
//
//   absl::Status stopped = MarkNotAsked(absl::UnavailableError("not asked any more, since …"));
//   ...
//   if (!status.ok() && !WasNotAsked(status)) Warn(status.message());

#ifndef INGOT_CACHE_NOT_ASKED_H_
#define INGOT_CACHE_NOT_ASKED_H_

#include "absl/status/status.h"

namespace ingot::cache {

// `status`, which is not OK, with the mark.
absl::Status MarkNotAsked(absl::Status status);

bool WasNotAsked(const absl::Status& status);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_NOT_ASKED_H_
