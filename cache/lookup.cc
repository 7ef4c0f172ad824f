#include "cache/lookup.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/action.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/merkle_tree.h"
#include "cache/not_asked.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"

namespace ingot::cache {
namespace {

// One lookup in progress: the claim's parts are fetched one by one until something is wrong.
class Check {
 public:
  Check(BlobStore& blob_store, std::string entry)
      : blob_store_(blob_store), entry_(std::move(entry)) {}

  bool Fail(MissReason reason, std::string message) {
    result_.miss_reason = reason;
    result_.message = std::move(message);
    return false;
  }

  bool FailEntry(MissReason reason, std::string_view what) {
    return Fail(reason, absl::StrCat("the cache entry ", entry_, " ", what));
  }

  // A content that the entry holds itself, refers to, or both. `what` names it in messages.
  bool Fetch(std::string_view what, std::string_view inlined, const reapi::Digest* proto,
             Digest& digest, std::string& contents) {
    // Some servers send a digest without a hash for what is not there.
    if (proto == nullptr || (proto->hash().empty() && proto->size_bytes() == 0)) {
      digest = Sha256(inlined);
      contents = std::string(inlined);
      return true;
    }
    absl::StatusOr<Digest> named = FromProto(*proto);
    if (!named.ok()) {
      return FailEntry(
          MissReason::kCorruptEntry,
          absl::StrCat("names ", what, " by a bad digest: ", named.status().message()));
    }
    digest = *std::move(named);
    if (!inlined.empty()) {
      if (Sha256(inlined) != digest) {
        return FailEntry(MissReason::kCorruptEntry,
                         absl::StrCat("holds ", what, ", which does not match its digest"));
      }
      contents = std::string(inlined);
      return true;
    }
    absl::StatusOr<std::string> bytes = blob_store_.Get(digest);
    if (!bytes.ok()) {
      const MissReason reason = absl::IsNotFound(bytes.status())   ? MissReason::kMissingBlob
                                : absl::IsDataLoss(bytes.status()) ? MissReason::kCorruptBlob
                                                                   : MissReason::kStoreError;
      result_.not_asked = WasNotAsked(bytes.status());
      return Fail(reason, absl::StrCat(what, ": ", bytes.status().message()));
    }
    contents = *std::move(bytes);
    result_.bytes_read += digest.size_bytes;
    return true;
  }

  LookupResult TakeResult() && { return std::move(result_); }

