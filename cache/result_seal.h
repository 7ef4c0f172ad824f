// A check value for entries of the action cache, which unlike blobs have no digest of their own.
//
//   SealActionResult(key, result);                     // before storing
//   std::string bytes = EncodeActionResult(result);    // what a file holds
//   ABSL_ASSIGN_OR_RETURN(result, DecodeActionResult(key, bytes));  // DataLoss if a bit has
//   changed
//
// The seal is one google.protobuf.Any in `execution_metadata.auxiliary_metadata` with the type
// kSealTypeUrl. Its value is a message with one bytes field, number 1: the SHA-256 of the key (as
// "hash/size"), a newline, and the serialised ActionResult without that Any. The key is in it so
// that a whole, undamaged entry in another entry's place is noticed too. A second mark says that
// there should be a seal: `execution_metadata.worker` starts with kWorkerPrefix. Either mark
// without the other is damage.
//
// To pass for a foreign entry, a damaged one would need damage to the worker's name and to every
// eight bytes in a row of the type, and still be a valid message; cut short it never does, as
// EncodeActionResult() puts the marks first.
//
// Other programs read such an entry like any other; what they store has neither mark and is
// accepted as it is, as far as it can be checked at all. The seal is against damage, not against
// forgery: who can write to the cache can seal.

#ifndef INGOT_CACHE_RESULT_SEAL_H_
#define INGOT_CACHE_RESULT_SEAL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "cache/reapi.h"

namespace ingot::cache {

inline constexpr std::string_view kSealTypeUrl = "type.ingot/ingot.cache.ResultSeal.v1";

// The slash keeps apart a machine called "ingot-3", since worker names are often host names.
inline constexpr std::string_view kWorkerPrefix = "ingot/";

// What stores read of an entry: some thousand times a usual one, which names blobs and holds none.
// A message takes up to a hundred times its size in memory (two bytes are an OutputFile), so the
// 64 MiB that a hostile server could make of one would be 8 GiB here.
inline constexpr int64_t kMaximumEntryBytes = int64_t{4} << 20;

// Puts the seal for `key` on `result`, replacing one that is there. `worker` gets kWorkerPrefix
// before what it holds. To be called last: every later change breaks the seal.
void SealActionResult(const ActionKey& key, reapi::ActionResult& result);

// Takes the seal off, for those who show or compare results. The worker's name stays as it is.
void RemoveSeal(reapi::ActionResult& result);

// The message of CheckActionResult()'s error for a result that has all of a seal and is not what
// was sealed, or not for this key: the one fault that another key might not have.
inline constexpr std::string_view kSealMismatch = "the entry does not match its seal";

// Whether a result may be believed to be what was stored for `key`.
//
// OK for a sealed result whose seal is right, and for a foreign one: neither mark, at least one
// field set, no fields unknown to this program at any depth. DataLoss, saying what is wrong, for
// anything else.
absl::Status CheckActionResult(const ActionKey& key, const reapi::ActionResult& result);

// The bytes to store for `result`. `execution_metadata` comes first, out of tag order (which every
// parser accepts): an entry cut off at a field boundary would otherwise lose its marks and pass for
// a foreign one.
std::string EncodeActionResult(const reapi::ActionResult& result);

// Parses and checks the bytes of an entry. DataLoss as CheckActionResult(), and for bytes that are
// empty, do not parse, or have eight bytes or more of the seal's type somewhere but not in its
// place.
absl::StatusOr<reapi::ActionResult> DecodeActionResult(const ActionKey& key,
                                                       std::string_view bytes);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_RESULT_SEAL_H_
