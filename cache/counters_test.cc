#include "cache/counters.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "cache/digest.h"
#include "cache/lookup.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::Each;
using ::testing::HasSubstr;

class CountersTest : public testing::Test {
 protected:
  CounterValues Values() {
    absl::StatusOr<CounterValues> values = Counters(path_).Read();
    EXPECT_THAT(values, IsOk());
    return values.ok() ? *values : CounterValues();
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/state/store-1/counters";
};

// What others have written down: numbers and names never change, new ones come at the end.
TEST(CounterTableTest, NumbersAndNamesAreFrozen) {
  std::vector<std::string> names;
  for (Counter counter : AllCounters()) names.emplace_back(CounterName(counter));
  EXPECT_THAT(names,
              testing::ElementsAre(
                  "hit", "miss_not_found", "miss_corrupt_entry", "miss_non_zero_exit",
                  "miss_missing_output", "miss_missing_blob", "miss_corrupt_blob",
                  "miss_store_error", "published", "publish_failed", "repaired", "conflict",
                  "compile_failed", "tool_crashed", "bytes_read", "bytes_written", "input_changed",
                  "hit_local", "hit_remote", "copied", "waited", "wait_timed_out", "store_fault",
                  "store_refused", "generations_unreadable", "uncacheable"));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(CounterTableTest, EveryMissReasonHasACounterOfItsOwn) {
  std::set<Counter> counters;
  for (MissReason reason :
       {MissReason::kNone, MissReason::kNotFound, MissReason::kCorruptEntry,
        MissReason::kNonZeroExit, MissReason::kMissingOutput, MissReason::kMissingBlob,
        MissReason::kCorruptBlob, MissReason::kStoreError}) {
    EXPECT_TRUE(counters.insert(CounterFor(reason)).second) << MissReasonName(reason);
  }
  EXPECT_EQ(CounterFor(MissReason::kNone), Counter::kHit);
  EXPECT_EQ(CounterName(CounterFor(MissReason::kMissingBlob)), "miss_missing_blob");
}

TEST_F(CountersTest, NothingAddedReadsAsZeroAndMakesNothing) {
  EXPECT_THAT(Values().values, Each(0));
  EXPECT_THAT(directory_.Files(), testing::IsEmpty());
}

TEST_F(CountersTest, DeltasAddUpAcrossObjects) {
  EXPECT_THAT(Counters(path_).Add({{Counter::kHit, 1}, {Counter::kBytesRead, 1ull << 40}}), IsOk());
  EXPECT_THAT(Counters(path_).Add({{Counter::kHit, 2}, {Counter::kInputChanged, 5}}), IsOk());
  const CounterValues values = Values();
  EXPECT_EQ(values[Counter::kHit], 3u);
  EXPECT_EQ(values[Counter::kBytesRead], 1ull << 40);
  EXPECT_EQ(values[Counter::kInputChanged], 5u);
  EXPECT_EQ(values[Counter::kPublished], 0u);
}

TEST_F(CountersTest, Sums) {
  EXPECT_THAT(Counters(path_).Add({{Counter::kHit, 100},
                                   {Counter::kMissNotFound, 1},
                                   {Counter::kMissCorruptEntry, 2},
                                   {Counter::kMissNonZeroExit, 4},
                                   {Counter::kMissMissingOutput, 8},
                                   {Counter::kMissMissingBlob, 16},
                                   {Counter::kMissCorruptBlob, 32},
                                   {Counter::kMissStoreError, 64},
                                   {Counter::kPublished, 1000}}),
              IsOk());
  EXPECT_EQ(Values().Misses(), 127u);
  EXPECT_EQ(Values().Corrupt(), 34u);
}

TEST_F(CountersTest, ADamagedFileIsStartedOver) {
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 7}}), IsOk());
  const std::string bytes = ReadTestFile(path_);
  std::vector<std::string> damaged = {"", "short", std::string(1000, '\0'),
                                      std::string(100'000, '\xff')};
  for (size_t at = 0; at < bytes.size(); ++at) {
    damaged.push_back(bytes);
    damaged.back()[at] ^= 1;
    damaged.push_back(bytes.substr(0, at));
  }
  for (const std::string& content : damaged) {
    WriteTestFile(path_, content);
    EXPECT_THAT(Values().values, Each(0));
    ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 1}}), IsOk());
    EXPECT_EQ(Values()[Counter::kHit], 1u);
  }
}

