#include "cache/local/bounded_wait.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

constexpr absl::Duration kPause = absl::Microseconds(1);

TEST(TryForTest, TriesUntilItWorks) {
  int attempts = 0;
  EXPECT_TRUE(TryFor(absl::InfiniteDuration(), kPause, kPause, [&] { return ++attempts == 3; }));
  EXPECT_EQ(attempts, 3);
}

TEST(TryForTest, GivesUpButTriesOnce) {
  int attempts = 0;
  EXPECT_FALSE(
      TryFor(absl::ZeroDuration(), absl::InfiniteDuration(), absl::InfiniteDuration(), [&] {
        ++attempts;
        return false;
      }));
  EXPECT_EQ(attempts, 1);
  EXPECT_TRUE(TryFor(absl::ZeroDuration(), kPause, kPause, [] { return true; }));
  EXPECT_FALSE(TryFor(absl::Milliseconds(1), kPause, kPause, [] { return false; }));
}

}  // namespace
}  // namespace ingot::cache
