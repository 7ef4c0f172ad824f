#include "cache/tiered_cache.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/lookup.h"
#include "cache/merkle_tree.h"

namespace ingot::cache {
namespace {

PublishRequest RequestForCopy(const TieredLookupRequest& request, const CachedResult& hit,
                              std::span<const OutputContents> outputs) {
  return {.action = request.action,
          .input_directories = request.input_directories,
          .output_files = outputs,
          .stdout_raw = hit.stdout_raw,
          .stderr_raw = hit.stderr_raw,
          .exit_code = 0,
          .execution_metadata = hit.execution_metadata};
}

}  // namespace

MissReason TieredLookup::Reason() const {
  // Damage is worth more attention than absence, wherever it is.
  for (const TierMiss& miss : misses) {
    if (NeedsOverwrite(miss.reason)) return miss.reason;
  }
  for (const TierMiss& miss : misses) {
    if (miss.reason == MissReason::kStoreError) return miss.reason;
  }
  return misses.empty() ? MissReason::kNone : misses.front().reason;
}

bool TieredCache::HasSharedTier() const {
  return std::any_of(tiers_.begin(), tiers_.end(), [](const Tier& tier) {
    return tier.kind == TierKind::kRemote || !tier.writable;
  });
}

TieredLookup TieredCache::Lookup(const TieredLookupRequest& request, size_t tier_limit) {
  TieredLookup found;
  for (size_t i = 0; i < std::min(tier_limit, tiers_.size()); ++i) {
    const Tier& tier = tiers_[i];
    LookupResult result =
        cache::Lookup(*tier.actions, *tier.blobs, request.action.key, request.output_paths);
    found.bytes_read += result.bytes_read;
    if (!result.hit.has_value()) {
      found.misses.push_back({result.miss_reason, std::move(result.message), result.not_asked});
      continue;
    }
    found.hit = std::move(result.hit);
    found.hit_tier = i;
    found.hit_kind = tier.kind;
    if (tier.kind == TierKind::kLocal && tier.writable) RepairDescriptionOnce(request, i, found);
    CopyToFasterTiers(request, found);
    break;
  }
  return found;
}

void TieredCache::RepairDescriptionOnce(const TieredLookupRequest& request, size_t tier,
                                        TieredLookup& found) {
  std::vector<EncodedDirectory> unchecked;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const EncodedDirectory& directory : request.input_directories) {
      if (!whole_directories_.contains({tier, directory.digest})) unchecked.push_back(directory);
    }
  }
  found.description = RepairDescription(*tiers_[tier].blobs, request.action, unchecked);
  if (!found.description.repaired.empty() || !found.description.failed.empty()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const EncodedDirectory& directory : unchecked) {
    whole_directories_.emplace(tier, directory.digest);
  }
}

void TieredCache::CopyToFasterTiers(const TieredLookupRequest& request, TieredLookup& found) {
  std::vector<OutputContents> outputs;
  for (const CachedFile& file : found.hit->output_files) {
    outputs.push_back({file.path, file.contents, file.is_executable});
  }
  PublishRequest copy = RequestForCopy(request, *found.hit, outputs);
  for (size_t i = 0; i < found.hit_tier; ++i) {
    const Tier& tier = tiers_[i];
    if (!tier.writable || found.misses[i].reason == MissReason::kStoreError) continue;
    copy.overwrite = NeedsOverwrite(found.misses[i].reason);
    const absl::StatusOr<PublishResult> published =
        cache::Publish(*tier.actions, *tier.blobs, copy);
    if (!published.ok()) {
      found.copy_faults.push_back(absl::StrCat("the result was not copied to ", tier.name, ": ",
                                               published.status().message()));
      continue;
    }
    if (published->different_result) {
      found.conflicts.push_back(absl::StrCat("in ", tier.name, ", before that of ",
                                             tiers_[found.hit_tier].name, ": ",
                                             published->difference));
      if (!copy.overwrite) continue;
    }
    ++found.copies;
    if (copy.overwrite) ++found.repaired;
    found.bytes_written += published->bytes_written;
  }
}

std::vector<TierPublish> TieredCache::Publish(
    const PublishRequest& request, const TieredLookup& found,
    absl::FunctionRef<void(const TierPublish&)> after_each) {
  std::vector<TierPublish> published;
  PublishRequest one = request;
  for (size_t i = 0; i < tiers_.size(); ++i) {
    const Tier& tier = tiers_[i];
    const MissReason reason =
        i < found.misses.size() ? found.misses[i].reason : MissReason::kNotFound;
    if (!tier.writable || reason == MissReason::kStoreError) continue;
    one.overwrite = NeedsOverwrite(reason);
    TierPublish& outcome = published.emplace_back();
    outcome.tier = i;
    outcome.overwritten = one.overwrite;
    absl::StatusOr<PublishResult> result = cache::Publish(*tier.actions, *tier.blobs, one);
    outcome.status = result.status();
    if (result.ok()) outcome.result = *std::move(result);
    after_each(outcome);
    if (outcome.result.different_result && !one.overwrite) break;
  }
  return published;
}

}  // namespace ingot::cache