// A version with more counters wrote the file; this one must not forget them.
TEST_F(CountersTest, CountersOfANewerVersionSurvive) {
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 7}}), IsOk());
  std::string bytes = ReadTestFile(path_);
  bytes.resize(bytes.size() - 8);
  bytes.append("\x2a\0\0\0\0\0\0\0", 8);
  ++bytes[8];  // their number
  const std::string with_extra = bytes;
  bytes.append(Sha256Raw(bytes).substr(0, 8));
  WriteTestFile(path_, bytes);
  EXPECT_EQ(Values()[Counter::kHit], 7u);
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 1}}), IsOk());
  EXPECT_EQ(Values()[Counter::kHit], 8u);
  EXPECT_EQ(ReadTestFile(path_).substr(with_extra.size() - 8, 8),
            with_extra.substr(with_extra.size() - 8));
}

// More than what is read at first.
TEST_F(CountersTest, ManyCountersOfANewerVersionSurvive) {
  std::vector<uint64_t> words = {0, 600};
  for (uint64_t i = 0; i < 600; ++i) words.push_back(i + 1);
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 1}}), IsOk());
  std::memcpy(words.data(), ReadTestFile(path_).data(), sizeof(uint64_t));
  std::string bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint64_t));
  bytes.append(Sha256Raw(bytes).substr(0, 8));
  WriteTestFile(path_, bytes);
  EXPECT_EQ(Values()[Counter::kHit], 1u);
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 1}}), IsOk());
  EXPECT_EQ(Values()[Counter::kHit], 2u);
  const std::string after = ReadTestFile(path_);
  ASSERT_EQ(after.size(), bytes.size());
  EXPECT_EQ(after.substr(24, after.size() - 32), bytes.substr(24, bytes.size() - 32));
}

TEST_F(CountersTest, ZeroReturnsWhatThereWas) {
  EXPECT_THAT(Counters(path_).Zero(), IsOk());
  EXPECT_THAT(directory_.Files(), testing::IsEmpty());
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 7}, {Counter::kInputChanged, 2}}), IsOk());
  const absl::StatusOr<CounterValues> before = Counters(path_).Zero();
  ASSERT_THAT(before, IsOk());
  EXPECT_EQ((*before)[Counter::kHit], 7u);
  EXPECT_EQ((*before)[Counter::kInputChanged], 2u);
  EXPECT_THAT(Values().values, Each(0));
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 1}}), IsOk());
  EXPECT_EQ(Values()[Counter::kHit], 1u);
}

TEST_F(CountersTest, ZeroMeansTheCountersOfANewerVersionToo) {
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 7}}), IsOk());
  std::string bytes = ReadTestFile(path_);
  bytes.resize(bytes.size() - 8);
  bytes.append("\x2a\0\0\0\0\0\0\0", 8);
  ++bytes[8];  // their number
  bytes.append(Sha256Raw(bytes).substr(0, 8));
  WriteTestFile(path_, bytes);
  const absl::StatusOr<CounterValues> before = Counters(path_).Zero();
  ASSERT_THAT(before, IsOk());
  EXPECT_EQ((*before)[Counter::kHit], 7u);
  const std::string zeroed = ReadTestFile(path_);
  ASSERT_EQ(zeroed.size(), bytes.size());
  EXPECT_EQ(zeroed.substr(0, 16), bytes.substr(0, 16));
  EXPECT_EQ(zeroed.substr(16, zeroed.size() - 24), std::string(zeroed.size() - 24, '\0'));
}

