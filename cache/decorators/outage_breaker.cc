#include "cache/decorators/outage_breaker.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/not_asked.h"
#include "cache/reapi.h"

namespace ingot::cache {
namespace {

using Direction = OutageBreaker::Direction;

int64_t SizeOf(std::string_view bytes) { return static_cast<int64_t>(bytes.size()); }

absl::Duration SystemClock() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

// An answer of a working store, or a mistake of the caller.
bool IsAnswer(const absl::Status& status) {
  return status.ok() || absl::IsNotFound(status) || absl::IsAlreadyExists(status) ||
         absl::IsInvalidArgument(status);
}

// Asking again would get the same answer until a person changes something.
bool IsFinal(const absl::Status& status) {
  return absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status) ||
         absl::IsFailedPrecondition(status) || absl::IsUnimplemented(status);
}

absl::Duration FairTime(OutageBreaker::Work work) {
  return kFairTime * work.items +
         absl::Seconds(1) * (static_cast<double>(work.bytes) / kFairBytesPerSecond);
}

// Calls `ask` if the breaker lets it, and tells the breaker what came of it.
template <typename Result, typename Ask>
Result Watch(OutageBreaker& breaker, OutageBreaker::Direction direction, OutageBreaker::Work work,
             const Ask& ask) {
  if (absl::Status admitted = breaker.Admit(direction); !admitted.ok()) return admitted;
  const absl::Duration start = breaker.Now();
  Result result = ask();
  absl::Status status;
  if constexpr (std::is_same_v<Result, absl::Status>) {
    status = result;
  } else {
    status = result.status();
  }
  // What a digest says of its size may be a lie; time is fair for bytes that came.
  if constexpr (std::is_same_v<Result, absl::StatusOr<std::string>>) {
    work.bytes = result.ok() ? SizeOf(*result) : 0;
  }
  breaker.Record(direction, status, breaker.Now() - start, work);
  return result;
}

}  // namespace

OutageBreaker::OutageBreaker(Limits limits, std::function<absl::Duration()> clock)
    : limits_(limits), clock_(clock ? std::move(clock) : SystemClock) {}

absl::Status OutageBreaker::Admit(Direction direction) const {
  std::lock_guard lock(mutex_);
  return direction == Direction::kRead ? reading_.stopped : writing_.stopped;
}

void OutageBreaker::Record(Direction direction, const absl::Status& status, absl::Duration time,
                           Work work) {
  std::lock_guard lock(mutex_);
  const auto stop = [](Side& side, std::string_view what, std::string_view reason,
                       const absl::Status& cause) {
    if (!side.stopped.ok()) return;
    side.stopped = MarkNotAsked(absl::UnavailableError(
        absl::StrCat(what, " in this run, ", reason, ": ", cause.message())));
  };
  const auto stop_both = [&](std::string_view reason, const absl::Status& cause) {
    stop(reading_, "not asked any more", reason, cause);
    stop(writing_, "not asked any more", reason, cause);
  };
  const auto stop_side = [&](std::string_view reason, const absl::Status& cause) {
    if (direction == Direction::kRead) {
      stop_both(reason, cause);
    } else {
      stop(writing_, "nothing is stored there any more", reason, cause);
    }
  };

  const bool answered = IsAnswer(status);
  const absl::Duration lost =
      answered ? std::max(absl::ZeroDuration(), time - FairTime(work)) : time;
  if (lost > absl::ZeroDuration()) {
    if (first_loss_.ok()) {
      first_loss_ =
          answered
              ? absl::UnavailableError(absl::StrCat("an answer took ", absl::FormatDuration(time)))
              : status;
    }
    time_lost_ += lost;
  }
  Side& side = direction == Direction::kRead ? reading_ : writing_;
  if (answered) {
    side.faults_in_a_row = 0;
  } else if (absl::IsDataLoss(status)) {
    ++faults_;
    if (first_damage_.ok()) first_damage_ = status;
    if (++damaged_answers_ >= limits_.damaged_answers) {
      stop_both(absl::StrCat("after ", damaged_answers_, " damaged answers"), first_damage_);
    }
  } else {
    ++faults_;
    if (side.faults_in_a_row++ == 0) side.first_fault = status;
    if (IsFinal(status)) {
      stop_side("since it would say the same again", status);
    } else if (side.faults_in_a_row >= limits_.faults_in_a_row) {
      stop_side(absl::StrCat("after ", side.faults_in_a_row, " faults in a row"), side.first_fault);
    }
  }
  if (time_lost_ >= limits_.budget) {
    stop_both(absl::StrCat("since it has cost ", absl::FormatDuration(limits_.budget)),
              first_loss_);
  }
}

absl::Duration OutageBreaker::TimeLeft() const {
  std::lock_guard lock(mutex_);
  return std::max(absl::ZeroDuration(), limits_.budget - time_lost_);
}

OutageBreaker::Report OutageBreaker::GetReport() const {
  std::lock_guard lock(mutex_);
  return {
      .reading_stopped = !reading_.stopped.ok(),
      .writing_stopped = !writing_.stopped.ok(),
      .cause = reading_.stopped.ok() ? writing_.stopped : reading_.stopped,
      .time_lost = time_lost_,
      .faults = faults_,
  };
}

absl::StatusOr<std::string> BreakerBlobStore::Get(const Digest& digest) {
  if (digest == EmptyDigest()) return std::string();
  return Watch<absl::StatusOr<std::string>>(breaker_, Direction::kRead, {},
                                            [&] { return store_.Get(digest); });
}

absl::Status BreakerBlobStore::Put(const Digest& digest, std::string_view bytes, PutMode mode) {
  if (digest == EmptyDigest() && bytes.empty()) return absl::OkStatus();
  return Watch<absl::Status>(breaker_, Direction::kWrite, {.bytes = SizeOf(bytes)},
                             [&] { return store_.Put(digest, bytes, mode); });
}

absl::Status BreakerBlobStore::PutAll(std::span<const BlobView> blobs, PutMode mode) {
  OutageBreaker::Work work = {.items = static_cast<int64_t>(blobs.size())};
  for (const BlobView& blob : blobs) work.bytes += SizeOf(blob.bytes);
  return Watch<absl::Status>(breaker_, Direction::kWrite, work,
                             [&] { return store_.PutAll(blobs, mode); });
}

absl::StatusOr<std::vector<Digest>> BreakerBlobStore::FindMissing(std::span<const Digest> digests) {
  return Watch<absl::StatusOr<std::vector<Digest>>>(breaker_, Direction::kRead,
                                                    {.items = static_cast<int64_t>(digests.size())},
                                                    [&] { return store_.FindMissing(digests); });
}

absl::StatusOr<reapi::ActionResult> BreakerActionCache::Get(const ActionKey& key) {
  return Watch<absl::StatusOr<reapi::ActionResult>>(breaker_, Direction::kRead, {},
                                                    [&] { return cache_.Get(key); });
}

absl::Status BreakerActionCache::Update(const ActionKey& key,
                                        const reapi::ActionResult& action_result) {
  return Watch<absl::Status>(breaker_, Direction::kWrite, {},
                             [&] { return cache_.Update(key, action_result); });
}

absl::Status BreakerActionCache::Insert(const ActionKey& key,
                                        const reapi::ActionResult& action_result) {
  return Watch<absl::Status>(breaker_, Direction::kWrite, {},
                             [&] { return cache_.Insert(key, action_result); });
}

}  // namespace ingot::cache
