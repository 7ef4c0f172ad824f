// A store as questions see it, with its layers and the remote cache: asking changes nothing, no
// mtime either, and a remote that cannot answer is a part of the answer and no error.
//
//   absl::StatusOr<AskedStore> store = OpenToAsk(environment, paths, flags.remote);
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
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/description.h"
#include "cache/digest.h"
#include "cache/history.h"
#include "cache/lookup.h"
#include "cache/reapi.h"
#include "cache/remote/open_remote.h"
#include "tools/driver/environment.h"
#include "tools/driver/remote_flags.h"
#include "tools/driver/store.h"

namespace ingot::driver {

// One of the places where a result may be.
struct AskedPlace {
  std::string kind;  // "local", "layer 1" and so on, "remote"
  std::string name;  // a folder, or a URL without credentials
  cache::ActionCache* actions = nullptr;
  cache::BlobStore* blobs = nullptr;
  bool is_remote = false;

  // "the local store /home/me/.cache/ingot", for sentences.
  std::string Describe() const;
};

// Movable: the places point to what the pointers own.
struct AskedStore {
  std::string path;                                   // of the store that is written to, or empty
  std::vector<std::unique_ptr<LocalFolder>> folders;  // it and its layers
  std::unique_ptr<cache::RemoteStore> remote;         // null without one
  std::unique_ptr<cache::BlobStore> remote_blobs;     // of it, without those that `path` has
  std::vector<AskedPlace> places;                     // all of them, as a compilation asks them
  std::vector<std::string> refusals;                  // why a folder is not among them
  cache::HistoryView history;
};

// With the remote cache that `remote` names, if it names one. InvalidArgument where caching is off,
// there is no place for a store, or a flag makes no sense. Nothing is connected yet.
absl::StatusOr<AskedStore> OpenToAsk(const Environment& environment, const StorePaths& paths,
                                     const RemoteFlags& remote);
// The same without a remote cache.
absl::StatusOr<AskedStore> OpenToAsk(const StorePaths& paths);
// For those who can do without: nothing where caching is off or there is no place for a store.
absl::StatusOr<std::optional<AskedStore>> OpenToAskIfAny(const Environment& environment,
                                                         const StorePaths& paths,
                                                         const RemoteFlags& remote);

// Whether `text` can only be meant as a key: at least eight hexadecimal digits, or "hash/size".
bool LooksLikeKey(std::string_view text);

// The key that `text` means: "hash/size", a hash, or the first digits of the hash of exactly one
// entry of `store` or of its history. A key whose size nobody knows any more has the size 0.
// NotFound and InvalidArgument say what is wrong with `text`; a size that contradicts what is known
// of the hash is, too.
absl::StatusOr<cache::ActionKey> ResolveKey(const std::string& text, const AskedStore& store);

// How far a question goes: what many of them ask for is not worth a round trip each.
enum class Reach { kThisMachine, kRemote };

// An entry of an action cache.
struct FoundEntry {
  const AskedPlace* place = nullptr;
  std::string location;  // of its file, or its address
  cache::reapi::ActionResult result;
  bool is_sealed = false;  // stored by Ingot; else by another program, such as Bazel
};

// The first entry of `key`. NotFound if there is none, DataLoss naming the file if it is damaged,
// Unavailable if the remote could not answer; why not is in `remote_error`, if that is given.
absl::StatusOr<FoundEntry> FindEntry(const AskedStore& store, const cache::ActionKey& key,
                                     Reach reach = Reach::kRemote,
                                     std::string* remote_error = nullptr);

// What `key` is the key of, from the first place that knows. An error if none does.
absl::StatusOr<cache::Description> Describe(const AskedStore& store, const cache::ActionKey& key,
                                            Reach reach = Reach::kRemote);

// Why a place has no complete result.
struct PlaceMiss {
  const AskedPlace* place = nullptr;
  cache::MissReason reason = cache::MissReason::kNotFound;
  std::string message;
};

// A complete result, and where it is; or why there is none.
struct FoundResult {
  std::optional<cache::CachedResult> hit;
  FoundEntry entry;               // of a hit; without the result
  std::vector<PlaceMiss> misses;  // of the places before the hit, or of all
  std::string remote_error;       // why the remote could not answer; empty if it was not asked, too
};

// Asks one place after the other for the result of `key`. Its declared outputs are `output_paths`
// or, without them, what its Command or else the entry itself says.
FoundResult FindResult(const AskedStore& store, const cache::ActionKey& key,
                       const std::optional<std::vector<std::string>>& output_paths);

enum class KeyState {
  kStored,       // a complete result is there
  kNeverStored,  // as far as the history goes back
  kEvicted,      // it was published, and the entry or a blob is gone
  kReset,        // it was published before the store was emptied
  kCorrupt,      // what is there is damaged or incomplete
  kDisowned,     // it is not asked for any more
  kUnreadable,   // the store cannot be asked
  kRemoteError,  // the remote cache could not answer, and nothing is here
};

// "stored", "never stored" and so on.
std::string_view KeyStateName(KeyState state);

struct KeyAnswer {
  KeyState state = KeyState::kNeverStored;
  std::string text;                // a sentence without its full stop
  std::optional<absl::Time> time;  // of what `state` says, if it is known
  // For a result that is stored: the place that has it.
  const AskedPlace* place = nullptr;
  // For kRemoteError: the state as far as this machine knows.
  KeyState local_state = KeyState::kNeverStored;
  // What else is worth knowing, in sentences without their full stops.
  std::vector<std::string> notes;
};

// What has become of the result of `key`; `output_paths` as FindResult() takes them.
KeyAnswer AskAbout(const AskedStore& store, const cache::ActionKey& key,
                   const std::optional<std::vector<std::string>>& output_paths);

// "remote error: " and what happened.
std::string RemoteErrorText(std::string_view message);

// "2026-01-31 12:34:56 UTC".
std::string FormatForPeople(absl::Time time);
// RFC 3339, for JSON.
std::string FormatForPrograms(absl::Time time);

absl::Time ToTime(const google::protobuf::Timestamp& timestamp);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_ASKED_STORE_H_
