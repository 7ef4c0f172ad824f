#include "cache/generations.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kBase = "ingot.1";

class GenerationsTest : public testing::Test {
 protected:
  absl::StatusOr<Generations> DoDisown(const DisownRequest& request) {
    return Disown(path_, request, [this] { return now_; });
  }

  Generations Read() {
    absl::StatusOr<Generations> generations = ReadGenerations(path_);
    EXPECT_THAT(generations, IsOk());
    return generations.ok() ? *generations : Generations();
  }

  TemporaryDirectory directory_;
  const std::string path_ = GenerationsFile(directory_.path() + "/state");
  const std::string hash_ = Sha256("a key").hash;
  absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
};

TEST_F(GenerationsTest, WithoutAFileNothingIsDisowned) {
  const Generations generations = Read();
  EXPECT_EQ(generations, Generations());
  EXPECT_EQ(generations.Salt(kBase, "avr", 0), kBase);
  EXPECT_FALSE(generations.IsDisowned(hash_));
  EXPECT_THAT(directory_.Files(), IsEmpty());
}

TEST_F(GenerationsTest, EachKindOfDisowningChangesWhatItMeans) {
  ASSERT_THAT(DoDisown({.targets = {"avr"}}), IsOk());
  EXPECT_EQ(Read().Salt(kBase, "avr", 0), "ingot.1+g0.t1.n0");
  EXPECT_EQ(Read().Salt(kBase, "nvptx64", 0), kBase);
  ASSERT_THAT(DoDisown({.all = true}), IsOk());
  EXPECT_EQ(Read().Salt(kBase, "avr", 0), "ingot.1+g1.t1.n0");
  EXPECT_EQ(Read().Salt(kBase, "nvptx64", 0), "ingot.1+g1.t0.n0");
  EXPECT_EQ(Read().Salt(kBase, "nvptx64", 2), "ingot.1+g1.t0.n2");
  EXPECT_EQ(Read().global.since, now_);
}

TEST_F(GenerationsTest, AKeyIsDisownedOnceAndKeepsItsTime) {
  ASSERT_THAT(DoDisown({.key_hashes = {hash_}}), IsOk());
  const absl::Time then = now_;
  now_ += absl::Hours(1);
  ASSERT_THAT(DoDisown({.key_hashes = {hash_}}), IsOk());
  EXPECT_THAT(Read().keys, ElementsAre(testing::Pair(hash_, then)));
  EXPECT_TRUE(Read().IsDisowned(hash_));
  EXPECT_EQ(Read().Salt(kBase, "avr", 0), kBase);
  EXPECT_EQ(Read().Salt(kBase, "avr", 1), "ingot.1+g0.t0.n1");
}

TEST_F(GenerationsTest, SaltsNeverMeet) {
  std::set<std::string> salts;
  for (uint64_t global : {0, 1, 11}) {
    for (uint64_t target : {0, 1, 11}) {
      for (uint64_t hops : {0, 1, 11}) {
        Generations generations;
        generations.global.number = global;
        generations.targets["avr"].number = target;
        EXPECT_TRUE(salts.insert(generations.Salt(kBase, "avr", hops)).second);
      }
    }
  }
}

TEST_F(GenerationsTest, ASaltIsCurrentUntilItsGenerationIsOver) {
  Generations generations;
  EXPECT_TRUE(generations.IsCurrent(kBase, "avr", kBase));
  EXPECT_TRUE(generations.IsCurrent(kBase, "avr", "ingot.1+g0.t0.n3"));
  EXPECT_TRUE(generations.IsCurrent(kBase, "avr", "somebody's"));
  generations.targets["avr"].number = 1;
  EXPECT_FALSE(generations.IsCurrent(kBase, "avr", kBase));
  EXPECT_FALSE(generations.IsCurrent(kBase, "avr", "ingot.1+g0.t0.n3"));
  EXPECT_TRUE(generations.IsCurrent(kBase, "avr", "ingot.1+g0.t1.n0"));
  EXPECT_FALSE(generations.IsCurrent(kBase, "avr", "ingot.1+g0.t11.n0"));
  EXPECT_TRUE(generations.IsCurrent(kBase, "nvptx64", kBase));
}

