#include "cache/file_digest_memo.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::HasSubstr;

// A file's ctime can't be set, so the clock is: tests look at a new file from a moment when it is
// old.
absl::Time InAnHour() { return absl::Now() + absl::Hours(1); }

class FileDigestMemoTest : public testing::Test {
 protected:
  FileDigestMemoTest() { WriteTestFile(path_, "content"); }

  // The digest by way of a new object, as in another process, and whether the file was read for it.
  struct Answer {
    Digest digest;
    bool read = false;
  };
  Answer Ask(const std::string& path, absl::Time (*clock)() = InAnHour) {
    FileDigestMemo memo(memo_path_, clock);
    absl::StatusOr<Digest> digest = memo.FileDigest(path);
    EXPECT_THAT(digest, absl_testing::IsOk());
    return {digest.ok() ? *digest : Digest(), memo.files_read() > 0};
  }
  Answer Ask() { return Ask(path_); }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/tool";
  const std::string memo_path_ = directory_.path() + "/state/file_digests";
};

TEST_F(FileDigestMemoTest, ReadsOnceAndRemembers) {
  Answer first = Ask();
  EXPECT_EQ(first.digest, Sha256("content"));
  EXPECT_TRUE(first.read);
  for (int i = 0; i < 3; ++i) {
    Answer again = Ask();
    EXPECT_EQ(again.digest, Sha256("content"));
    EXPECT_FALSE(again.read);
  }
}

TEST_F(FileDigestMemoTest, LargeAndEmptyFiles) {
  const std::string large(3 << 20, 'x');
  WriteTestFile(path_ + "-large", large);
  WriteTestFile(path_ + "-empty", "");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Ask(path_ + "-large").digest, Sha256(large));
    EXPECT_EQ(Ask(path_ + "-empty").digest, EmptyDigest());
  }
}

TEST_F(FileDigestMemoTest, ANewContentIsNoticed) {
  Ask();
  WriteTestFile(path_, "CONTENT");
  Answer answer = Ask();
  EXPECT_EQ(answer.digest, Sha256("CONTENT"));
  EXPECT_TRUE(answer.read);
  EXPECT_FALSE(Ask().read);
}

