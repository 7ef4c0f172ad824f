#include "tools/driver/dependency_check.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/testing/temporary_directory.h"
#include "compiler/invocation/dependencies.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;
using compiler::Dependencies;

class DependencyCheckTest : public ::testing::Test {
 protected:
  DependencyCheckTest() {
    fs::create_directories(folder_.path() + "/a/sub");
    fs::create_directories(folder_.path() + "/b");
    Write("b/x.h", "x");
  }

  void Write(const std::string& path, const std::string& contents) {
    std::ofstream(folder_.path() + "/" + path) << contents;
  }

  std::optional<Dependencies> Now() const { return Refreshed(record_); }

  std::optional<Dependencies> Refreshed(Dependencies record) const {
    if (!Refresh(record, roots_).has_value()) return std::nullopt;
    return record;
  }

  const cache::TemporaryDirectory folder_;
  const std::vector<compiler::HostRoot> roots_ = {{"inc/0", folder_.path() + "/a"},
                                                  {"inc/1", folder_.path() + "/b"}};
  Dependencies record_{
      .files = {{.requested = "inc/1/x.h"}},
      .absences = {{.requested = "inc/0/x.h"}, {.requested = "inc/0/sub", .directory = true}}};
};

TEST_F(DependencyCheckTest, FindsWhatTheFilesHoldNow) {
  ASSERT_TRUE(Now().has_value());
  EXPECT_EQ(Now()->files[0].sha256, cache::Sha256("x").hash);
  EXPECT_EQ(Now()->files[0].identity.size, 1u);
  Write("b/x.h", "other");
  EXPECT_EQ(Now()->files[0].sha256, cache::Sha256("other").hash);
}

TEST_F(DependencyCheckTest, SaysWhetherAnythingChanged) {
  Dependencies record = *Now();
  EXPECT_EQ(Refresh(record, roots_), false);
  Write("b/x.h", "other");
  EXPECT_EQ(Refresh(record, roots_), true);
  EXPECT_EQ(Refresh(record, roots_), false);
}

TEST_F(DependencyCheckTest, LooksWhereThePathLeads) {
  for (const std::string& requested :
       {std::string("inc/0/../b/x.h"), std::string("inc/1//x.h"), folder_.path() + "/b/x.h"}) {
    record_ = {.files = {{.requested = requested}}};
    ASSERT_TRUE(Now().has_value()) << requested;
    EXPECT_EQ(Now()->files[0].sha256, cache::Sha256("x").hash) << requested;
  }
}

TEST_F(DependencyCheckTest, WithoutItsFolderARootHasNoFiles) {
  fs::remove_all(folder_.path() + "/a");
  record_.absences.pop_back();
  EXPECT_TRUE(Now().has_value());
  record_.files[0].requested = "inc/0/x.h";
  EXPECT_FALSE(Now().has_value());
}

TEST_F(DependencyCheckTest, ManyRootsTakeFewDescriptors) {
  std::vector<compiler::HostRoot> roots;
  Dependencies record;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "many/" + std::to_string(i);
    fs::create_directories(folder_.path() + "/" + name);
    Write(name + "/x.h", std::to_string(i));
    const std::string root = "inc/" + std::to_string(i);
    roots.push_back({root, folder_.path() + "/" + name});
    record.files.push_back({.requested = root + "/x.h"});
    record.absences.push_back({.requested = root + "/y.h"});
  }
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 24;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::optional<bool> is_changed = Refresh(record, roots);
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_TRUE(is_changed.has_value());
  EXPECT_EQ(record.files[99].sha256, cache::Sha256("99").hash);
  Write("many/99/y.h", "");
  EXPECT_FALSE(Refresh(record, roots).has_value());
}

TEST_F(DependencyCheckTest, TrustsTheDigestOfAFileThatIsTheSame) {
  record_ = *Now();
  EXPECT_EQ(record_.files[0].identity.ctime_ns, 0) << "the file is too young to be known again";
  record_.files[0].sha256 = std::string(64, '0');
  EXPECT_EQ(Now()->files[0].sha256, cache::Sha256("x").hash);
  struct stat status = {};
  ASSERT_EQ(stat((folder_.path() + "/b/x.h").c_str(), &status), 0);
  record_.files[0].identity.ctime_ns =
      static_cast<int64_t>(status.st_ctim.tv_sec) * 1'000'000'000 + status.st_ctim.tv_nsec;
  EXPECT_EQ(Now()->files[0].sha256, std::string(64, '0'));
}

TEST_F(DependencyCheckTest, AHeaderThatAppearsEarlierIsNoticed) {
  Write("a/x.h", "");
  EXPECT_FALSE(Now().has_value());
}

TEST_F(DependencyCheckTest, AFolderInItsPlaceIsNoticedToo) {
  fs::create_directory(folder_.path() + "/a/x.h");
  EXPECT_FALSE(Now().has_value());
}

TEST_F(DependencyCheckTest, AFolderMayVanishButNotBecomeAFile) {
  fs::remove(folder_.path() + "/a/sub");
  EXPECT_TRUE(Now().has_value());
  Write("a/sub", "");
  EXPECT_FALSE(Now().has_value());
}

TEST_F(DependencyCheckTest, AFileThatIsGoneEndsTheUseOfARecord) {
  fs::remove(folder_.path() + "/b/x.h");
  EXPECT_FALSE(Now().has_value());
  fs::create_directory(folder_.path() + "/b/x.h");
  EXPECT_FALSE(Now().has_value());
}

TEST_F(DependencyCheckTest, ARootThatTheRequestDoesNotHaveEndsItToo) {
  EXPECT_FALSE(Refreshed({.files = {{.requested = "inc/2/x.h"}}}).has_value());
  EXPECT_FALSE(Refreshed({.absences = {{.requested = "inc/2/x.h"}}}).has_value());
}

TEST_F(DependencyCheckTest, AFolderThatIsNotThereHasNothingInIt) {
  EXPECT_TRUE(Refreshed({.absences = {{.requested = "inc/0/no/such/x.h"}}}).has_value());
}

TEST_F(DependencyCheckTest, CurrentMeansUnchangedSince) {
  struct stat status = {};
  const std::string path = folder_.path() + "/b/x.h";
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  const auto nanoseconds = [](const timespec& time) {
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  record_.files[0].identity = {.device = status.st_dev,
                               .inode = status.st_ino,
                               .size = 1,
                               .mtime_ns = nanoseconds(status.st_mtim),
                               .ctime_ns = nanoseconds(status.st_ctim)};
  EXPECT_TRUE(IsCurrent(record_, roots_));
  Write("a/x.h", "");
  EXPECT_FALSE(IsCurrent(record_, roots_));
  fs::remove(folder_.path() + "/a/x.h");
  Write("b/x.h", "longer");
  EXPECT_FALSE(IsCurrent(record_, roots_));
}

TEST(LastingTest, TakesTheTimeFromFilesThatWereYoung) {
  constexpr int64_t kSecond = 1'000'000'000;
  const Dependencies record{
      .files = {{.requested = "src/old.h", .identity = {.ctime_ns = kSecond}},
                {.requested = "src/new.h", .identity = {.ctime_ns = 9 * kSecond}}}};
  const Dependencies lasting = Lasting(record, absl::FromUnixSeconds(10));
  EXPECT_EQ(lasting.files[0].identity.ctime_ns, kSecond);
  EXPECT_EQ(lasting.files[1].identity.ctime_ns, 0);
}

}  // namespace
}  // namespace ingot::driver
