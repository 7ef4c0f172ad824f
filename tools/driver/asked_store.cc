#include "tools/driver/asked_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/decorators/local_first_blob_store.h"
#include "cache/description.h"
#include "cache/digest.h"
#include "cache/history.h"
#include "cache/local/local_store.h"
#include "cache/lookup.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"
#include "tools/driver/environment.h"
#include "tools/driver/remote_flags.h"
#include "tools/driver/store.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;

// Fewer digits are more likely a mistake than a key.
constexpr size_t kShortestPrefix = 8;
constexpr size_t kHashDigits = 64;

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// The hashes of entries that start with `prefix`, in the store or in its history.
std::set<std::string> HashesWith(std::string_view prefix, const AskedStore& store) {
  std::set<std::string> hashes;
  for (const std::unique_ptr<LocalFolder>& folder : store.folders) {
    std::error_code error;
    const fs::path shard = fs::path(folder->path) / "ac" / prefix.substr(0, 2);
    for (fs::directory_iterator it(shard, error), end; !error && it != end; it.increment(error)) {
      std::string name = it->path().filename().string();
      if (cache::IsSha256Hex(name) && absl::StartsWith(name, prefix)) {
        hashes.insert(std::move(name));
      }
    }
  }
  for (const cache::HistoryEvent& event : store.history.events) {
    const std::string_view hash = std::string_view(event.key).substr(0, kHashDigits);
    if (cache::IsSha256Hex(hash) && absl::StartsWith(hash, prefix)) hashes.emplace(hash);
  }
  return hashes;
}

// The size of the Action, which is a part of the key and not of the name of the entry; 0 if nobody
// knows it.
int64_t ActionSize(const std::string& hash, const AskedStore& store) {
  for (const std::unique_ptr<LocalFolder>& folder : store.folders) {
    const std::string path = folder->blobs.LocationOf({hash, 0});
    struct stat status;
    // A damaged file has any size.
    if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        folder->blobs.Get({hash, status.st_size}).ok()) {
      return status.st_size;
    }
  }
  if (const cache::HistoryEvent* event = store.history.LastPublicationOf(hash)) {
    const absl::StatusOr<cache::Digest> digest = cache::Digest::Parse(event->key);
    if (digest.ok()) return digest->size_bytes;
  }
  return 0;
}

absl::Time LastUse(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return absl::InfinitePast();
  return absl::TimeFromTimespec(status.st_mtim);
}

bool IsSealed(const cache::reapi::ActionResult& result) {
  return absl::StartsWith(result.execution_metadata().worker(), cache::kWorkerPrefix);
}

// Some results are found by more than their hash: the seal has the size in it. On this machine the
// size is that of a file; a remote is not worth guessing at.
bool CanBeAsked(const AskedPlace& place, const cache::ActionKey& key) {
  return !place.is_remote || key.digest().size_bytes > 0;
}

constexpr std::string_view kSizeUnknown =
    "it was not asked, since the size in the key is not known here; give HASH/SIZE";

// What one place has for one key, so that it is asked once.
class RememberedEntry final : public cache::ActionCache {
 public:
  RememberedEntry(const absl::StatusOr<cache::reapi::ActionResult>& entry, std::string location)
      : entry_(entry), location_(std::move(location)) {}

  absl::StatusOr<cache::reapi::ActionResult> Get(const cache::ActionKey& /*key*/) override {
    return entry_;
  }
  absl::Status Update(const cache::ActionKey& /*key*/,
                      const cache::reapi::ActionResult& /*action_result*/) override {
    return absl::UnimplementedError("questions change nothing");
  }
  std::string LocationOf(const cache::ActionKey& /*key*/) const override { return location_; }

 private:
  const absl::StatusOr<cache::reapi::ActionResult>& entry_;
  const std::string location_;
};

// What to check in `entry`, which is the one of `key`.
std::vector<std::string> OutputsOf(const AskedStore& store, const cache::ActionKey& key,
                                   const cache::reapi::ActionResult& entry) {
  // Others declare folders too, which an entry has elsewhere.
  if (IsSealed(entry)) {
    const absl::StatusOr<cache::Description> description = Describe(store, key);
    if (description.ok() && description->has_command) return description->output_paths;
  }
  std::vector<std::string> outputs;
  for (const auto& file : entry.output_files()) outputs.push_back(file.path());
  return outputs;
}