TEST_F(CountersTest, ZeroOfALockedFileChangesNothing) {
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 1}}), IsOk());
  const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  EXPECT_THAT(Counters(path_).Zero(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr(path_)));
  close(fd);
  EXPECT_EQ(Values()[Counter::kHit], 1u);
}

// Whatever the order, nothing is lost between what Zero() returns and what stays.
TEST_F(CountersTest, ZeroWhileOthersAdd) {
  uint64_t added[4] = {};
  std::vector<std::thread> threads;
  for (uint64_t& count : added) {
    threads.emplace_back([this, &count] {
      for (int i = 0; i < 100; ++i) count += Counters(path_).Add({{Counter::kHit, 1}}).ok();
    });
  }
  uint64_t returned = 0;
  for (int i = 0; i < 50; ++i) {
    if (const absl::StatusOr<CounterValues> before = Counters(path_).Zero(); before.ok()) {
      returned += (*before)[Counter::kHit];
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(returned + Values()[Counter::kHit], added[0] + added[1] + added[2] + added[3]);
}

TEST_F(CountersTest, ALockedFileCostsTheDeltaOnly) {
  ASSERT_THAT(Counters(path_).Add({{Counter::kHit, 1}}), IsOk());
  const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  EXPECT_THAT(Counters(path_).Add({{Counter::kHit, 1}}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr(path_)));
  close(fd);
  EXPECT_THAT(Counters(path_).Add({{Counter::kHit, 1}}), IsOk());
  EXPECT_EQ(Values()[Counter::kHit], 2u);
}

TEST_F(CountersTest, AFileThatCannotBeMadeIsAnErrorNamingIt) {
  WriteTestFile(directory_.path() + "/state", "a file");
  EXPECT_THAT(Counters(path_).Add({{Counter::kHit, 1}}),
              StatusIs(_, HasSubstr(directory_.path() + "/state")));
}

// Each says how often it was not dropped, so the sum is exact however slow the machine is.
TEST_F(CountersTest, SixteenProcesses) {
  constexpr int kProcesses = 16;
  constexpr int kRounds = 50;
  int results[2];
  ASSERT_EQ(pipe(results), 0);
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      uint32_t added = 0;
      for (int i = 0; i < kRounds; ++i) {
        added += Counters(path_).Add({{Counter::kHit, 1}, {Counter::kBytesRead, 3}}).ok();
      }
      _exit(write(results[1], &added, sizeof(added)) == sizeof(added) ? 0 : 1);
    }
  }
  uint64_t total = 0;
  for (int p = 0; p < kProcesses; ++p) {
    uint32_t added;
    ASSERT_EQ(read(results[0], &added, sizeof(added)), static_cast<ssize_t>(sizeof(added)));
    total += added;
    int status;
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_GT(total, 0u);
  EXPECT_EQ(Values()[Counter::kHit], total);
  EXPECT_EQ(Values()[Counter::kBytesRead], 3 * total);
}

TEST_F(CountersTest, SixteenThreads) {
  Counters counters(path_);
  std::vector<std::thread> threads;
  std::vector<int> added(16, 0);
  for (int& count : added) {
    threads.emplace_back([&counters, &count] {
      for (int i = 0; i < 50; ++i) count += counters.Add({{Counter::kPublished, 1}}).ok();
    });
  }
  for (std::thread& thread : threads) thread.join();
  uint64_t total = 0;
  for (int count : added) total += static_cast<uint64_t>(count);
  EXPECT_GT(total, 0u);
  EXPECT_EQ(Values()[Counter::kPublished], total);
}

TEST_F(CountersTest, APipeInPlaceOfTheFileIsAnErrorAndNoWait) {
  Counters counters(path_);
  ASSERT_THAT(counters.Add({{Counter::kHit, 1}}), IsOk());
  ASSERT_EQ(unlink(path_.c_str()), 0);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(counters.Read().ok());
  EXPECT_FALSE(counters.Add({{Counter::kHit, 1}}).ok());
}

}  // namespace
}  // namespace ingot::cache