// As `cp -p`, `touch -r` or an archive's extraction would: same size, same mtime. ctime still
// tells.
TEST_F(FileDigestMemoTest, ANewContentUnderTheOldTimeIsNoticed) {
  AgeTestFile(path_, 10'000);
  Ask();
  struct stat before;
  ASSERT_EQ(stat(path_.c_str(), &before), 0);
  // The kernel's clock for ctime ticks; wait until the change is in another tick, however long that
  // takes.
  struct stat after;
  do {
    WriteTestFile(path_, "CONTENT");
    const struct timespec times[2] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
    ASSERT_EQ(stat(path_.c_str(), &after), 0);
  } while (after.st_ctim.tv_sec == before.st_ctim.tv_sec &&
           after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
  ASSERT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
  ASSERT_EQ(after.st_size, before.st_size);
  EXPECT_EQ(Ask().digest, Sha256("CONTENT"));
}

TEST_F(FileDigestMemoTest, AnotherFileMovedIntoPlaceIsNoticed) {
  Ask();
  WriteTestFile(path_ + ".new", "CONTENT");
  ASSERT_EQ(rename((path_ + ".new").c_str(), path_.c_str()), 0);
  EXPECT_EQ(Ask().digest, Sha256("CONTENT"));
}

TEST_F(FileDigestMemoTest, ASymlinkIsItsTarget) {
  ASSERT_EQ(symlink("tool", (path_ + "-link").c_str()), 0);
  Ask();
  EXPECT_EQ(Ask(path_ + "-link").digest, Sha256("content"));
  EXPECT_FALSE(Ask(path_ + "-link").read);
  WriteTestFile(path_ + "2", "other");
  ASSERT_EQ(unlink((path_ + "-link").c_str()), 0);
  ASSERT_EQ(symlink("tool2", (path_ + "-link").c_str()), 0);
  EXPECT_EQ(Ask(path_ + "-link").digest, Sha256("other"));
}

TEST_F(FileDigestMemoTest, AYoungFileIsNotRemembered) {
  EXPECT_TRUE(Ask(path_, absl::Now).read);
  // Whatever this machine's speed: at most 1 s old by this clock, or from the future by that one.
  const auto too_soon = [] { return absl::UnixEpoch(); };
  EXPECT_TRUE(Ask(path_, too_soon).read);
  EXPECT_TRUE(Ask(path_, too_soon).read);
  // An old mtime is no proof of age: ctime is young.
  AgeTestFile(path_, 10'000);
  EXPECT_TRUE(Ask(path_, too_soon).read);
  EXPECT_THAT(directory_.Files(), testing::ElementsAre("tool"));
}

TEST_F(FileDigestMemoTest, TheMinimumAgeIsCountedFromTheLastChange) {
  struct stat status;
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  const absl::Time changed = absl::TimeFromTimespec(status.st_ctim);
  FileDigestMemo too_young(memo_path_,
                           [&] { return changed + absl::Seconds(2) - absl::Nanoseconds(1); });
  EXPECT_THAT(too_young.FileDigest(path_), IsOkAndHolds(Sha256("content")));
  EXPECT_THAT(too_young.FileDigest(path_), IsOkAndHolds(Sha256("content")));
  EXPECT_EQ(too_young.files_read(), 2);
  FileDigestMemo old_enough(memo_path_, [&] { return changed + absl::Seconds(2); });
  EXPECT_THAT(old_enough.FileDigest(path_), IsOkAndHolds(Sha256("content")));
  EXPECT_THAT(old_enough.FileDigest(path_), IsOkAndHolds(Sha256("content")));
  EXPECT_EQ(old_enough.files_read(), 1);
}

TEST_F(FileDigestMemoTest, ADamagedMemoIsNeverBelieved) {
  Ask();
  const std::string bytes = ReadTestFile(memo_path_);
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] ^= 1;
    WriteTestFile(memo_path_, damaged);
    Answer answer = Ask();
    EXPECT_EQ(answer.digest, Sha256("content")) << at;
    EXPECT_TRUE(answer.read) << at;
    WriteTestFile(memo_path_, bytes.substr(0, at));
    EXPECT_EQ(Ask().digest, Sha256("content")) << at;
  }
  for (const std::string& damaged : {std::string(), std::string(80, '\0'), bytes + "x",
                                     bytes + bytes, std::string(1 << 20, 'x')}) {
    WriteTestFile(memo_path_, damaged);
    EXPECT_EQ(Ask().digest, Sha256("content"));
    Ask();
    EXPECT_FALSE(Ask().read);  // and is replaced
  }
}

TEST_F(FileDigestMemoTest, AMemoThatCannotBeWrittenIsNoError) {
  WriteTestFile(directory_.path() + "/state", "a file");
  EXPECT_TRUE(Ask().read);
  EXPECT_TRUE(Ask().read);
}

TEST_F(FileDigestMemoTest, ErrorsNameTheFile) {
  FileDigestMemo memo(memo_path_);
  EXPECT_THAT(memo.FileDigest(path_ + "-absent"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(path_ + "-absent")));
  EXPECT_THAT(memo.FileDigest(directory_.path()), StatusIs(_, HasSubstr(directory_.path())));
}

TEST_F(FileDigestMemoTest, TheOldestRecordsGo) {
  constexpr size_t kFiles = FileDigestMemo::kMaximumRecords + 5;
  for (size_t i = 0; i < kFiles; ++i) {
    WriteTestFile(absl::StrCat(path_, i), absl::StrCat("content ", i));
    Ask(absl::StrCat(path_, i));
  }
  EXPECT_LE(ReadTestFile(memo_path_).size(), 8 + 80 * FileDigestMemo::kMaximumRecords);
  EXPECT_FALSE(Ask(absl::StrCat(path_, kFiles - 1)).read);
  EXPECT_FALSE(Ask(absl::StrCat(path_, 5)).read);
  EXPECT_TRUE(Ask(absl::StrCat(path_, 4)).read);
}

TEST_F(FileDigestMemoTest, ManyThreads) {
  constexpr int kFiles = 4;
  for (int i = 0; i < kFiles; ++i) {
    WriteTestFile(absl::StrCat(path_, i), absl::StrCat("content ", i));
  }
  FileDigestMemo memo(memo_path_, InAnHour);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round) {
        const int i = (t + round) % kFiles;
        EXPECT_THAT(memo.FileDigest(absl::StrCat(path_, i)),
                    IsOkAndHolds(Sha256(absl::StrCat("content ", i))));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ingot::cache
