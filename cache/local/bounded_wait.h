// Trying something again and again, but not for ever.
//
//   const bool locked = TryFor(absl::Milliseconds(100), absl::Microseconds(50),
//                              absl::Milliseconds(2),
//                              [&] { return flock(fd, LOCK_EX | LOCK_NB) == 0; });
//
// For locks: one that blocks cannot be given a limit without signals. The clock is one that nobody
// sets, so that a wait of seconds is not one of hours on a machine whose time is being put right.

#ifndef INGOT_CACHE_LOCAL_BOUNDED_WAIT_H_
#define INGOT_CACHE_LOCAL_BOUNDED_WAIT_H_

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace ingot::cache {

// Calls `attempt` until it returns true or `at_most` has passed, at least once. The pauses in
// between double from `first_pause` to `longest_pause`. Returns what the last call did.
bool TryFor(absl::Duration at_most, absl::Duration first_pause, absl::Duration longest_pause,
            absl::FunctionRef<bool()> attempt);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOCAL_BOUNDED_WAIT_H_