KeyAnswer Stored(const FoundResult& found) {
  const auto& metadata = found.hit->execution_metadata;
  const AskedPlace& place = *found.entry.place;
  KeyAnswer answer{.state = KeyState::kStored,
                   .text = absl::StrCat("the result is in ", place.Describe()),
                   .time = std::nullopt,
                   .place = &place,
                   .notes = {}};
  if (metadata.has_execution_completed_timestamp()) {
    answer.time = ToTime(metadata.execution_completed_timestamp());
    absl::StrAppend(&answer.text, ", made ", FormatForPeople(*answer.time));
  }
  absl::StrAppend(&answer.text, found.entry.is_sealed ? "" : " by another program than Ingot");
  if (!place.is_remote) {
    absl::StrAppend(&answer.text, ", last used ", FormatForPeople(LastUse(found.entry.location)));
  }
  for (const PlaceMiss& miss : found.misses) {
    if (miss.reason == cache::MissReason::kNotFound) continue;
    answer.notes.push_back(absl::StrCat("not from ", miss.place->Describe(), ": ",
                                        cache::MissReasonName(miss.reason), ": ", miss.message));
  }
  return answer;
}

// Nothing is stored for `key`: what does the history know?
KeyAnswer Gone(const AskedStore& store, const cache::ActionKey& key) {
  const cache::HistoryEvent* published = store.history.LastPublicationOf(key.hash());
  if (published == nullptr) {
    std::vector<std::string> names;
    for (const AskedPlace& place : store.places) {
      if (CanBeAsked(place, key)) names.push_back(place.name);
    }
    return {.state = KeyState::kNeverStored,
            .text = absl::StrCat("no result of this key is in ", absl::StrJoin(names, " or "),
                                 ", and as far as is known there never was one"),
            .time = std::nullopt,
            .notes = {}};
  }
  const std::string when = absl::StrCat(published->kind == cache::HistoryEventKind::kCopied
                                            ? "it was copied here from another store "
                                            : "it was stored ",
                                        FormatForPeople(published->time));
  if (const cache::HistoryEvent* reset = store.history.ResetAfter(*published)) {
    return {.state = KeyState::kReset,
            .text = absl::StrCat(when, ", and the store was reset ", FormatForPeople(reset->time)),
            .time = reset->time,
            .notes = {}};
  }
  return {.state = KeyState::kEvicted,
          .text = absl::StrCat(when,
                               " and has been evicted since: by a garbage collection, or by hand"),
          .time = published->time,
          .notes = {}};
}

KeyAnswer Explain(const AskedStore& store, const cache::ActionKey& key, const PlaceMiss& miss) {
  switch (miss.reason) {
    case cache::MissReason::kNotFound:
    case cache::MissReason::kNone:
      return Gone(store, key);
    case cache::MissReason::kMissingBlob: {
      KeyAnswer answer{.state = KeyState::kEvicted,
                       .text = absl::StrCat("its entry is there but a file that it names has been "
                                            "evicted: ",
                                            miss.message),
                       .time = std::nullopt,
                       .notes = {}};
      if (const auto* published = store.history.LastPublicationOf(key.hash())) {
        answer.time = published->time;
      }
      return answer;
    }
    case cache::MissReason::kStoreError:
      return {.state = KeyState::kUnreadable,
              .text = absl::StrCat("the store cannot be asked: ", miss.message),
              .time = std::nullopt,
              .notes = {}};
    default:
      return {.state = KeyState::kCorrupt,
              .text = absl::StrCat(cache::MissReasonName(miss.reason), ": ", miss.message),
              .time = std::nullopt,
              .notes = {}};
  }
}

// Whether the state says no more than that there is nothing.
bool IsAbsence(KeyState state) {
  return state == KeyState::kNeverStored || state == KeyState::kEvicted ||
         state == KeyState::kReset;
}

// Adds to `answer`, which is what the other places say, that the remote could not answer. Damage is
// graver; of what is only gone, or never was, the remote may have a copy.
void AddRemoteError(const std::string& error, KeyAnswer& answer) {
  if (!IsAbsence(answer.state)) {
    answer.notes.push_back(RemoteErrorText(error));
    return;
  }
  answer.local_state = answer.state;
  answer.notes.push_back(
      absl::StrCat("on this machine: ", KeyStateName(answer.state), ": ", answer.text));
  answer.state = KeyState::kRemoteError;
  answer.text = absl::StrCat("the remote cache could not answer: ", error);
  answer.time = std::nullopt;
}

