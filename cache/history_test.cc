#include "cache/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HistoryTest : public testing::Test {
 protected:
  absl::Time Clock() { return now_ += absl::Seconds(1); }

  History Open(int64_t maximum_file_size = History::kMaximumFileSize) {
    return History(path_, [this] { return Clock(); }, maximum_file_size);
  }

  void Publish(const std::string& key, const std::string& input) {
    EXPECT_THAT(Open().Append({.key = key, .input = input, .output = "/o"}), IsOk());
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/state/store-1/history";
  absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
};

TEST_F(HistoryTest, NothingAppendedReadsAsNothingAndMakesNothing) {
  EXPECT_THAT(Open().Read().events, IsEmpty());
  EXPECT_THAT(directory_.Files(), IsEmpty());
}

TEST_F(HistoryTest, ACopyOfAnotherStoresResultIsAPublication) {
  EXPECT_THAT(Open().Append({.kind = HistoryEventKind::kCopied, .key = "aaaa/1", .input = "/k.ll"}),
              IsOk());
  const HistoryView view = Open().Read();
  ASSERT_NE(view.LastPublicationOf("aaaa"), nullptr);
  EXPECT_EQ(view.LastPublicationOf("aaaa")->kind, HistoryEventKind::kCopied);
  EXPECT_EQ(view.LastPublicationFor("/k.ll")->key, "aaaa/1");
}

TEST_F(HistoryTest, AnswersWhenAKeyWasPublishedAndForWhat) {
  Publish("aaaa/1", "/k.ll");
  Publish("bbbb/1", "/other.ll");
  Publish("cccc/1", "/k.ll");
  EXPECT_THAT(
      Open().Append({.kind = HistoryEventKind::kRepaired, .key = "aaaa/1", .input = "/k.ll"}),
      IsOk());
  const HistoryView view = Open().Read();
  ASSERT_THAT(view.events, SizeIs(4));
  const absl::Time start = absl::FromUnixSeconds(1'800'000'000);
  EXPECT_EQ(view.FirstPublicationOf("aaaa")->time, start + absl::Seconds(1));
  EXPECT_EQ(view.LastPublicationOf("aaaa")->time, start + absl::Seconds(4));
  EXPECT_EQ(view.LastPublicationOf("aaa"), nullptr);
  EXPECT_EQ(view.LastPublicationOf("dddd"), nullptr);
  EXPECT_EQ(view.LastPublicationFor("/k.ll")->key, "aaaa/1");
  EXPECT_EQ(view.LastPublicationFor("/none.ll"), nullptr);
  const auto all = view.PublicationsFor("/k.ll", 10);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[1]->key, "cccc/1");
  EXPECT_THAT(view.PublicationsFor("/k.ll", 1), SizeIs(1));
}

TEST_F(HistoryTest, AResetIsFoundByItsPlace) {
  Publish("aaaa/1", "/k.ll");
  EXPECT_THAT(Open().Append({.kind = HistoryEventKind::kReset}), IsOk());
  now_ -= absl::Hours(10);
  Publish("bbbb/1", "/k.ll");
  const HistoryView view = Open().Read();
  ASSERT_NE(view.ResetAfter(*view.LastPublicationOf("aaaa")), nullptr);
  EXPECT_EQ(view.ResetAfter(*view.LastPublicationOf("bbbb")), nullptr);
}

TEST_F(HistoryTest, AnyBytesComeBack) {
  std::string odd = "/a\tb\nc\\d\"e'\x01\x7f\xff\xc3\xbc";
  odd += '\0';
  odd += "end";
  const HistoryEvent event{
      .kind = HistoryEventKind::kDisowned, .key = odd, .input = odd + "i", .output = odd + "o"};
  ASSERT_THAT(Open().Append(event), IsOk());
  Publish("aaaa/1", "/k.ll");
  const HistoryView view = Open().Read();
  ASSERT_THAT(view.events, SizeIs(2));
  EXPECT_EQ(view.events[0].kind, HistoryEventKind::kDisowned);
  EXPECT_EQ(view.events[0].key, odd);
  EXPECT_EQ(view.events[0].input, odd + "i");
  EXPECT_EQ(view.events[0].output, odd + "o");
}

