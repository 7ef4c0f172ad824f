// The action cache as the rest of the program sees it: from the key of an Action to a claim about
// its result.
//
//   absl::StatusOr<reapi::ActionResult> claim = cache.Get(key);
//
// Most callers want cache/lookup.h instead, which checks the claim.

#ifndef INGOT_CACHE_ACTION_CACHE_H_
#define INGOT_CACHE_ACTION_CACHE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "cache/reapi.h"

namespace ingot::cache {

// Implementations are thread-safe, never throw and print nothing. Their statuses name the file or
// the address that failed. No fault of a cache may fail a compilation, so callers treat every error
// as a miss after counting it.
class ActionCache {
 public:
  virtual ~ActionCache() = default;

  // The entry of `key`, which passed the checks of cache/result_seal.h and no others: its blobs may
  // be gone or damaged. NotFound if there is none, DataLoss if what is there is damaged; any other
  // code is a fault of the cache.
  //
  // Counts as a use of the entry. Reading an entry before its blobs leaves the entry the older of
  // the two, so that eviction by last use takes it first and leaves no entry without its blobs;
  // callers must keep to this order.
  virtual absl::StatusOr<reapi::ActionResult> Get(const ActionKey& key) = 0;

  // Stores `action_result`, replacing what is there. Everything it refers to must have been stored
  // before. A reader sees the old entry or the new one, never a part.
  virtual absl::Status Update(const ActionKey& key, const reapi::ActionResult& action_result) = 0;

  // Stores `action_result` unless there is an entry, readable or not: then AlreadyExists, and the
  // entry stays. Of several writers at once exactly one gets OK. A cache whose protocol cannot say
  // this stores like Update(), as this default does.
  virtual absl::Status Insert(const ActionKey& key, const reapi::ActionResult& action_result) {
    return Update(key, action_result);
  }

  // Where the entry is, or would be: a path or an address, for messages. Touches nothing.
  virtual std::string LocationOf(const ActionKey& key) const = 0;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_ACTION_CACHE_H_
