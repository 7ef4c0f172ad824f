#include "cache/local/local_store.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"
#include "cache/testing/store_contract.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LocalUnderTest : public StoreUnderTest {
 public:
  BlobStore& blob_store() override { return blobs_; }
  ActionCache& action_cache() override { return entries_; }
  void SetBlobBytes(const Digest& digest, std::string_view bytes) override {
    WriteTestFile(blobs_.LocationOf(digest), bytes);
  }
  void SetEntryBytes(const ActionKey& key, std::string_view bytes) override {
    WriteTestFile(entries_.LocationOf(key), bytes);
  }

 private:
  TemporaryDirectory directory_;
  LocalBlobStore blobs_{directory_.path() + "/store"};
  LocalActionCache entries_{directory_.path() + "/store"};
};

INSTANTIATE_TEST_SUITE_P(Local, StoreContractTest,
                         testing::Values([] { return std::make_unique<LocalUnderTest>(); }));

int64_t ModificationTime(const std::string& path) {
  struct stat status;
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

reapi::ActionResult SealedResult(const ActionKey& key, std::string_view output = "output") {
  reapi::ActionResult result;
  reapi::OutputFile& file = *result.add_output_files();
  file.set_path("out.o");
  ToProto(Sha256(output), *file.mutable_digest());
  ToProto(Sha256("stderr"), *result.mutable_stderr_digest());
  SealActionResult(key, result);
  return result;
}

class LocalStoreTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  const std::string root_ = directory_.path() + "/store";
  LocalBlobStore blobs_{root_};
  LocalActionCache entries_{root_};
  const Digest hello_ = Sha256("hello\n");
  const ActionKey key_ = ActionKey(Sha256("action"));
};

// Bazel 7.7.1's layout: raw bytes in sharded folders, nothing else.
TEST_F(LocalStoreTest, Layout) {
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  const reapi::ActionResult result = SealedResult(key_);
  ASSERT_THAT(entries_.Update(key_, result), IsOk());
  const std::string hash = key_.hash();
  EXPECT_THAT(
      directory_.Files(),
      ElementsAre(absl::StrCat("store/ac/", hash.substr(0, 2), "/", hash),
                  "store/cas/58/5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"));
  EXPECT_EQ(ReadTestFile(blobs_.LocationOf(hello_)), "hello\n");
  reapi::ActionResult parsed;
  ASSERT_TRUE(parsed.ParseFromString(ReadTestFile(entries_.LocationOf(key_))));
  EXPECT_EQ(parsed.SerializeAsString(), result.SerializeAsString());
}

TEST_F(LocalStoreTest, ReadingMakesNothing) {
  EXPECT_THAT(blobs_.Get(hello_), StatusIs(absl::StatusCode::kNotFound, HasSubstr(root_)));
  EXPECT_THAT(entries_.Get(key_), StatusIs(absl::StatusCode::kNotFound, HasSubstr(root_)));
  EXPECT_THAT(blobs_.FindMissing(std::vector{hello_}), IsOkAndHolds(ElementsAre(hello_)));
  struct stat status;
  EXPECT_NE(stat(root_.c_str(), &status), 0);
}

TEST_F(LocalStoreTest, TheEmptyBlobIsNoFile) {
  ASSERT_THAT(blobs_.Put(EmptyDigest(), "", PutMode::kOverwrite), IsOk());
  EXPECT_THAT(directory_.Files(), IsEmpty());
}

