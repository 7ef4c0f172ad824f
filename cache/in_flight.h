// Lets processes that want the same result at the same time wait for the first of them instead of
// all making it.
//
//   InFlightClaim claim = ClaimInFlight(state_folder + "/in_flight", action.key, kInFlightWait);
//   // ... look again: somebody may have published meanwhile; else compile and publish ...
//   // the claim ends with its object
//
// One file serves all keys: a claim is a lock on one byte of it, at an offset made from the key
// (two keys of one offset merely wait for each other). It is an open-file-description lock of
// fcntl(2), which the kernel drops when its holder dies, however it dies and in whichever pid
// namespace; so there is nothing to expire and nothing to delete, and threads of one process
// exclude each other too. The file stays empty.
//
// A holder may well end without a result that the others could take: it failed, or could not
// publish. Who has waited and finds nothing ends its claim at once and works without one, as do all
// that waited with it, so that they work at the same time and not one after the other. After a
// holder that was killed they do more than they had to; that is the price of leaving nothing behind
// that would say which of the two it was.
//
// Nothing depends on it: without the lock (no such locks on the file system, no permission, another
// host, a holder that takes too long) the work is done twice and the results are equal.

#ifndef INGOT_CACHE_IN_FLIGHT_H_
#define INGOT_CACHE_IN_FLIGHT_H_

#include <string>
#include <utility>

#include "absl/time/time.h"
#include "cache/digest.h"

namespace ingot::cache {

// How long a compilation waits for an equal one before it goes ahead: longer than most take, and
// short enough that a holder which is stopped in a debugger is a nuisance and no more.
inline constexpr absl::Duration kInFlightWait = absl::Seconds(30);

// Movable, not copyable. Used by one thread at a time.
class InFlightClaim {
 public:
  enum class Outcome {
    kFirst,        // nobody else was at it
    kWaited,       // somebody was, and ended
    kTimedOut,     // somebody still is
    kUnavailable,  // there is no telling
  };

  InFlightClaim(Outcome outcome, int fd) : outcome_(outcome), fd_(fd) {}
  InFlightClaim(InFlightClaim&& other) noexcept
      : outcome_(other.outcome_), fd_(std::exchange(other.fd_, -1)) {}
  InFlightClaim& operator=(InFlightClaim&&) = delete;
  ~InFlightClaim();

  Outcome outcome() const { return outcome_; }

 private:
  Outcome outcome_;
  int fd_;  // the lock is its; -1 without one
};

// Claims `key` in the file at `path`, which is made with its folder if need be. Waits for at most
// `maximum_wait`. Never fails: the outcome says how far it came.
InFlightClaim ClaimInFlight(const std::string& path, const ActionKey& key,
                            absl::Duration maximum_wait);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_IN_FLIGHT_H_