std::optional<AskedStore> Ask(std::optional<Store> store) {
  if (!store.has_value()) return std::nullopt;
  AskedStore asked{.path = store->path,
                   .folders = {},
                   .remote = std::move(store->remote),
                   .remote_blobs = nullptr,
                   .places = {},
                   .refusals = store->refusals,
                   .history = {}};
  const auto add_folder = [&](std::string kind, const std::string& path) {
    asked.folders.push_back(std::make_unique<LocalFolder>(path, cache::Access::kLook));
    LocalFolder& folder = *asked.folders.back();
    asked.places.push_back({std::move(kind), path, &folder.actions, &folder.blobs});
  };
  const bool has_local = !store->refused && !asked.path.empty();
  if (has_local) add_folder("local", asked.path);
  int number = 0;
  for (const std::unique_ptr<LocalFolder>& layer : store->layers) {
    add_folder(absl::StrCat("layer ", ++number), layer->path);
  }
  if (asked.remote != nullptr) {
    cache::BlobStore* blobs = &asked.remote->blobs();
    if (has_local) {
      asked.remote_blobs =
          std::make_unique<cache::LocalFirstBlobStore>(asked.folders.front()->blobs, *blobs);
      blobs = asked.remote_blobs.get();
    }
    asked.places.push_back({"remote", asked.remote->Describe(), &asked.remote->actions(), blobs,
                            /*is_remote=*/true});
  }
  if (store->history.has_value()) asked.history = store->history->Read();
  return asked;
}

absl::StatusOr<AskedStore> Require(const StorePaths& paths, std::optional<AskedStore> asked) {
  if (asked.has_value()) return *std::move(asked);
  return absl::InvalidArgumentError(absl::StrCat(
      "no store: ", paths.store_problem.empty() ? "--disk_cache is empty" : paths.store_problem));
}

}  // namespace

std::string AskedPlace::Describe() const {
  if (is_remote) return absl::StrCat("the remote cache ", name);
  return kind == "local" ? absl::StrCat("the local store ", name) : absl::StrCat(kind, ", ", name);
}

absl::StatusOr<AskedStore> OpenToAsk(const Environment& environment, const StorePaths& paths,
                                     const RemoteFlags& remote) {
  absl::StatusOr<std::optional<AskedStore>> asked = OpenToAskIfAny(environment, paths, remote);
  if (!asked.ok()) return asked.status();
  return Require(paths, *std::move(asked));
}

absl::StatusOr<AskedStore> OpenToAsk(const StorePaths& paths) {
  return Require(paths, Ask(OpenStore(paths)));
}

absl::StatusOr<std::optional<AskedStore>> OpenToAskIfAny(const Environment& environment,
                                                         const StorePaths& paths,
                                                         const RemoteFlags& remote) {
  absl::StatusOr<std::optional<Store>> store = OpenStoreWithRemote(environment, paths, remote);
  if (!store.ok()) return store.status();
  return Ask(*std::move(store));
}

bool LooksLikeKey(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) return cache::Digest::Parse(text).ok();
  return text.size() >= kShortestPrefix && text.size() <= kHashDigits && IsHex(text);
}

absl::StatusOr<cache::ActionKey> ResolveKey(const std::string& text, const AskedStore& store) {
  if (absl::StrContains(text, '/')) {
    absl::StatusOr<cache::Digest> digest = cache::Digest::Parse(text);
    if (!digest.ok()) return digest.status();
    const int64_t size = ActionSize(digest->hash, store);
    if (size > 0 && size != digest->size_bytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the size in the key ", text, " does not match: the key is ", digest->hash, "/", size));
    }
    return cache::ActionKey(*std::move(digest));
  }
  if (!LooksLikeKey(text)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text,
                     "' is no key: give HASH/SIZE, as `ingot compile -v` shows it, or at "
                     "least the first ",
                     kShortestPrefix, " digits of the hash"));
  }
  if (text.size() == kHashDigits) return cache::ActionKey({text, ActionSize(text, store)});
  const std::set<std::string> hashes = HashesWith(text, store);
  if (hashes.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no key in ", store.path, " or its history starts with ", text));
  }
  if (hashes.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(hashes.size(), " keys start with ", text, ": ", absl::StrJoin(hashes, ", ")));
  }
  return cache::ActionKey({*hashes.begin(), ActionSize(*hashes.begin(), store)});
}

absl::StatusOr<FoundEntry> FindEntry(const AskedStore& store, const cache::ActionKey& key,
                                     Reach reach, std::string* remote_error) {
  absl::Status first_error;
  for (const AskedPlace& place : store.places) {
    if (!CanBeAsked(place, key) || (place.is_remote && reach == Reach::kThisMachine)) continue;
    absl::StatusOr<cache::reapi::ActionResult> result = place.actions->Get(key);
    if (result.ok()) {
      const bool is_sealed = IsSealed(*result);
      return FoundEntry{&place, place.actions->LocationOf(key), *std::move(result), is_sealed};
    }
    if (absl::IsNotFound(result.status())) continue;
    absl::Status error = result.status();
    if (place.is_remote && !absl::IsDataLoss(error)) {
      if (remote_error != nullptr) *remote_error = std::string(error.message());
      error = absl::UnavailableError(RemoteErrorText(error.message()));
    }
    if (first_error.ok()) first_error = std::move(error);
  }
  if (!first_error.ok()) return first_error;
  std::vector<std::string> sentences = store.refusals;
  for (const AskedPlace& place : store.places) {
    sentences.push_back(CanBeAsked(place, key)
                            ? absl::StrCat(place.name, " has no result of the key ", key.ToString())
                            : absl::StrCat(place.name, ": ", kSizeUnknown));
  }
  return absl::NotFoundError(absl::StrJoin(sentences, "; "));
}

