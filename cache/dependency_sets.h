// Which files a request was found to read in the past: the first of two levels of a lookup.
//
//   DependencySets sets(state_path + "/dependencies");
//   for (const std::string& record : sets.Load(request_digest)) { ... ask for the Action's key ...
//   }
//   ...
//   sets.Remember(request_digest, record);  // after a compilation, or a hit by an older record
//
// A record is a hint and decides nothing: the key made from it has the contents of every file in
// it, so a wrong record costs a miss. Records are opaque here. They are this machine's: a file per
// request, the newest record first.
//
// The folder bounds itself: a request keeps kMaximumRecords, and each of the 256 folders in which
// requests are spread by their digest keeps kMaximumRequests, the least recently used go first.

#ifndef INGOT_CACHE_DEPENDENCY_SETS_H_
#define INGOT_CACHE_DEPENDENCY_SETS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "cache/digest.h"

namespace ingot::cache {

// Thread-safe, and safe between processes: a file is replaced as a whole, and of two writers the
// last one wins.
class DependencySets {
 public:
  static constexpr std::size_t kMaximumRecords = 8;
  static constexpr std::size_t kMaximumRequests = 256;
  static constexpr std::size_t kMaximumBytes = 64 << 20;  // of a file

  // `folder` need not exist, and may be empty: then nothing is remembered.
  explicit DependencySets(std::string folder) : folder_(std::move(folder)) {}

  // The records of `request`, the newest first. None if there are none or the file is damaged.
  std::vector<std::string> Load(const Digest& request) const;

  // Puts `record` first. `is_same` says whether an older one is replaced by it; equal bytes always
  // are. An error, which callers may ignore, if that cannot be written.
  absl::Status Remember(const Digest& request, std::string_view record,
                        const std::function<bool(std::string_view older)>& is_same = {}) const;

 private:
  std::string PathOf(const Digest& request) const;

  std::string folder_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_DEPENDENCY_SETS_H_
