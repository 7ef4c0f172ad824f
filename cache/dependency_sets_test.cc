#include "cache/dependency_sets.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "cache/digest.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::size_t CountFiles(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) ++count;
  }
  return count;
}

TEST(DependencySetsTest, TheNewestIsFirstAndEachIsThereOnce) {
  const TemporaryDirectory directory;
  const DependencySets sets(directory.path() + "/sets");
  const Digest request = Sha256("request");
  EXPECT_THAT(sets.Load(request), IsEmpty());
  ASSERT_TRUE(sets.Remember(request, "a\n1").ok());
  ASSERT_TRUE(sets.Remember(request, "").ok());
  ASSERT_TRUE(sets.Remember(request, "b").ok());
  EXPECT_THAT(sets.Load(request), ElementsAre("b", "", "a\n1"));
  ASSERT_TRUE(sets.Remember(request, "a\n1").ok());
  EXPECT_THAT(sets.Load(request), ElementsAre("a\n1", "b", ""));
  ASSERT_TRUE(
      sets.Remember(request, "a\n2", [](std::string_view older) { return older.starts_with("a"); })
          .ok());
  EXPECT_THAT(sets.Load(request), ElementsAre("a\n2", "b", ""));
  EXPECT_THAT(sets.Load(Sha256("other")), IsEmpty());
}

TEST(DependencySetsTest, KeepsTheNewestOfTooMany) {
  const TemporaryDirectory directory;
  const DependencySets sets(directory.path());
  const Digest request = Sha256("request");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(sets.Remember(request, std::to_string(i)).ok());
  EXPECT_THAT(sets.Load(request), ElementsAre("19", "18", "17", "16", "15", "14", "13", "12"));
}

TEST(DependencySetsTest, BoundsTheNumberOfRequests) {
  const TemporaryDirectory directory;
  const DependencySets sets(directory.path());
  Digest request = Sha256("");
  for (int i = 0; i < 600; ++i) {
    request.hash = "00" + Sha256(std::to_string(i)).hash.substr(2);
    ASSERT_TRUE(sets.Remember(request, "x").ok());
  }
  EXPECT_LE(CountFiles(directory.path()), DependencySets::kMaximumRequests);
  EXPECT_THAT(sets.Load(request), ElementsAre("x"));
}

TEST(DependencySetsTest, EveryDamageIsNoticed) {
  const TemporaryDirectory directory;
  const DependencySets sets(directory.path());
  const Digest request = Sha256("request");
  ASSERT_TRUE(sets.Remember(request, "record").ok());
  const std::string path = directory.path() + "/" + request.hash.substr(0, 2) + "/" + request.hash;
  std::ifstream file(path);
  const std::string good((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    std::ofstream(path) << bad;
    EXPECT_THAT(sets.Load(request), IsEmpty()) << i;
    std::ofstream(path) << good.substr(0, i);
    EXPECT_THAT(sets.Load(request), IsEmpty()) << i;
  }
  ASSERT_TRUE(sets.Remember(request, "again").ok());
  EXPECT_THAT(sets.Load(request), ElementsAre("again"));
}

TEST(DependencySetsTest, WithoutAFolderNothingIsRemembered) {
  const DependencySets sets("");
  EXPECT_TRUE(sets.Remember(Sha256("request"), "x").ok());
  EXPECT_THAT(sets.Load(Sha256("request")), IsEmpty());
}

}  // namespace
}  // namespace ingot::cache