TEST_F(HistoryTest, DamagedLinesAreSkipped) {
  for (int i = 0; i < 3; ++i) Publish(absl::StrCat("key", i, "/1"), "/k.ll");
  const std::string bytes = ReadTestFile(path_);
  const size_t first = bytes.find('\n');
  const size_t second = bytes.find('\n', first + 1);
  for (size_t at = first + 1; at < second; ++at) {
    std::string damaged = bytes;
    damaged[at] ^= 1;
    WriteTestFile(path_, damaged);
    const HistoryView view = Open().Read();
    EXPECT_GE(view.events.size(), 2u) << at;
    EXPECT_NE(view.LastPublicationOf("key0"), nullptr) << at;
    EXPECT_NE(view.LastPublicationOf("key2"), nullptr) << at;
    EXPECT_EQ(view.LastPublicationOf("key1"), nullptr) << at;
  }
  WriteTestFile(path_, std::string(10'000, '\0'));
  EXPECT_THAT(Open().Read().events, IsEmpty());
}

TEST_F(HistoryTest, ItsSizeIsBoundedAndTheLatestStay) {
  constexpr int64_t kSize = 2000;
  for (int i = 0; i < 500; ++i) {
    ASSERT_THAT(Open(kSize).Append({.key = absl::StrCat("key", i, "/1"), .input = "/k.ll"}),
                IsOk());
    const HistoryView view = Open().Read();
    ASSERT_NE(view.LastPublicationOf(absl::StrCat("key", i)), nullptr);
    if (i >= 100) {
      // At least the whole of the file before this one.
      ASSERT_NE(view.LastPublicationOf(absl::StrCat("key", i - 20)), nullptr);
      ASSERT_LT(ReadTestFile(path_ + ".1").size(), kSize + 100u);
      ASSERT_EQ(view.LastPublicationOf("key0"), nullptr);
    }
  }
  EXPECT_THAT(directory_.Files(), SizeIs(testing::Le(2u)));
}

TEST_F(HistoryTest, ALockOfOthersIsNotWaitedFor) {
  Publish("aaaa/1", "/k.ll");
  const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  EXPECT_THAT(Open(1).Append({.key = "bbbb/1"}), IsOk());
  close(fd);
  EXPECT_THAT(Open().Read().events, SizeIs(2));
}

TEST_F(HistoryTest, WhatIsTooLongOrCannotBeWrittenIsAnError) {
  EXPECT_THAT(Open().Append({.input = std::string(100'000, 'x')}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  WriteTestFile(directory_.path() + "/state", "a file");
  EXPECT_THAT(Open().Append({.key = "a/1"}),
              StatusIs(testing::_, HasSubstr(directory_.path() + "/state")));
}

TEST_F(HistoryTest, ProcessesAppendWholeLines) {
  constexpr int kProcesses = 8;
  constexpr int kRounds = 100;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child != 0) continue;
    bool good = true;
    for (int i = 0; i < kRounds; ++i) {
      good = good && Open()
                         .Append({.key = absl::StrCat("p", p, "i", i, "/1"),
                                  .input = std::string(500, 'x')})
                         .ok();
    }
    _exit(good ? 0 : 1);
  }
  for (int p = 0; p < kProcesses; ++p) {
    int status;
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  const HistoryView view = Open().Read();
  EXPECT_THAT(view.events, SizeIs(kProcesses * kRounds));
  for (int p = 0; p < kProcesses; ++p) {
    for (int i = 0; i < kRounds; ++i) {
      EXPECT_NE(view.LastPublicationOf(absl::StrCat("p", p, "i", i)), nullptr);
    }
  }
}

TEST_F(HistoryTest, APipeInPlaceOfTheFileIsAnErrorAndNoWait) {
  Publish("0123/1", "/k.ll");
  ASSERT_EQ(unlink(path_.c_str()), 0);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(Open().Append({.key = "0123/1", .input = "/k.ll", .output = "/o"}).ok());
  EXPECT_THAT(Open().Read().events, IsEmpty());
}

}  // namespace
}  // namespace ingot::cache