TEST_F(LocalStoreTest, LookingChangesNothing) {
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  ASSERT_THAT(entries_.Update(key_, SealedResult(key_)), IsOk());
  const std::string blob = blobs_.LocationOf(hello_);
  const std::string entry = entries_.LocationOf(key_);
  AgeTestFile(blob, 10'000);
  AgeTestFile(entry, 10'000);
  const int64_t blob_time = ModificationTime(blob);
  const int64_t entry_time = ModificationTime(entry);
  LocalBlobStore blobs(root_, Access::kLook);
  LocalActionCache entries(root_, Access::kLook);
  EXPECT_THAT(blobs.Get(hello_), IsOkAndHolds("hello\n"));
  EXPECT_THAT(entries.Get(key_), IsOk());
  EXPECT_EQ(ModificationTime(blob), blob_time);
  EXPECT_EQ(ModificationTime(entry), entry_time);

  WriteTestFile(blob, "jello\n");
  WriteTestFile(entry, "damaged");
  EXPECT_THAT(blobs.Get(hello_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(blob)));
  EXPECT_THAT(entries.Get(key_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(entry)));
}

TEST_F(LocalStoreTest, EachUseSetsTheTime) {
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  ASSERT_THAT(entries_.Update(key_, SealedResult(key_)), IsOk());
  const std::string blob = blobs_.LocationOf(hello_);
  const std::string entry = entries_.LocationOf(key_);
  const auto aged = [](const std::string& path) {
    AgeTestFile(path, 10'000);
    return ModificationTime(path);
  };
  int64_t before = aged(blob);
  ASSERT_THAT(blobs_.Get(hello_), IsOk());
  EXPECT_GT(ModificationTime(blob), before);
  before = aged(blob);
  ASSERT_THAT(blobs_.FindMissing(std::vector{hello_}), IsOkAndHolds(IsEmpty()));
  EXPECT_GT(ModificationTime(blob), before);
  before = aged(blob);
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  EXPECT_GT(ModificationTime(blob), before);
  before = aged(entry);
  ASSERT_THAT(entries_.Get(key_), IsOk());
  EXPECT_GT(ModificationTime(entry), before);
}

TEST_F(LocalStoreTest, KeepingDoesNotRewriteAndOverwritingDoes) {
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  const auto inode = [&] {
    struct stat status;
    EXPECT_EQ(stat(blobs_.LocationOf(hello_).c_str(), &status), 0);
    return status.st_ino;
  };
  const ino_t first = inode();
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  EXPECT_EQ(inode(), first);
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kOverwrite), IsOk());
  EXPECT_NE(inode(), first);
}

TEST_F(LocalStoreTest, AFolderOrFifoInAFilesPlaceIsDamage) {
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  const std::string path = blobs_.LocationOf(hello_);
  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(blobs_.Get(hello_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  EXPECT_THAT(blobs_.Get(hello_), IsOkAndHolds("hello\n"));
}

TEST_F(LocalStoreTest, AStoreThatCannotBeMadeIsAnErrorNamingIt) {
  WriteTestFile(root_, "a file");
  EXPECT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), StatusIs(_, HasSubstr(root_)));
  EXPECT_THAT(entries_.Update(key_, SealedResult(key_)), StatusIs(_, HasSubstr(root_)));
  const absl::Status read = blobs_.Get(hello_).status();
  EXPECT_THAT(read, StatusIs(_, HasSubstr(root_)));
  EXPECT_FALSE(absl::IsNotFound(read)) << "a store that is no folder is a fault, not a miss";
}

TEST_F(LocalStoreTest, AReadOnlyStoreCanBeRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  ASSERT_THAT(entries_.Update(key_, SealedResult(key_)), IsOk());
  for (const std::string& path : {blobs_.LocationOf(hello_), entries_.LocationOf(key_)}) {
    ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  }
  ASSERT_EQ(chmod((root_ + "/tmp").c_str(), 0555), 0);
  EXPECT_THAT(blobs_.Get(hello_), IsOkAndHolds("hello\n"));
  EXPECT_THAT(entries_.Get(key_), IsOk());
  EXPECT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kOverwrite),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr(root_)));
}

TEST_F(LocalStoreTest, FoldersThatVanishAreMadeAgain) {
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  ASSERT_EQ(unlink(blobs_.LocationOf(hello_).c_str()), 0);
  ASSERT_EQ(rmdir((root_ + "/cas/58").c_str()), 0);
  ASSERT_EQ(rmdir((root_ + "/cas").c_str()), 0);
  ASSERT_EQ(rmdir((root_ + "/tmp").c_str()), 0);
  ASSERT_THAT(blobs_.Put(hello_, "hello\n", PutMode::kKeep), IsOk());
  EXPECT_THAT(blobs_.Get(hello_), IsOkAndHolds("hello\n"));
}