 private:
  BlobStore& blob_store_;
  const std::string entry_;
  LookupResult result_;
};

// The outputs of a result by their paths, or nothing if a path is there twice.
std::optional<std::map<std::string_view, const reapi::OutputFile*>> IndexOutputs(
    const reapi::ActionResult& result) {
  std::map<std::string_view, const reapi::OutputFile*> outputs;
  for (const reapi::OutputFile& file : result.output_files()) {
    if (!outputs.emplace(file.path(), &file).second) return std::nullopt;
  }
  return outputs;
}

// Fills `hit` with what `claim` says and `check` confirms.
bool FetchResult(reapi::ActionResult& claim, std::span<const std::string> output_paths,
                 Check& check, CachedResult& hit) {
  if (claim.exit_code() != 0) {
    return check.FailEntry(MissReason::kNonZeroExit,
                           absl::StrCat("is of a failure, with exit code ", claim.exit_code()));
  }
  const auto outputs = IndexOutputs(claim);
  if (!outputs.has_value()) {
    return check.FailEntry(MissReason::kCorruptEntry, "names an output twice");
  }
  // All paths before the first blob: an entry that leaves one out is not worth reading from.
  for (const std::string& path : output_paths) {
    if (!outputs->contains(path)) {
      return check.FailEntry(MissReason::kMissingOutput,
                             absl::StrCat("leaves out the output '", path, "'"));
    }
  }
  hit.output_files.reserve(output_paths.size());
  for (const std::string& path : output_paths) {
    const reapi::OutputFile& file = *outputs->at(path);
    CachedFile& output = hit.output_files.emplace_back();
    output.path = path;
    output.is_executable = file.is_executable();
    // Unlike a standard stream, an output without a digest is not an empty one.
    if (!file.has_digest()) {
      return check.FailEntry(MissReason::kCorruptEntry,
                             absl::StrCat("has no digest for the output '", path, "'"));
    }
    if (!check.Fetch(absl::StrCat("output '", path, "'"), file.contents(), &file.digest(),
                     output.digest, output.contents)) {
      return false;
    }
  }
  Digest unused;
  if (!check.Fetch("standard output", claim.stdout_raw(),
                   claim.has_stdout_digest() ? &claim.stdout_digest() : nullptr, unused,
                   hit.stdout_raw) ||
      !check.Fetch("standard error", claim.stderr_raw(),
                   claim.has_stderr_digest() ? &claim.stderr_digest() : nullptr, unused,
                   hit.stderr_raw)) {
    return false;
  }
  RemoveSeal(claim);
  hit.execution_metadata = std::move(*claim.mutable_execution_metadata());
  return true;
}

std::string StreamDigest(bool has_digest, const reapi::Digest& digest, std::string_view raw) {
  if (has_digest && !digest.hash().empty())
    return absl::StrCat(digest.hash(), "/", digest.size_bytes());
  return Sha256(raw).ToString();
}

// How `present`, for which IsCompleteSuccess() holds, differs from `result`; empty if it does not.
std::string Difference(const reapi::ActionResult& present, const reapi::ActionResult& result) {
  const auto outputs = IndexOutputs(present);
  for (const reapi::OutputFile& file : result.output_files()) {
    const reapi::Digest& before = outputs->at(file.path())->digest();
    if (before.hash() != file.digest().hash()) {
      return absl::StrCat("output '", file.path(), "' was ", before.hash(), "/",
                          before.size_bytes(), " and is now ", file.digest().hash(), "/",
                          file.digest().size_bytes());
    }
  }
  const auto stream = [](std::string_view name, const std::string& before, const std::string& now) {
    return before == now ? std::string() : absl::StrCat(name, " was ", before, " and is now ", now);
  };
  std::string difference = stream(
      "standard output",
      StreamDigest(present.has_stdout_digest(), present.stdout_digest(), present.stdout_raw()),
      StreamDigest(result.has_stdout_digest(), result.stdout_digest(), ""));
  if (!difference.empty()) return difference;
  return stream(
      "standard error",
      StreamDigest(present.has_stderr_digest(), present.stderr_digest(), present.stderr_raw()),
      StreamDigest(result.has_stderr_digest(), result.stderr_digest(), ""));
}

// Whether `present` is a result to compare `result` with. An entry that Lookup() refuses for what
// it says itself is not: nobody was ever given it.
bool IsCompleteSuccess(const reapi::ActionResult& present, const reapi::ActionResult& result) {
  const auto outputs = IndexOutputs(present);
  return present.exit_code() == 0 && outputs.has_value() &&
         std::all_of(result.output_files().begin(), result.output_files().end(),
                     [&](const reapi::OutputFile& file) {
                       const auto found = outputs->find(file.path());
                       return found != outputs->end() && FromProto(found->second->digest()).ok();
                     });
}

// Whether there is a result for `key` that `result` can be compared with; if so, fills in what the
// comparison gave.
bool CompareWithPresent(ActionCache& action_cache, const ActionKey& key,
                        const reapi::ActionResult& result, PublishResult& published) {
  const absl::StatusOr<reapi::ActionResult> present = action_cache.Get(key);
  if (!present.ok() || !IsCompleteSuccess(*present, result)) return false;
  published.difference = Difference(*present, result);
  published.different_result = !published.difference.empty();
  return true;
}

absl::Status Validate(const PublishRequest& request) {
  const std::string& key = request.action.key.hash();
  if (request.exit_code != 0) {
    return absl::InvalidArgumentError(absl::StrCat("a failed compilation (exit code ",
                                                   request.exit_code, ") is not published: ", key));
  }
  reapi::Command command;
  if (!command.ParseFromString(request.action.command)) {
    return absl::InvalidArgumentError(absl::StrCat("the Command of ", key, " does not parse"));
  }
  std::vector<std::string> paths;
  for (const OutputContents& file : request.output_files) paths.push_back(file.path);
  std::sort(paths.begin(), paths.end());
  if (!std::equal(paths.begin(), paths.end(), command.output_paths().begin(),
                  command.output_paths().end())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the outputs to publish for ", key, " are not exactly those that its Command declares"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view MissReasonName(MissReason reason) {
  switch (reason) {
    case MissReason::kNone:
      return "hit";
    case MissReason::kNotFound:
      return "not found";
    case MissReason::kCorruptEntry:
      return "corrupt entry";
    case MissReason::kNonZeroExit:
      return "non-zero exit code";
    case MissReason::kMissingOutput:
      return "missing output";
    case MissReason::kMissingBlob:
      return "missing blob";
    case MissReason::kCorruptBlob:
      return "corrupt blob";
    case MissReason::kStoreError:
      return "store error";
  }
  return "unknown";
}

bool NeedsOverwrite(MissReason reason) {
  switch (reason) {
    case MissReason::kCorruptEntry:
    case MissReason::kNonZeroExit:
    case MissReason::kMissingOutput:
    case MissReason::kMissingBlob:
    case MissReason::kCorruptBlob:
      return true;
    case MissReason::kNone:
    case MissReason::kNotFound:
    case MissReason::kStoreError:
      return false;
  }
  return false;
}

LookupResult Lookup(ActionCache& action_cache, BlobStore& blob_store, const ActionKey& key,
                    std::span<const std::string> output_paths) {
  LookupResult result;
  absl::StatusOr<reapi::ActionResult> claim = action_cache.Get(key);
  if (absl::IsNotFound(claim.status())) {
    result.miss_reason = MissReason::kNotFound;
    return result;
  }
  if (!claim.ok()) {
    result.miss_reason =
        absl::IsDataLoss(claim.status()) ? MissReason::kCorruptEntry : MissReason::kStoreError;
    result.message = std::string(claim.status().message());
    result.not_asked = WasNotAsked(claim.status());
    return result;
  }
  Check check(blob_store, action_cache.LocationOf(key));
  CachedResult hit;
  const bool complete = FetchResult(*claim, output_paths, check, hit);
  result = std::move(check).TakeResult();
  if (complete) result.hit = std::move(hit);
  return result;
}

DescriptionRepairs RepairDescription(BlobStore& blob_store, const EncodedAction& action,
                                     std::span<const EncodedDirectory> input_directories) {
  std::vector<BlobView> blobs = {{action.key.digest(), action.action},
                                 {action.command_digest, action.command}};
  for (const EncodedDirectory& directory : input_directories) {
    blobs.push_back({directory.digest, directory.bytes});
  }
  DescriptionRepairs repairs;
  for (const BlobView& blob : blobs) {
    const absl::StatusOr<std::string> stored = blob_store.Get(blob.digest);
    if (stored.ok()) continue;
    const absl::Status written = blob_store.Put(blob.digest, blob.bytes, PutMode::kOverwrite);
    if (written.ok()) {
      repairs.repaired.emplace_back(stored.status().message());
    } else {
      repairs.failed.push_back(absl::StrCat(stored.status().message(),
                                            "; it could not be replaced: ", written.message()));
    }
  }
  return repairs;
}

absl::StatusOr<PublishResult> Publish(ActionCache& action_cache, BlobStore& blob_store,
                                      const PublishRequest& request) {
  ABSL_RETURN_IF_ERROR(Validate(request));
  const ActionKey& key = request.action.key;

  // In the order in which they are to be stored.
  std::vector<BlobView> blobs;
  reapi::ActionResult result;
  for (const OutputContents& file : request.output_files) {
    blobs.push_back({Sha256(file.contents), file.contents});
    reapi::OutputFile& output = *result.add_output_files();
    output.set_path(file.path);
    ToProto(blobs.back().digest, *output.mutable_digest());
    output.set_is_executable(file.is_executable);
  }
  std::sort(result.mutable_output_files()->begin(), result.mutable_output_files()->end(),
            [](const auto& a, const auto& b) { return a.path() < b.path(); });
  if (!request.stdout_raw.empty()) {
    blobs.push_back({Sha256(request.stdout_raw), request.stdout_raw});
    ToProto(blobs.back().digest, *result.mutable_stdout_digest());
  }
  if (!request.stderr_raw.empty()) {
    blobs.push_back({Sha256(request.stderr_raw), request.stderr_raw});
    ToProto(blobs.back().digest, *result.mutable_stderr_digest());
  }
  *result.mutable_execution_metadata() = request.execution_metadata;
  for (const EncodedDirectory& directory : request.input_directories) {
    blobs.push_back({directory.digest, directory.bytes});
  }
  blobs.push_back({request.action.command_digest, request.action.command});
  blobs.push_back({key.digest(), request.action.action});

  PublishResult published;
  bool replace_entry = true;
  if (CompareWithPresent(action_cache, key, result, published)) {
    if (published.different_result && !request.overwrite) return published;
    replace_entry = request.overwrite;
  }

  std::vector<Digest> missing;
  missing.reserve(blobs.size());
  for (const BlobView& blob : blobs) missing.push_back(blob.digest);
  if (!request.overwrite) {
    ABSL_ASSIGN_OR_RETURN(missing, blob_store.FindMissing(missing));
  }
  std::set<Digest> to_put(missing.begin(), missing.end());
  std::vector<BlobView> new_blobs;
  for (const BlobView& blob : blobs) {
    // Erased, so that a content that occurs twice is written once.
    if (blob.digest == EmptyDigest() || to_put.erase(blob.digest) == 0) continue;
    new_blobs.push_back(blob);
    published.bytes_written += blob.digest.size_bytes;
  }
  ABSL_RETURN_IF_ERROR(
      blob_store.PutAll(new_blobs, request.overwrite ? PutMode::kOverwrite : PutMode::kKeep));
  if (!replace_entry) {
    published.already_present = true;
    return published;
  }
  SealActionResult(key, result);
  absl::Status stored =
      request.overwrite ? action_cache.Update(key, result) : action_cache.Insert(key, result);
  if (absl::IsAlreadyExists(stored)) {
    // Somebody was faster, or what was there before is of no use.
    if (CompareWithPresent(action_cache, key, result, published)) {
      published.already_present = !published.different_result;
      return published;
    }
    stored = action_cache.Update(key, result);
  }
  ABSL_RETURN_IF_ERROR(stored);
  published.bytes_written += static_cast<int64_t>(result.ByteSizeLong());
  return published;
}

}  // namespace ingot::cache
