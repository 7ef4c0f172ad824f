#include "cache/in_flight.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/testing/temporary_directory.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using Outcome = InFlightClaim::Outcome;

class InFlightTest : public testing::Test {
 protected:
  InFlightClaim Claim(const ActionKey& key, absl::Duration wait = absl::ZeroDuration()) {
    return ClaimInFlight(path_, key, wait);
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/state/in_flight";
  const ActionKey a_ = ActionKey(Sha256("a"));
  const ActionKey b_ = ActionKey(Sha256("b"));
};

TEST_F(InFlightTest, TheFirstGetsItAtOnceAndOthersOfTheKeyDoNot) {
  const InFlightClaim first = Claim(a_);
  EXPECT_EQ(first.outcome(), Outcome::kFirst);
  EXPECT_EQ(Claim(a_).outcome(), Outcome::kTimedOut);
  EXPECT_EQ(Claim(b_).outcome(), Outcome::kFirst);
}

TEST_F(InFlightTest, AClaimEndsWithItsObject) {
  {
    const InFlightClaim first = Claim(a_);
  }
  EXPECT_EQ(Claim(a_).outcome(), Outcome::kFirst);
}

TEST_F(InFlightTest, OneWhoWaitsGetsItWhenTheHolderEnds) {
  std::optional<InFlightClaim> first(Claim(a_));
  std::promise<void> waiting;
  std::thread other([&] {
    waiting.set_value();
    EXPECT_NE(Claim(a_, absl::Minutes(1)).outcome(), Outcome::kTimedOut);
  });
  waiting.get_future().wait();
  first.reset();
  other.join();
}

TEST_F(InFlightTest, AHolderThatIsKilledHoldsNothing) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const InFlightClaim held = Claim(a_);
    (void)!write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(Claim(a_).outcome(), Outcome::kTimedOut);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(Claim(a_).outcome(), Outcome::kFirst);
}

TEST_F(InFlightTest, NothingIsWrittenAndNoFileIsAddedPerKey) {
  for (int i = 0; i < 100; ++i) (void)Claim(ActionKey(Sha256(std::to_string(i))));
  EXPECT_EQ(std::filesystem::file_size(path_), 0u);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path() + "/state")) {
    (void)entry;
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST_F(InFlightTest, WithoutAPlaceForTheFileThereIsNoTelling) {
  EXPECT_EQ(ClaimInFlight("/dev/null/in_flight", a_, absl::Minutes(1)).outcome(),
            Outcome::kUnavailable);
  std::filesystem::create_directory_symlink("/nowhere", directory_.path() + "/link");
  EXPECT_EQ(ClaimInFlight(directory_.path() + "/link", a_, absl::Minutes(1)).outcome(),
            Outcome::kUnavailable);
}

}  // namespace
}  // namespace ingot::cache
