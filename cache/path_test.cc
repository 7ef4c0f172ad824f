#include "cache/path.h"

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

TEST(PathTest, AcceptsRelativePaths) {
  for (std::string_view path : {"a", "a/b/c.ll", ".hidden", "..a", "a..", "...", "a b", "é/😀"}) {
    EXPECT_THAT(ValidateRelativePath(path), IsOk()) << path;
  }
  EXPECT_THAT(ValidateRelativePath(std::string(4096, 'a')), IsOk());
}

TEST(PathTest, RejectsOthersNamingThem) {
  for (std::string_view path :
       {"/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/./b", "a/../b", "../a", "a\\b", "/"}) {
    EXPECT_THAT(ValidateRelativePath(path), StatusIs(absl::StatusCode::kInvalidArgument,
                                                     HasSubstr(path == "a\\b" ? "a\\\\b" : path)))
        << path;
  }
  for (const std::string& path :
       {std::string(), std::string("a\0b", 3), std::string("\xe9"), std::string(4097, 'a')}) {
    EXPECT_THAT(ValidateRelativePath(path),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'")));
  }
}

}  // namespace
}  // namespace ingot::cache