absl::StatusOr<cache::Description> Describe(const AskedStore& store, const cache::ActionKey& key,
                                            Reach reach) {
  absl::Status first_error =
      absl::NotFoundError(absl::StrCat("no folder of ", store.path, " may be used"));
  bool is_first = true;
  for (const AskedPlace& place : store.places) {
    if (place.is_remote && (reach == Reach::kThisMachine || !CanBeAsked(place, key))) continue;
    absl::StatusOr<cache::Description> description = cache::ReadDescription(*place.blobs, key);
    if (description.ok()) return description;
    if (std::exchange(is_first, false)) first_error = description.status();
  }
  return first_error;
}

FoundResult FindResult(const AskedStore& store, const cache::ActionKey& key,
                       const std::optional<std::vector<std::string>>& output_paths) {
  FoundResult found;
  for (const AskedPlace& place : store.places) {
    if (!CanBeAsked(place, key)) {
      found.misses.push_back({&place, cache::MissReason::kNotFound, std::string(kSizeUnknown)});
      continue;
    }
    const absl::StatusOr<cache::reapi::ActionResult> entry = place.actions->Get(key);
    std::vector<std::string> outputs;
    if (output_paths.has_value()) {
      outputs = *output_paths;
    } else if (entry.ok()) {
      outputs = OutputsOf(store, key, *entry);
    }
    RememberedEntry remembered(entry, place.actions->LocationOf(key));
    cache::LookupResult result = cache::Lookup(remembered, *place.blobs, key, outputs);
    if (result.hit.has_value()) {
      found.hit = std::move(result.hit);
      found.entry = {&place, place.actions->LocationOf(key), {}, IsSealed(*entry)};
      return found;
    }
    if (place.is_remote && result.miss_reason == cache::MissReason::kStoreError) {
      found.remote_error = result.message;
    }
    found.misses.push_back({&place, result.miss_reason, std::move(result.message)});
  }
  return found;
}

KeyAnswer AskAbout(const AskedStore& store, const cache::ActionKey& key,
                   const std::optional<std::vector<std::string>>& output_paths) {
  const FoundResult found = FindResult(store, key, output_paths);
  if (found.hit.has_value()) return Stored(found);
  if (found.misses.empty()) {
    return {.state = KeyState::kUnreadable,
            .text = absl::StrJoin(store.refusals, "; "),
            .time = std::nullopt,
            .notes = {}};
  }
  // Something wrong says more than nothing at all.
  PlaceMiss worst;
  for (const PlaceMiss& miss : found.misses) {
    const bool is_remote_error =
        miss.place->is_remote && miss.reason == cache::MissReason::kStoreError;
    if (worst.reason == cache::MissReason::kNotFound && !is_remote_error) worst = miss;
  }
  KeyAnswer answer = Explain(store, key, worst);
  if (!found.remote_error.empty()) AddRemoteError(found.remote_error, answer);
  for (const PlaceMiss& miss : found.misses) {
    if (miss.message != kSizeUnknown) continue;
    answer.notes.push_back(absl::StrCat(miss.place->Describe(), ": ", miss.message));
  }
  for (const std::string& refusal : store.refusals) answer.notes.push_back(refusal);
  return answer;
}

std::string RemoteErrorText(std::string_view message) {
  return absl::StrCat("remote error: ", message);
}

std::string_view KeyStateName(KeyState state) {
  switch (state) {
    case KeyState::kStored:
      return "stored";
    case KeyState::kNeverStored:
      return "never stored";
    case KeyState::kEvicted:
      return "evicted";
    case KeyState::kReset:
      return "reset";
    case KeyState::kCorrupt:
      return "corrupt";
    case KeyState::kDisowned:
      return "disowned";
    case KeyState::kUnreadable:
      return "unreadable";
    case KeyState::kRemoteError:
      return "remote error";
  }
  return "unknown";
}

std::string FormatForPeople(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", time, absl::UTCTimeZone());
}

std::string FormatForPrograms(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

absl::Time ToTime(const google::protobuf::Timestamp& timestamp) {
  return absl::FromUnixSeconds(timestamp.seconds()) + absl::Nanoseconds(timestamp.nanos());
}

}  // namespace ingot::driver
