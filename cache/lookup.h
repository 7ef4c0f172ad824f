// Asking the cache for a result, and giving it one. An entry of the action cache is a claim: it
// becomes a hit only when everything it says has been checked.
//
//   LookupResult found = Lookup(action_cache, blob_store, action.key, spec.output_paths);
//   if (found.hit) return Deliver(*found.hit);
//   ... compile ...
//   PublishRequest request{.action = action, .output_files = outputs, ...};
//   request.overwrite = NeedsOverwrite(found.miss_reason);
//   absl::StatusOr<PublishResult> published = Publish(action_cache, blob_store, request);
//   // an error here is one counted warning; the compilation has succeeded

#ifndef INGOT_CACHE_LOOKUP_H_
#define INGOT_CACHE_LOOKUP_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/action.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/merkle_tree.h"
#include "cache/reapi.h"

namespace ingot::cache {

// Why there is no hit.
enum class MissReason {
  kNone,           // there is one
  kNotFound,       // no entry for this key
  kCorruptEntry,   // the entry is damaged, or contradicts itself
  kNonZeroExit,    // somebody stored a failure
  kMissingOutput,  // the entry leaves out a declared output
  kMissingBlob,    // the entry names a blob that the store does not have
  kCorruptBlob,    // the store has other bytes under the blob's name
  kStoreError,     // the store could not be asked: permissions, a broken disk, a connection
};

// "not found", "corrupt entry" and so on.
std::string_view MissReasonName(MissReason reason);

// True if something wrong was found, which only writing everything again repairs.
bool NeedsOverwrite(MissReason reason);

// An output of a hit; the bytes have been checked.
struct CachedFile {
  std::string path;
  Digest digest;
  std::string contents;
  bool is_executable = false;
};

struct CachedResult {
  // The declared outputs, in the order in which they were declared.
  std::vector<CachedFile> output_files;
  std::string stdout_raw;
  std::string stderr_raw;
  // Who made it and when; without the seal.
  reapi::ExecutedActionMetadata execution_metadata;
};

struct LookupResult {
  std::optional<CachedResult> hit;
  MissReason miss_reason = MissReason::kNone;
  // For a miss: what was found, in a sentence that names the file or the address. Empty for
  // kNotFound.
  std::string message;
  // For kStoreError: the store was not asked any more (cache/not_asked.h).
  bool not_asked = false;
  // Bytes of blobs that were read, a hit's or not.
  int64_t bytes_read = 0;
};

// Looks for the result of the Action with `key`, whose Command declares `output_paths`. Reads the
// entry, then the blobs, so each counts as used in that order. Never an error: whatever is wrong is
// a miss with its reason.
LookupResult Lookup(ActionCache& action_cache, BlobStore& blob_store, const ActionKey& key,
                    std::span<const std::string> output_paths);

// A sentence about each blob that was not as it should be, naming the file.
struct DescriptionRepairs {
  std::vector<std::string> repaired;
  std::vector<std::string> failed;  // those that could not be written again
};

// Makes sure that the blobs which say what a result is the result of are as they should be: the
// Action, its Command and the Directory messages of its input root. A hit needs none of them, but
// other questions about it do. Each counts as used, so that eviction does not take them before the
// result; one that is gone or damaged is written again.
DescriptionRepairs RepairDescription(BlobStore& blob_store, const EncodedAction& action,
                                     std::span<const EncodedDirectory> input_directories);

// An output to be stored. The bytes are not copied and must outlive the call.
struct OutputContents {
  std::string path;
  std::string_view contents;
  bool is_executable = false;
};

// What Publish() stores. The references must outlive the call.
struct PublishRequest {
  const EncodedAction& action;
  // The Directory messages of the input root, so that a later "why did this miss" can compare
  // inputs.
  std::span<const EncodedDirectory> input_directories;
  std::span<const OutputContents> output_files;
  std::string_view stdout_raw;
  std::string_view stderr_raw;
  int32_t exit_code = 0;
  // Who made it and when. The worker's name gets kWorkerPrefix.
  reapi::ExecutedActionMetadata execution_metadata;
  // Write everything again even if it seems to be there: after a miss for which NeedsOverwrite()
  // holds.
  bool overwrite = false;
};

struct PublishResult {
  // There was a believable result for this key with other bytes: either the compilation is not
  // deterministic or the cache was poisoned. Somebody should be told. The first result stays, so
  // that all who ask get the same one, unless the request was to overwrite.
  bool different_result = false;
  // For a different result: which output, with both digests.
  std::string difference;
  // There was an equal result already, which was left as it is.
  bool already_present = false;
  // Bytes given to the stores.
  int64_t bytes_written = 0;
};

// Stores a result: outputs, standard streams and Directory messages, then Command and Action, then
// the sealed entry; so that nothing is ever named before it is there. Stops at the first error,
// whose status it returns; what was stored until then does no harm.
//
// InvalidArgument, storing nothing, for a failed compilation, for outputs that are not exactly
// those the Command declares, and for a path given twice.
absl::StatusOr<PublishResult> Publish(ActionCache& action_cache, BlobStore& blob_store,
                                      const PublishRequest& request);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOOKUP_H_
