#include "tools/driver/collection_options.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/local/collection_schedule.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/driver/store.h"

namespace ingot::driver {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;
using ::testing::StartsWith;

TEST(CollectionOptionsTest, DefaultsAndValues) {
  absl::StatusOr<cache::CollectionLimits> limits = ParseCollectionOptions({});
  ASSERT_THAT(limits, IsOk());
  EXPECT_EQ(limits->max_size, int64_t{10} << 30);
  EXPECT_EQ(limits->max_age, absl::ZeroDuration());
  limits = ParseCollectionOptions({.max_size = "0", .max_age = "30d"});
  ASSERT_THAT(limits, IsOk());
  EXPECT_EQ(limits->max_size, 0);
  EXPECT_EQ(limits->max_age, absl::Hours(720));
}

TEST(CollectionOptionsTest, ErrorsNameTheOption) {
  EXPECT_THAT(ParseCollectionOptions({.max_size = "much", .max_age = std::nullopt}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("--max_size"), HasSubstr("'much'"))));
  EXPECT_THAT(ParseCollectionOptions({.max_size = std::nullopt, .max_age = ""}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--max_age")));
}

class CollectIfDueTest : public ::testing::Test {
 protected:
  CollectIfDueTest() {
    paths_.store = directory_.path() + "/store";
    paths_.state = directory_.path() + "/state";
    for (int i = 10; i < 60; ++i) {
      const std::string path = absl::StrCat(paths_.store, "/ac/", i, "/", i, std::string(62, '0'));
      cache::WriteTestFile(path, std::string(100, 'x'));
      cache::AgeTestFile(path, 10'000 - i);
    }
  }

  // The files of the store that are not a lock.
  std::size_t Left() const {
    std::size_t left = 0;
    for (const std::string& file : directory_.Files()) left += file.starts_with("store/ac/");
    return left;
  }

  const cache::TemporaryDirectory directory_;
  StorePaths paths_;
};

TEST_F(CollectIfDueTest, AHitAsksNothing) {
  EXPECT_THAT(CollectIfDue(paths_, {.max_size = 1}, 0), Eq(std::nullopt));
  EXPECT_EQ(Left(), 50);
  EXPECT_THAT(directory_.Files(), Not(Contains(StartsWith("state/"))));
}

TEST_F(CollectIfDueTest, AnOldStoreIsCollectedOnceThenWhenItHasGrown) {
  const cache::CollectionLimits limits = {.max_size = 4000};
  EXPECT_THAT(CollectIfDue(paths_, limits, 100), Eq(std::nullopt));
  EXPECT_EQ(Left(), 36);  // 90 % of the limit
  // As if somebody had stored more without telling.
  cache::WriteTestFile(paths_.store + "/ac/00/" + std::string(64, '0'), std::string(3000, 'x'));
  EXPECT_THAT(CollectIfDue(paths_, limits, 300), Eq(std::nullopt));
  EXPECT_EQ(Left(), 37);
  EXPECT_THAT(CollectIfDue(paths_, limits, 101), Eq(std::nullopt));
  EXPECT_EQ(Left(), 7);
}

TEST_F(CollectIfDueTest, WithoutALimitAStoreOrStateNothingHappens) {
  EXPECT_THAT(CollectIfDue(paths_, {}, 100), Eq(std::nullopt));
  StorePaths nowhere = paths_;
  nowhere.state.clear();
  EXPECT_THAT(CollectIfDue(nowhere, {.max_size = 1}, 100), Eq(std::nullopt));
  nowhere = paths_;
  nowhere.store.clear();
  EXPECT_THAT(CollectIfDue(nowhere, {.max_size = 1}, 100), Eq(std::nullopt));
  EXPECT_EQ(Left(), 50);
}

TEST_F(CollectIfDueTest, AStoreThatCannotBeCollectedIsToldOnce) {
  cache::WriteTestFile(paths_.store + "/gc", "a file in the lock's folder's place");
  EXPECT_THAT(CollectIfDue(paths_, {.max_size = 1000}, 100), Optional(HasSubstr("/gc")));
  EXPECT_THAT(CollectIfDue(paths_, {.max_size = 1000}, 50), Eq(std::nullopt));
  EXPECT_EQ(Left(), 50);
}

}  // namespace
}  // namespace ingot::driver
