#include "cache/local/bounded_wait.h"

#include <algorithm>
#include <chrono>

#include "absl/functional/function_ref.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace ingot::cache {

bool TryFor(absl::Duration at_most, absl::Duration first_pause, absl::Duration longest_pause,
            absl::FunctionRef<bool()> attempt) {
  const auto start = std::chrono::steady_clock::now();
  absl::Duration pause = first_pause;
  while (!attempt()) {
    if (absl::FromChrono(std::chrono::steady_clock::now() - start) >= at_most) return false;
    absl::SleepFor(pause);
    pause = std::min(2 * pause, longest_pause);
  }
  return true;
}

}  // namespace ingot::cache
