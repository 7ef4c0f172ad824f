// What was disowned: results that are not to be asked for any more, wherever they are stored.
//
//   ABSL_ASSIGN_OR_RETURN(const Generations generations, ReadGenerations(GenerationsFile(state)));
//   generations.Salt("ingot.1", "avr", /*hops=*/0);    // "ingot.1": nothing is disowned
//   ABSL_RETURN_IF_ERROR(Disown(GenerationsFile(state), {.targets = {"avr"}}).status());
//   ...                                                // from now on "ingot.1+g0.t1.n0"
//
// Nothing is deleted. A generation is a part of the salt of an Action, so to raise it makes other
// keys of the same requests: of all, of those for one target, or, one key at a time, of a single
// one. A key that was disowned by itself is replaced by the one that the next hop gives, which can
// be disowned in its turn. So a bad entry of a remote cache, which nobody here may delete, is
// escaped as well as one on the disk.
//
// All stores of a user share one small file, in Ingot's state directory. To delete the file takes
// back all that it disowned, so one that is damaged or cannot be read is an error, never "nothing
// was disowned": compile without a cache then.

#ifndef INGOT_CACHE_GENERATIONS_H_
#define INGOT_CACHE_GENERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace ingot::cache {

// A plain value; the default one disowns nothing.
struct Generations {
  // How often something was disowned, and when last.
  struct Generation {
    uint64_t number = 0;
    absl::Time since = absl::UnixEpoch();

    friend bool operator==(const Generation&, const Generation&) = default;
  };

  Generation global;
  std::map<std::string, Generation> targets;  // by what callers call a target
  std::map<std::string, absl::Time> keys;     // disowned by itself: hash -> when

  // The salt of a request for `target` after `hops` disowned keys: `base` itself as long as nothing
  // applies.
  std::string Salt(std::string_view base, std::string_view target, uint64_t hops) const;

  bool IsDisowned(std::string_view key_hash) const { return keys.contains(std::string(key_hash)); }

  // The salts that a request for `target` had before, the latest first, at most `limit`: with fewer
  // hops than `hops`, then before the target's and the global generation were raised.
  std::vector<std::string> EarlierSalts(std::string_view base, std::string_view target,
                                        uint64_t hops, size_t limit) const;

  // Whether a request for `target` can still have `salt`, with whatever number of hops. True for a
  // salt that is not made from `base`.
  bool IsCurrent(std::string_view base, std::string_view target, std::string_view salt) const;

  friend bool operator==(const Generations&, const Generations&) = default;
};

// `state_directory`/generations.
std::string GenerationsFile(std::string_view state_directory);

// What the file at `path` says; nothing is disowned where there is no such file, which costs one
// system call. DataLoss for a damaged one; every error says what to do.
absl::StatusOr<Generations> ReadGenerations(const std::string& path);

// What to disown.
struct DisownRequest {
  bool all = false;
  std::vector<std::string> targets;
  std::vector<std::string> key_hashes;
};

// Adds `request` to the file at `path` and returns what it then says. The file is replaced whole;
// an advisory lock, whose wait is bounded, keeps what several processes disown at once. Where there
// are no locks the file is still whole, and this call's own request is in it when it returns OK.
//
// A damaged file is an error, except for `all`, which starts a new one whose global generation no
// earlier file had. InvalidArgument for a hash that is none or a name that no line can hold.
absl::StatusOr<Generations> Disown(const std::string& path, const DisownRequest& request,
                                   const std::function<absl::Time()>& clock = absl::Now);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_GENERATIONS_H_