TEST_F(GenerationsTest, EarlierSaltsComeLatestFirst) {
  Generations generations;
  EXPECT_THAT(generations.EarlierSalts(kBase, "avr", 0, 10), IsEmpty());
  EXPECT_THAT(generations.EarlierSalts(kBase, "avr", 2, 10),
              ElementsAre("ingot.1+g0.t0.n1", "ingot.1"));
  generations.global.number = 1;
  generations.targets["avr"].number = 1;
  EXPECT_THAT(generations.EarlierSalts(kBase, "avr", 1, 10),
              ElementsAre("ingot.1+g1.t1.n0", "ingot.1+g1.t0.n0", "ingot.1+g0.t1.n0", "ingot.1"));
  EXPECT_THAT(generations.EarlierSalts(kBase, "nvptx64", 0, 10), ElementsAre("ingot.1"));
  generations.global.number = 1'800'000'000;
  EXPECT_EQ(generations.EarlierSalts(kBase, "avr", 1, 10).size(), 10u);
}

TEST_F(GenerationsTest, AnyDamageIsAnErrorAndNeverForgets) {
  ASSERT_THAT(DoDisown({.targets = {"avr"}, .key_hashes = {hash_}}), IsOk());
  const std::string bytes = ReadTestFile(path_);
  std::vector<std::string> damaged = {"", "check ", std::string(100, '\0'), bytes + "x",
                                      bytes.substr(0, bytes.rfind("check"))};
  for (size_t at = 0; at < bytes.size(); ++at) {
    damaged.push_back(bytes);
    damaged.back()[at] ^= 1;
    damaged.push_back(bytes.substr(0, at));
  }
  for (const std::string& content : damaged) {
    WriteTestFile(path_, content);
    EXPECT_THAT(ReadGenerations(path_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path_)));
    EXPECT_THAT(DoDisown({.targets = {"avr"}}), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_EQ(ReadTestFile(path_), content);
  }
  // Everything that can have been disowned is, by a generation that no earlier file had.
  // Not even readable.
  ASSERT_EQ(unlink(path_.c_str()), 0);
  ASSERT_EQ(symlink(path_.c_str(), path_.c_str()), 0);
  EXPECT_FALSE(DoDisown({.targets = {"avr"}}).ok());
  absl::StatusOr<Generations> anew = DoDisown({.all = true});
  ASSERT_THAT(anew, IsOk());
  EXPECT_GT(anew->global.number, 1'800'000'000u);
  EXPECT_THAT(ReadGenerations(path_), IsOkAndHolds(*anew));
}

TEST_F(GenerationsTest, WhereNoFileCanBeNothingIsDisowned) {
  WriteTestFile(directory_.path() + "/state", "a file");
  EXPECT_THAT(ReadGenerations(path_), IsOkAndHolds(Generations()));
}

TEST_F(GenerationsTest, AFolderInTheFilesPlaceIsAnError) {
  ASSERT_EQ(mkdir((directory_.path() + "/state").c_str(), 0700), 0);
  ASSERT_EQ(mkdir(path_.c_str(), 0700), 0);
  EXPECT_FALSE(ReadGenerations(path_).ok());
}

TEST_F(GenerationsTest, WhatIsNoKeyOrTargetIsRefused) {
  EXPECT_THAT(DoDisown({.key_hashes = {"abc"}}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(DoDisown({.targets = {"a b"}}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(directory_.Files(), IsEmpty());
}

TEST_F(GenerationsTest, ProcessesLoseNothingOfEachOther) {
  constexpr int kProcesses = 8;
  constexpr int kRounds = 5;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child != 0) continue;
    bool good = true;
    for (int i = 0; i < kRounds; ++i) {
      good =
          good &&
          Disown(path_, {.all = true, .key_hashes = {Sha256(absl::StrCat(p, "/", i)).hash}}).ok();
    }
    _exit(good ? 0 : 1);
  }
  for (int p = 0; p < kProcesses; ++p) {
    int status;
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Read().global.number, uint64_t{kProcesses} * kRounds);
  EXPECT_EQ(Read().keys.size(), size_t{kProcesses} * kRounds);
}

}  // namespace
}  // namespace ingot::cache
