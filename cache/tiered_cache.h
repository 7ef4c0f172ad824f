// Several stores as one cache: the fastest is asked first, what a slower one knows is copied into
// the faster ones, and a new result goes to all that may be written.
//
//   LocalActionCache actions("/home/me/.cache/ingot"), image_actions("/opt/cache");
//   LocalBlobStore blobs("/home/me/.cache/ingot"), image_blobs("/opt/cache");
//   TieredCache cache({{.name = "/home/me/.cache/ingot", .actions = &actions, .blobs = &blobs},
//                      {.name = "/opt/cache", .writable = false, .actions = &image_actions,
//                       .blobs = &image_blobs}});
//   TieredLookup found = cache.Lookup({action, directories, output_paths});
//   if (!found.hit) { ... compile ...; cache.Publish(request, found); }
//
// Each tier's claim is checked against that tier's blobs, and an entry is copied after its blobs;
// so whatever a tier holds is complete by itself. A tier that failed with an error of its own (not
// with damage, which is repaired) is left alone for the rest of the request.

#ifndef INGOT_CACHE_TIERED_CACHE_H_
#define INGOT_CACHE_TIERED_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "cache/action.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/lookup.h"
#include "cache/merkle_tree.h"

namespace ingot::cache {

enum class TierKind { kLocal, kRemote };

// The stores are the caller's and must outlive the cache.
struct Tier {
  std::string name;  // for messages: a folder or an address
  TierKind kind = TierKind::kLocal;
  bool writable = true;  // whether results are published and repaired here
  ActionCache* actions = nullptr;
  BlobStore* blobs = nullptr;
};

// What is looked for. The references must outlive the call.
struct TieredLookupRequest {
  const EncodedAction& action;
  std::span<const EncodedDirectory> input_directories;
  std::span<const std::string> output_paths;
};

struct TierMiss {
  MissReason reason = MissReason::kNotFound;
  std::string message;  // as LookupResult has both
  bool not_asked = false;
};

struct TieredLookup {
  std::optional<CachedResult> hit;
  size_t hit_tier = 0;
  TierKind hit_kind = TierKind::kLocal;
  // Of the tiers that were asked before the hit, or of all: why they had none.
  std::vector<TierMiss> misses;
  // What was wrong with the description of a hit's request, in the hit's own tier.
  DescriptionRepairs description;
  // What copies into faster tiers met, in sentences.
  std::vector<std::string> copy_faults;
  // How the results that faster tiers have, and could not give, differ from the hit: the alarm of
  // PublishResult::different_result. Only what was incomplete or damaged there was written over.
  std::vector<std::string> conflicts;
  int copies = 0;    // faster tiers that have the hit now
  int repaired = 0;  // of those, the ones where it replaced something damaged or incomplete
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;

  // The reason to give for a miss as a whole: the gravest of those that the writable tiers gave,
  // else that of the first.
  MissReason Reason() const;
};

// What became of a result in one tier.
struct TierPublish {
  size_t tier = 0;
  absl::Status status;
  PublishResult result;      // if `status` is OK
  bool overwritten = false;  // over something damaged or incomplete
};

// Thread-safe if the stores are.
class TieredCache {
 public:
  explicit TieredCache(std::vector<Tier> tiers) : tiers_(std::move(tiers)) {}

  std::span<const Tier> tiers() const { return tiers_; }

  // Whether a tier has results that others may have made: a remote cache, or a layer.
  bool HasSharedTier() const;

  // Asks the first `tier_limit` tiers in their order until one has a hit. A hit's description is
  // checked and repaired where the tier is local and writable; each blob of it once in the life of
  // this object, as what many requests share would otherwise be read for each of them. Never an
  // error.
  TieredLookup Lookup(const TieredLookupRequest& request, size_t tier_limit = SIZE_MAX);

  // Publishes to every writable tier, in their order, except those that `found` reports a
  // kStoreError for; writes over what `found` reports as damaged. Ends with a tier that holds a
  // different result: it must not be contradicted by the next one. `request.overwrite` is ignored.
  // Calls `after_each` as soon as a tier is done, before the next one, which may be a slow one.
  std::vector<TierPublish> Publish(
      const PublishRequest& request, const TieredLookup& found,
      absl::FunctionRef<void(const TierPublish&)> after_each = [](const TierPublish&) {});

 private:
  void CopyToFasterTiers(const TieredLookupRequest& request, TieredLookup& found);
  void RepairDescriptionOnce(const TieredLookupRequest& request, size_t tier, TieredLookup& found);

  const std::vector<Tier> tiers_;

  std::mutex mutex_;
  // Directories that were found whole, with the tier that they are in. Guarded by mutex_.
  std::set<std::pair<size_t, Digest>> whole_directories_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_TIERED_CACHE_H_
