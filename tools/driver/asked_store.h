// A store as questions see it: asking changes nothing, no mtime either.
//
//   absl::StatusOr<AskedStore> store = OpenToAsk(paths);
//   absl::StatusOr<cache::ActionKey> key = ResolveKey("3f5a9bc0", *store);
//   KeyAnswer answer = AskAbout(*store, *key, std::nullopt);
//   std::cout << KeyStateName(answer.state) << ": " << answer.text << "\n";

#ifndef INGOT_TOOLS_DRIVER_ASKED_STORE_H_
#define INGOT_TOOLS_DRIVER_ASKED_STORE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/description.h"
#include "cache/digest.h"
#include "cache/history.h"
#include "cache/reapi.h"
#include "tools/driver/store.h"

namespace ingot::driver {

struct AskedStore {
  std::string path;                                   // of the store that is written to
  std::vector<std::unique_ptr<LocalFolder>> folders;  // it and its layers, as they are asked
  std::vector<std::string> refusals;                  // why a folder is not among them
  cache::HistoryView history;
};

// InvalidArgument where caching is off or there is no place for a store.
absl::StatusOr<AskedStore> OpenToAsk(const StorePaths& paths);

// Whether `text` can only be meant as a key: at least eight hexadecimal digits, or "hash/size".
bool LooksLikeKey(std::string_view text);

// The key that `text` means: "hash/size", a hash, or the first digits of the hash of exactly one
// entry of `store` or of its history. A key whose size nobody knows any more has the size 0.
// NotFound and InvalidArgument say what is wrong with `text`.
absl::StatusOr<cache::ActionKey> ResolveKey(const std::string& text, const AskedStore& store);

// An entry of an action cache.
struct FoundEntry {
  LocalFolder* folder;
  std::string location;  // of its file
  cache::reapi::ActionResult result;
  bool is_sealed = false;  // stored by Ingot; else by another program, such as Bazel
};

// The first entry of `key`. NotFound if there is none, DataLoss naming the file if it is damaged.
absl::StatusOr<FoundEntry> FindEntry(AskedStore& store, const cache::ActionKey& key);

// What `key` is the key of, from the first folder that knows. An error if none does.
absl::StatusOr<cache::Description> Describe(AskedStore& store, const cache::ActionKey& key);

enum class KeyState {
  kStored,       // a complete result is there
  kNeverStored,  // as far as the history goes back
  kEvicted,      // it was published, and the entry or a blob is gone
  kReset,        // it was published before the store was emptied
  kCorrupt,      // what is there is damaged or incomplete
  kDisowned,     // it is not asked for any more
  kUnreadable,   // the store cannot be asked
};

// "stored", "never stored" and so on.
std::string_view KeyStateName(KeyState state);

struct KeyAnswer {
  KeyState state = KeyState::kNeverStored;
  std::string text;                // a sentence without its full stop
  std::optional<absl::Time> time;  // of what `state` says, if it is known
};

// What has become of the result of `key`. Its declared outputs are `output_paths` or, without them,
// what the entry itself says.
KeyAnswer AskAbout(AskedStore& store, const cache::ActionKey& key,
                   const std::optional<std::vector<std::string>>& output_paths);

// "2026-01-31 12:34:56 UTC".
std::string FormatForPeople(absl::Time time);
// RFC 3339, for JSON.
std::string FormatForPrograms(absl::Time time);

absl::Time ToTime(const google::protobuf::Timestamp& timestamp);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_ASKED_STORE_H_
