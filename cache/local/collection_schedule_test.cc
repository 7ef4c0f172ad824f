#include "cache/local/collection_schedule.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::testing::Not;

constexpr CollectionLimits kSize = {.max_size = 1000};
constexpr CollectionLimits kAge = {.max_age = absl::Hours(24 * 30)};
constexpr CollectionLimits kShortAge = {.max_age = absl::Hours(2)};

class CollectionScheduleTest : public ::testing::Test {
 protected:
  void MakeOldStore() const {
    for (int shard = 16; shard < 48; ++shard) {
      WriteTestFile(absl::StrCat(root_, "/ac/", absl::Hex(shard), "/entry"), "x");
    }
  }

  const TemporaryDirectory directory_;
  const std::string root_ = directory_.path() + "/store";
  const std::string file_ = directory_.path() + "/state/collection";
  const CollectionSchedule schedule_{file_, root_};
  const absl::Time now_ = absl::Now();
};

TEST_F(CollectionScheduleTest, ANewStoreHasTime) {
  WriteTestFile(root_ + "/ac/00/entry", "x");
  EXPECT_THAT(schedule_.AddWritten(600, now_), IsOk());
  EXPECT_FALSE(schedule_.IsDue(kSize, now_));
  EXPECT_FALSE(schedule_.IsDue(kAge, now_));
  EXPECT_THAT(schedule_.AddWritten(400, now_), IsOk());
  EXPECT_FALSE(schedule_.IsDue(kSize, now_));
  EXPECT_THAT(schedule_.AddWritten(1, now_), IsOk());
  EXPECT_TRUE(schedule_.IsDue(kSize, now_));
  EXPECT_FALSE(schedule_.IsDue(kAge, now_));
  EXPECT_FALSE(schedule_.IsDue({}, now_)) << "without a limit there is nothing to collect";
}

TEST_F(CollectionScheduleTest, OfAnOldStoreNothingIsKnown) {
  MakeOldStore();
  EXPECT_THAT(schedule_.AddWritten(1, now_), IsOk());
  EXPECT_TRUE(schedule_.IsDue(kSize, now_));
  EXPECT_THAT(schedule_.RecordCollection(now_, 500), IsOk());
  EXPECT_FALSE(schedule_.IsDue(kSize, now_));
}

TEST_F(CollectionScheduleTest, TimePasses) {
  EXPECT_THAT(schedule_.RecordCollection(now_, 10), IsOk());
  const absl::Duration minute = absl::Minutes(1);
  EXPECT_FALSE(schedule_.IsDue(kShortAge, now_ + absl::Hours(2) - minute));
  EXPECT_TRUE(schedule_.IsDue(kShortAge, now_ + absl::Hours(2) + minute));
  EXPECT_FALSE(schedule_.IsDue(kAge, now_ + absl::Hours(24) - minute));
  EXPECT_TRUE(schedule_.IsDue(kAge, now_ + absl::Hours(24) + minute));
  EXPECT_FALSE(schedule_.IsDue(kSize, now_ + absl::Hours(24) + minute));
  EXPECT_TRUE(schedule_.IsDue(kSize, now_ + 7 * absl::Hours(24) + minute));
  EXPECT_TRUE(schedule_.IsDue(kSize, now_ - absl::Hours(1))) << "a clock that was set back";
}

TEST_F(CollectionScheduleTest, ACollectionInVainIsNotRepeatedAtOnce) {
  EXPECT_THAT(schedule_.RecordCollection(now_, 1500), IsOk());
  EXPECT_FALSE(schedule_.IsDue(kSize, now_));
  EXPECT_THAT(schedule_.AddWritten(99, now_), IsOk());
  EXPECT_FALSE(schedule_.IsDue(kSize, now_ + absl::Minutes(59)));
  EXPECT_TRUE(schedule_.IsDue(kSize, now_ + absl::Minutes(61)));
  EXPECT_THAT(schedule_.AddWritten(1, now_), IsOk());
  EXPECT_TRUE(schedule_.IsDue(kSize, now_));
}

TEST_F(CollectionScheduleTest, DamageMakesItDueAndACollectionMendsIt) {
  EXPECT_THAT(schedule_.RecordCollection(now_, 10), IsOk());
  EXPECT_THAT(schedule_.AddWritten(10, now_), IsOk());
  const std::string good = ReadTestFile(file_);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    WriteTestFile(file_, bad);
    EXPECT_TRUE(schedule_.IsDue(kSize, now_)) << i;
  }
  for (const std::string& bad : {good.substr(0, 20), std::string(), std::string(1 << 20, 'x')}) {
    WriteTestFile(file_, bad);
    EXPECT_TRUE(schedule_.IsDue(kSize, now_));
    EXPECT_THAT(schedule_.RecordCollection(now_, 10), IsOk());
    EXPECT_FALSE(schedule_.IsDue(kSize, now_));
  }
}

TEST_F(CollectionScheduleTest, TheFileStaysSmallAndTheAccountRight) {
  EXPECT_THAT(schedule_.RecordCollection(now_, 0), IsOk());
  constexpr int kTimes = 10'000;
  for (int i = 0; i < kTimes; ++i) ASSERT_THAT(schedule_.AddWritten(1, now_), IsOk());
  EXPECT_LE(ReadTestFile(file_).size(), 64u << 10);
  EXPECT_FALSE(schedule_.IsDue({.max_size = kTimes}, now_));
  EXPECT_TRUE(schedule_.IsDue({.max_size = kTimes - 1}, now_));
}

TEST_F(CollectionScheduleTest, ManyAtOnceLoseNothing) {
  EXPECT_THAT(schedule_.RecordCollection(now_, 0), IsOk());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) EXPECT_THAT(schedule_.AddWritten(1, now_), IsOk());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(schedule_.IsDue({.max_size = 2000}, now_));
  EXPECT_TRUE(schedule_.IsDue({.max_size = 1999}, now_));
}

TEST_F(CollectionScheduleTest, WithoutAPlaceForStateNothingIsDue) {
  WriteTestFile(directory_.path() + "/file", "x");
  const CollectionSchedule nowhere(directory_.path() + "/file/collection", root_);
  EXPECT_THAT(nowhere.AddWritten(1, now_), Not(IsOk()));
}

TEST_F(CollectionScheduleTest, APipeInPlaceOfTheFileIsAnErrorAndNoWait) {
  ASSERT_THAT(schedule_.RecordCollection(now_, 0), IsOk());
  ASSERT_EQ(unlink(file_.c_str()), 0);
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(schedule_.AddWritten(1, now_), Not(IsOk()));
}

}  // namespace
}  // namespace ingot::cache
