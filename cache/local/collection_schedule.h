// When a store needs a garbage collection, asked at the end of a command without looking at the
// store.
//
//   CollectionSchedule schedule(state_folder + "/collection", store_root);
//   if (schedule.AddWritten(bytes, now).ok() && schedule.IsDue(limits, now)) {
//     absl::StatusOr<GarbageCollectionResult> result = CollectGarbage(store_root, …);
//     if (result.ok()) schedule.RecordCollection(now, result->bytes_after).IgnoreError();
//   }
//
// A command that stored nothing has nothing to ask, so a hit costs nothing. One that did adds the
// number of bytes to a small file: open, write, close. The answer is then in that file, which holds
// what the last collection found and what was written since.
//
// A collection is due if
// - there is a limit of size and the store has, by that account, outgrown it;
// - there is a limit of age, and the last collection was a day ago, or as long ago as the limit if
//   that is shorter: a file then stays at most that much longer than it should;
// - there is any limit and the last collection was a week ago: others write to the store too
// (Bazel,
//   another user, a state folder that was deleted), which this account does not see;
// - nothing is known of a store that is not new. New is one with a handful of shards, whose size is
//   what was written to it just now: the first result ever stored does not set off a collection.
//
// After a collection that could not get the store below its limit (files of somebody else, say) the
// next by size waits until another tenth of the limit was written or an hour has passed. Otherwise
// every command from then on would walk through the store, in vain.
//
// The file is records of 16 bytes, appended in one write each: several processes at once need no
// lock. It is replaced, whole, by a collection and when it has grown; what another process appends
// in that moment is lost, which puts the account wrong by one command. Damage makes a collection
// due, which starts the file over. Deleting it does no harm.

#ifndef INGOT_CACHE_LOCAL_COLLECTION_SCHEDULE_H_
#define INGOT_CACHE_LOCAL_COLLECTION_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace ingot::cache {

struct CollectionLimits {
  int64_t max_size = 0;         // bytes; 0: no limit
  absl::Duration max_age = {};  // since the last use; zero: no limit
};

class CollectionSchedule {
 public:
  // The longest time between two collections if there is a limit of age, and if there is only one
  // of size.
  static constexpr absl::Duration kAgeInterval = absl::Hours(24);
  static constexpr absl::Duration kSizeInterval = absl::Hours(7 * 24);

  // How long a collection in vain is not repeated, unless more is written.
  static constexpr absl::Duration kPauseInVain = absl::Hours(1);

  // `state_file` need not exist; its folder is made when something is added.
  CollectionSchedule(std::string state_file, std::string store_root)
      : state_file_(std::move(state_file)), store_root_(std::move(store_root)) {}

  // Adds the size of what a command has just stored. An error says that the file cannot be written;
  // then nobody knows whether a collection is due.
  absl::Status AddWritten(int64_t bytes, absl::Time now) const;

  // Starts the account over: after a collection, or a reset.
  absl::Status RecordCollection(absl::Time now, int64_t bytes) const;

  // Whether it is time. False if the file cannot be read at all, such as for lack of permission.
  bool IsDue(const CollectionLimits& limits, absl::Time now) const;

 private:
  std::string state_file_;
  std::string store_root_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOCAL_COLLECTION_SCHEDULE_H_