// The file itself, bit by bit and cut off at every length: no other content is ever given out.
TEST_F(LocalStoreTest, EveryDamageOfAnEntrysFileIsNoticed) {
  const reapi::ActionResult original = SealedResult(key_);
  ASSERT_THAT(entries_.Update(key_, original), IsOk());
  const std::string path = entries_.LocationOf(key_);
  const std::string bytes = ReadTestFile(path);
  const auto check = [&](const std::string& damaged, std::string_view what) {
    WriteTestFile(path, damaged);
    absl::StatusOr<reapi::ActionResult> found = entries_.Get(key_);
    if (found.ok()) {
      EXPECT_EQ(found->SerializeAsString(), original.SerializeAsString()) << what;
    } else {
      EXPECT_THAT(found, StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path))) << what;
    }
    return found.ok();
  };
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    for (int bit = 0; bit < 8; ++bit) {
      damaged[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      EXPECT_FALSE(check(damaged, absl::StrCat("byte ", at, " bit ", bit)));
    }
    for (char value : {'\0', '\xff', static_cast<char>(bytes[at] + 1)}) {
      damaged[at] = value;
      EXPECT_EQ(check(damaged, absl::StrCat("byte ", at)), value == bytes[at]);
    }
    EXPECT_FALSE(check(bytes.substr(0, at), absl::StrCat("cut off at ", at)));
  }
  EXPECT_TRUE(check(bytes, "whole"));
}

TEST_F(LocalStoreTest, EveryDamageOfABlobsFileIsNoticed) {
  const std::string content = "the bytes of an output";
  const Digest digest = Sha256(content);
  const std::string path = blobs_.LocationOf(digest);
  for (size_t at = 0; at < content.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = content;
      damaged[at] = static_cast<char>(content[at] ^ (1 << bit));
      WriteTestFile(path, damaged);
      EXPECT_THAT(blobs_.Get(digest), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
    }
    WriteTestFile(path, content.substr(0, at));
    EXPECT_THAT(blobs_.Get(digest), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
  }
}

// A small file can be a message of gigabytes.
TEST_F(LocalStoreTest, AnEntryThatIsTooLongIsNotParsed) {
  std::string outputs;
  while (outputs.size() <= static_cast<size_t>(kMaximumEntryBytes)) outputs.append("\x12\0", 2);
  WriteTestFile(entries_.LocationOf(key_), outputs);
  EXPECT_THAT(entries_.Get(key_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("more than")));
}

// Writers killed at any time leave whole files or none. Each child says when it has started, so
// that it is killed while it writes.
TEST_F(LocalStoreTest, KilledWritersLeaveNoHalves) {
  const std::string large(1 << 20, 'x');
  const Digest digest = Sha256(large);
  for (int round = 0; round < 20; ++round) {
    int started[2];
    ASSERT_EQ(pipe(started), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (write(started[1], "x", 1) != 1) _exit(1);
      while (true) {
        (void)blobs_.Put(digest, large, PutMode::kOverwrite);
        (void)entries_.Update(key_, SealedResult(key_));
      }
    }
    char byte;
    ASSERT_EQ(read(started[0], &byte, 1), 1);
    // Something for the child to be in the middle of, of a different length each round.
    for (int i = 0; i < round * 10; ++i) (void)blobs_.Get(digest);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    close(started[0]);
    close(started[1]);
    const absl::Status blob = blobs_.Get(digest).status();
    EXPECT_TRUE(blob.ok() || absl::IsNotFound(blob)) << blob;
    const absl::Status entry = entries_.Get(key_).status();
    EXPECT_TRUE(entry.ok() || absl::IsNotFound(entry)) << entry;
  }
  for (const std::string& file : directory_.Files()) {
    EXPECT_TRUE(absl::StartsWith(file, "store/cas/") || absl::StartsWith(file, "store/ac/") ||
                absl::StartsWith(file, "store/tmp/ingot-"))
        << file;
  }
}

}  // namespace
}  // namespace ingot::cache
