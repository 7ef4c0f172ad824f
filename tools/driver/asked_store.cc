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
#include "cache/description.h"
#include "cache/digest.h"
#include "cache/history.h"
#include "cache/local/local_store.h"
#include "cache/lookup.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"
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

// The size of the Action, which is a part of the key and not of the name of the entry.
int64_t ActionSize(const std::string& hash, const AskedStore& store) {
  for (const std::unique_ptr<LocalFolder>& folder : store.folders) {
    const std::string path = folder->blobs.LocationOf({hash, 0});
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) return status.st_size;
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

KeyAnswer Stored(const FoundEntry& entry) {
  const auto& metadata = entry.result.execution_metadata();
  KeyAnswer answer{.state = KeyState::kStored,
                   .text = absl::StrCat("the result is in ", entry.folder->path),
                   .time = std::nullopt};
  if (metadata.has_execution_completed_timestamp()) {
    answer.time = ToTime(metadata.execution_completed_timestamp());
    absl::StrAppend(&answer.text, ", made ", FormatForPeople(*answer.time));
  }
  absl::StrAppend(&answer.text, entry.is_sealed ? "" : " by another program than Ingot",
                  ", last used ", FormatForPeople(LastUse(entry.location)));
  return answer;
}

// Nothing is stored for `key`: what does the history know?
KeyAnswer Gone(const AskedStore& store, const cache::ActionKey& key) {
  const cache::HistoryEvent* published = store.history.LastPublicationOf(key.hash());
  if (published == nullptr) {
    return {.state = KeyState::kNeverStored,
            .text = absl::StrCat("no result of this key is in ", store.path,
                                 ", and as far as is known there never was one"),
            .time = std::nullopt};
  }
  const std::string when = FormatForPeople(published->time);
  if (const cache::HistoryEvent* reset = store.history.ResetAfter(*published)) {
    return {.state = KeyState::kReset,
            .text = absl::StrCat("it was stored ", when, ", and the store was reset ",
                                 FormatForPeople(reset->time)),
            .time = reset->time};
  }
  return {.state = KeyState::kEvicted,
          .text = absl::StrCat("it was stored ", when,
                               " and has been evicted since: by a garbage collection, or by hand"),
          .time = published->time};
}

KeyAnswer Explain(const AskedStore& store, const cache::ActionKey& key,
                  const cache::LookupResult& found) {
  switch (found.miss_reason) {
    case cache::MissReason::kNotFound:
    case cache::MissReason::kNone:
      return Gone(store, key);
    case cache::MissReason::kMissingBlob: {
      KeyAnswer answer{.state = KeyState::kEvicted,
                       .text = absl::StrCat("its entry is there but a file that it names has been "
                                            "evicted: ",
                                            found.message),
                       .time = std::nullopt};
      if (const auto* published = store.history.LastPublicationOf(key.hash())) {
        answer.time = published->time;
      }
      return answer;
    }
    case cache::MissReason::kStoreError:
      return {.state = KeyState::kUnreadable,
              .text = absl::StrCat("the store cannot be asked: ", found.message),
              .time = std::nullopt};
    default:
      return {.state = KeyState::kCorrupt,
              .text = absl::StrCat(cache::MissReasonName(found.miss_reason), ": ", found.message),
              .time = std::nullopt};
  }
}

}  // namespace

absl::StatusOr<AskedStore> OpenToAsk(const StorePaths& paths) {
  const std::optional<Store> store = OpenStore(paths);
  if (!store.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no store: ", paths.store_problem.empty() ? "--disk_cache is empty" : paths.store_problem));
  }
  AskedStore asked{.path = store->path, .folders = {}, .refusals = store->refusals, .history = {}};
  if (!store->refused) {
    asked.folders.push_back(std::make_unique<LocalFolder>(store->path, cache::Access::kLook));
  }
  for (const std::unique_ptr<LocalFolder>& layer : store->layers) {
    asked.folders.push_back(std::make_unique<LocalFolder>(layer->path, cache::Access::kLook));
  }
  if (store->history.has_value()) asked.history = store->history->Read();
  return asked;
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

absl::StatusOr<FoundEntry> FindEntry(AskedStore& store, const cache::ActionKey& key) {
  absl::Status first_error =
      absl::NotFoundError(absl::StrCat(store.path, " has no result of the key ", key.ToString()));
  for (const std::unique_ptr<LocalFolder>& folder : store.folders) {
    absl::StatusOr<cache::reapi::ActionResult> result = folder->actions.Get(key);
    if (result.ok()) {
      const bool is_sealed =
          absl::StartsWith(result->execution_metadata().worker(), cache::kWorkerPrefix);
      return FoundEntry{folder.get(), folder->actions.LocationOf(key), *std::move(result),
                        is_sealed};
    }
    if (absl::IsNotFound(first_error) && !absl::IsNotFound(result.status())) {
      first_error = result.status();
    }
  }
  return first_error;
}

absl::StatusOr<cache::Description> Describe(AskedStore& store, const cache::ActionKey& key) {
  absl::Status first_error =
      absl::NotFoundError(absl::StrCat("no folder of ", store.path, " may be used"));
  for (size_t i = 0; i < store.folders.size(); ++i) {
    absl::StatusOr<cache::Description> description =
        cache::ReadDescription(store.folders[i]->blobs, key);
    if (description.ok()) return description;
    if (i == 0) first_error = description.status();
  }
  return first_error;
}

KeyAnswer AskAbout(AskedStore& store, const cache::ActionKey& key,
                   const std::optional<std::vector<std::string>>& output_paths) {
  std::optional<cache::LookupResult> first;
  for (const std::unique_ptr<LocalFolder>& folder : store.folders) {
    std::vector<std::string> outputs = output_paths.value_or(std::vector<std::string>());
    absl::StatusOr<cache::reapi::ActionResult> entry = folder->actions.Get(key);
    if (entry.ok() && !output_paths.has_value()) {
      for (const auto& file : entry->output_files()) outputs.push_back(file.path());
    }
    cache::LookupResult found = cache::Lookup(folder->actions, folder->blobs, key, outputs);
    if (found.hit.has_value() && entry.ok()) {
      const bool is_sealed =
          absl::StartsWith(entry->execution_metadata().worker(), cache::kWorkerPrefix);
      return Stored({folder.get(), folder->actions.LocationOf(key), *std::move(entry), is_sealed});
    }
    // Something wrong says more than nothing at all.
    if (!first.has_value() || first->miss_reason == cache::MissReason::kNotFound) {
      first = std::move(found);
    }
  }
  if (!first.has_value()) {
    return {.state = KeyState::kUnreadable,
            .text = absl::StrJoin(store.refusals, "; "),
            .time = std::nullopt};
  }
  return Explain(store, key, *first);
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
