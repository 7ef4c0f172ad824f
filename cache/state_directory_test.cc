#include "cache/state_directory.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

using Variables = std::map<std::string, std::string, std::less<>>;

auto In(const Variables& variables) {
  return [&variables](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(StateDirectoryTest, BelowHomeByDefault) {
  const Variables variables = {{"HOME", "/home/me"}};
  EXPECT_THAT(DefaultStorePath(In(variables)), IsOkAndHolds("/home/me/.cache/ingot"));
  EXPECT_THAT(DefaultStatePath(In(variables)), IsOkAndHolds("/home/me/.local/state/ingot"));
}

TEST(StateDirectoryTest, XdgVariablesComeFirst) {
  const Variables variables = {
      {"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/c"}, {"XDG_STATE_HOME", "/s"}};
  EXPECT_THAT(DefaultStorePath(In(variables)), IsOkAndHolds("/c/ingot"));
  EXPECT_THAT(DefaultStatePath(In(variables)), IsOkAndHolds("/s/ingot"));
}

TEST(StateDirectoryTest, EmptyAndRelativeVariablesAreIgnored) {
  for (std::string_view value : {"", "relative/path", "."}) {
    const Variables variables = {{"HOME", "/home/me"},
                                 {"XDG_CACHE_HOME", std::string(value)},
                                 {"XDG_STATE_HOME", std::string(value)}};
    EXPECT_THAT(DefaultStorePath(In(variables)), IsOkAndHolds("/home/me/.cache/ingot"));
    EXPECT_THAT(DefaultStatePath(In(variables)), IsOkAndHolds("/home/me/.local/state/ingot"));
  }
}

TEST(StateDirectoryTest, WithoutAHomeTheErrorSaysWhatToSet) {
  for (const Variables& variables :
       {Variables(), Variables{{"HOME", ""}}, Variables{{"HOME", "x"}}}) {
    EXPECT_THAT(DefaultStorePath(In(variables)),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         AllOf(HasSubstr("XDG_CACHE_HOME"), HasSubstr("HOME"))));
    EXPECT_THAT(DefaultStatePath(In(variables)),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("XDG_STATE_HOME")));
  }
  EXPECT_THAT(DefaultStorePath(In({{"HOME", "/"}})), IsOkAndHolds("/.cache/ingot"));
}

TEST(StateDirectoryTest, OneStoreHasOneFolderWhateverItsName) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  std::filesystem::create_directories(root + "/real/store");
  std::filesystem::create_directory_symlink(root + "/real", root + "/link");
  const std::string folder = StateFolderOfStore("/state", root + "/real/store");
  EXPECT_THAT(folder, MatchesRegex("/state/store-[0-9a-f]{16}"));
  EXPECT_EQ(StateFolderOfStore("/state", root + "/link/store"), folder);
  EXPECT_EQ(StateFolderOfStore("/state", root + "/real/../link/./store/"), folder);
  EXPECT_NE(StateFolderOfStore("/state", root + "/real"), folder);
}

TEST(StateDirectoryTest, AStoreHasItsFolderBeforeItExists) {
  TemporaryDirectory directory;
  const std::string& root = directory.path();
  std::filesystem::create_directories(root + "/real");
  std::filesystem::create_directory_symlink(root + "/real", root + "/link");
  const std::string before = StateFolderOfStore("/state", root + "/link/new/store");
  EXPECT_EQ(StateFolderOfStore("/state", root + "/link/new//store/"), before);
  std::filesystem::create_directories(root + "/real/new/store");
  EXPECT_EQ(StateFolderOfStore("/state", root + "/real/new/store"), before);
  EXPECT_EQ(StateFolderOfStore("/state", root + "/link/new/store"), before);
}

TEST(StateDirectoryTest, APathOfAnyLength) {
  std::string deep = "/nowhere";
  for (int i = 0; i < 20'000; ++i) deep += "/x";
  EXPECT_EQ(StateFolderOfStore("/state", deep), StateFolderOfStore("/state", deep + "/"));
  EXPECT_NE(StateFolderOfStore("/state", deep), StateFolderOfStore("/state", deep + "/x"));
}

TEST(StateDirectoryTest, RelativeStores) {
  TemporaryDirectory directory;
  const std::string before = std::filesystem::current_path().string();
  std::filesystem::current_path(directory.path());
  const std::string folder = StateFolderOfStore("/state", "new");
  std::filesystem::create_directory("new");
  EXPECT_EQ(StateFolderOfStore("/state", "new"), folder);
  EXPECT_EQ(StateFolderOfStore("/state", directory.path() + "/new"), folder);
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace ingot::cache
