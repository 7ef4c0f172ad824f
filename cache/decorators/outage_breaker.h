// Stops asking a store that costs more than it gives. One breaker watches both faces of one remote:
//
//   OutageBreaker breaker;
//   BreakerBlobStore blobs(http_blobs, breaker);
//   BreakerActionCache entries(http_entries, breaker);
//
// It opens, and stays open as long as it lives, which is one run of the program:
// - after kFaultsInARow calls in a row that the store could not answer,
// - after one that it will never answer otherwise: credentials, settings,
// - after kDamagedAnswers answers with wrong bytes, in a row or not,
// - once the time that calls have lost reaches the budget. Lost is all of the time of a call that
//   failed, and of any other what it took beyond kFairTime per blob and the time that the bytes
//   need at kFairBytesPerSecond.
// Then every call returns Unavailable at once, with what happened first in its message and the mark
// of cache/not_asked.h.
//
// Reading and writing are watched apart, because a server that takes no writes (read-only, full,
// forbidden) still answers: writing alone stops then. Lost time and faults of reading stop both.

#ifndef INGOT_CACHE_DECORATORS_OUTAGE_BREAKER_H_
#define INGOT_CACHE_DECORATORS_OUTAGE_BREAKER_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/reapi.h"

namespace ingot::cache {

inline constexpr absl::Duration kDefaultOutageBudget = absl::Seconds(10);
inline constexpr int kFaultsInARow = 3;
inline constexpr int kDamagedAnswers = 3;
inline constexpr absl::Duration kFairTime = absl::Seconds(1);
inline constexpr int64_t kFairBytesPerSecond = 1 << 20;

// Thread-safe.
class OutageBreaker {
 public:
  enum class Direction { kRead, kWrite };

  // What a call is allowed time for.
  struct Work {
    int64_t items = 1;
    int64_t bytes = 0;
  };

  struct Limits {
    absl::Duration budget = kDefaultOutageBudget;
    int faults_in_a_row = kFaultsInARow;
    int damaged_answers = kDamagedAnswers;
  };

  struct Report {
    bool reading_stopped = false;
    bool writing_stopped = false;
    // What calls get that are not let through: reading ones, or else writing ones. OK if neither
    // has stopped.
    absl::Status cause;
    absl::Duration time_lost;
    // Calls that the store could not answer, damaged answers included.
    int64_t faults = 0;
  };

  // `clock` gives the time since any fixed moment and never goes back; null: the system's.
  explicit OutageBreaker(Limits limits, std::function<absl::Duration()> clock = nullptr);
  OutageBreaker() : OutageBreaker(Limits()) {}

  // OK if the store may be asked, else what to return instead.
  absl::Status Admit(Direction direction) const;

  // Says what a call that was admitted came to.
  void Record(Direction direction, const absl::Status& status, absl::Duration time, Work work);

  // What is left of the budget: no call should wait longer.
  absl::Duration TimeLeft() const;

  absl::Duration Now() const { return clock_(); }
  Report GetReport() const;

 private:
  struct Side {
    int faults_in_a_row = 0;
    absl::Status first_fault;  // of those in a row
    absl::Status stopped;      // why; OK while it has not stopped
  };

  const Limits limits_;
  const std::function<absl::Duration()> clock_;
  mutable std::mutex mutex_;
  Side reading_;
  Side writing_;
  absl::Duration time_lost_;
  absl::Status first_loss_;  // the first call that lost time
  absl::Status first_damage_;
  int damaged_answers_ = 0;
  int64_t faults_ = 0;
};

// A store behind a breaker; both must outlive this. The empty blob is never asked for.
class BreakerBlobStore final : public BlobStore {
 public:
  BreakerBlobStore(BlobStore& store, OutageBreaker& breaker) : store_(store), breaker_(breaker) {}

  absl::StatusOr<std::string> Get(const Digest& digest) override;
  absl::Status Put(const Digest& digest, std::string_view bytes, PutMode mode) override;
  absl::Status PutAll(std::span<const BlobView> blobs, PutMode mode) override;
  absl::StatusOr<std::vector<Digest>> FindMissing(std::span<const Digest> digests) override;
  std::string LocationOf(const Digest& digest) const override { return store_.LocationOf(digest); }

 private:
  BlobStore& store_;
  OutageBreaker& breaker_;
};

// An action cache behind a breaker; both must outlive this.
class BreakerActionCache final : public ActionCache {
 public:
  BreakerActionCache(ActionCache& cache, OutageBreaker& breaker)
      : cache_(cache), breaker_(breaker) {}

  absl::StatusOr<reapi::ActionResult> Get(const ActionKey& key) override;
  absl::Status Update(const ActionKey& key, const reapi::ActionResult& action_result) override;
  absl::Status Insert(const ActionKey& key, const reapi::ActionResult& action_result) override;
  std::string LocationOf(const ActionKey& key) const override { return cache_.LocationOf(key); }

 private:
  ActionCache& cache_;
  OutageBreaker& breaker_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_DECORATORS_OUTAGE_BREAKER_H_
