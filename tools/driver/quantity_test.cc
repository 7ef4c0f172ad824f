#include "tools/driver/quantity.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ParseSizeTest, NumbersWithUnits) {
  EXPECT_THAT(ParseSize("0"), IsOkAndHolds(0));
  EXPECT_THAT(ParseSize("123"), IsOkAndHolds(123));
  EXPECT_THAT(ParseSize("123B"), IsOkAndHolds(123));
  EXPECT_THAT(ParseSize("500M"), IsOkAndHolds(500 * 1024 * 1024));
  EXPECT_THAT(ParseSize("10G"), IsOkAndHolds(int64_t{10} << 30));
  EXPECT_THAT(ParseSize("10gib"), IsOkAndHolds(int64_t{10} << 30));
  EXPECT_THAT(ParseSize("64KiB"), IsOkAndHolds(65536));
  EXPECT_THAT(ParseSize("64k"), IsOkAndHolds(65536));
  EXPECT_THAT(ParseSize("64KB"), IsOkAndHolds(64000));
  EXPECT_THAT(ParseSize("2T"), IsOkAndHolds(int64_t{2} << 40));
  EXPECT_THAT(ParseSize("9223372036854775807"), IsOkAndHolds(INT64_MAX));
}

TEST(ParseSizeTest, AnythingElseIsOneLine) {
  for (const char* text : {"", "G", "-1", "+1", "1.5G", "1 G", "10GG", "10X", "9223372036854775808",
                           "8388608T", "0x10"}) {
    EXPECT_THAT(ParseSize(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(std::string("'") + text + "'"), Not(HasSubstr("\n")))));
  }
}

TEST(ParseAgeTest, NumbersWithUnits) {
  EXPECT_THAT(ParseAge("0"), IsOkAndHolds(absl::ZeroDuration()));
  EXPECT_THAT(ParseAge("30d"), IsOkAndHolds(absl::Hours(720)));
  EXPECT_THAT(ParseAge("12h"), IsOkAndHolds(absl::Hours(12)));
  EXPECT_THAT(ParseAge("2w"), IsOkAndHolds(absl::Hours(336)));
  EXPECT_THAT(ParseAge("90m"), IsOkAndHolds(absl::Minutes(90)));
  EXPECT_THAT(ParseAge("1d12h"), IsOkAndHolds(absl::Hours(36)));
  EXPECT_THAT(ParseAge("1w1d1h1m1s"), IsOkAndHolds(absl::Hours(193) + absl::Seconds(61)));
}

TEST(ParseAgeTest, AnythingElseIsOneLine) {
  for (const char* text :
       {"", "d", "30", "-1d", "1.5d", "1 d", "12h1d", "1d1d", "1y", "1ms", "99999999999999d"}) {
    EXPECT_THAT(ParseAge(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(std::string("'") + text + "'"), Not(HasSubstr("\n")))));
  }
}

TEST(FormatSizeTest, UsesTheLargestUnit) {
  EXPECT_EQ(FormatSize(0), "0 bytes");
  EXPECT_EQ(FormatSize(1023), "1023 bytes");
  EXPECT_EQ(FormatSize(1536), "1.5 KiB");
  EXPECT_EQ(FormatSize(int64_t{10} << 30), "10.0 GiB");
  EXPECT_EQ(FormatSize(int64_t{5000} << 40), "5000.0 TiB");
}

}  // namespace
}  // namespace ingot::driver
