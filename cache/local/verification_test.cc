#include "cache/local/verification.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/action.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/local/local_store.h"
#include "cache/lookup.h"
#include "cache/reapi.h"
#include "cache/testing/in_memory_store.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kObject = "the object file";
constexpr std::string_view kStderr = "a warning\n";

class VerificationTest : public ::testing::Test {
 protected:
  VerificationTest() {
    ActionSpec spec;
    spec.arguments = {"toolchain/ingot-compile", "src/k.ll"};
    spec.output_paths = {"out.o"};
    spec.input_root_digest = EmptyDigest();
    action_.push_back(*EncodeAction(spec));
    PublishIt();
  }

  void PublishIt() {
    const std::vector<OutputContents> outputs = {{"out.o", kObject, false}};
    EXPECT_THAT(Publish(actions_, blobs_,
                        {.action = action_[0],
                         .input_directories = {},
                         .output_files = outputs,
                         .stdout_raw = "",
                         .stderr_raw = kStderr,
                         .execution_metadata = {},
                         .overwrite = true}),
                IsOk());
  }

  std::string Entry() const { return actions_.LocationOf(action_[0].key); }
  std::string Blob(std::string_view bytes) const { return blobs_.LocationOf(Sha256(bytes)); }
  std::string ActionBlob() const { return blobs_.LocationOf(action_[0].key.digest()); }

  LookupResult LookItUp() {
    const std::vector<std::string> outputs = {"out.o"};
    return Lookup(actions_, blobs_, action_[0].key, outputs);
  }

  VerificationResult Verify(const VerificationOptions& options) {
    absl::StatusOr<VerificationResult> result = VerifyStore(root_, options);
    EXPECT_THAT(result, IsOk());
    return result.ok() ? *std::move(result) : VerificationResult();
  }

  void ExpectClean() {
    const VerificationResult result = Verify({});
    EXPECT_EQ(result.damaged, 0);
    EXPECT_THAT(result.findings, IsEmpty());
  }

  static auto Is(const std::string& path, FindingKind kind, Repair repair) {
    return AllOf(Field(&Finding::path, path), Field(&Finding::kind, kind),
                 Field(&Finding::repair, repair));
  }

  const TemporaryDirectory directory_;
  const std::string root_ = directory_.path() + "/store";
  LocalActionCache actions_{root_};
  LocalBlobStore blobs_{root_};
  std::vector<EncodedAction> action_;
};

TEST_F(VerificationTest, AGoodStoreIsGoodAndNothingCountsAsUsed) {
  for (const std::string& path : {Entry(), Blob(kObject)}) AgeTestFile(path, 5000);
  struct stat before;
  ASSERT_EQ(stat(Blob(kObject).c_str(), &before), 0);
  const VerificationResult result = Verify({.repair = true});
  EXPECT_EQ(result.entries, 1);
  EXPECT_EQ(result.foreign_entries, 0);
  EXPECT_EQ(result.blobs, 4);
  EXPECT_GT(result.bytes, 0);
  EXPECT_THAT(result.findings, IsEmpty());
  struct stat after;
  ASSERT_EQ(stat(Blob(kObject).c_str(), &after), 0);
  EXPECT_EQ(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
}

TEST_F(VerificationTest, ADamagedBlobGoesAndSoDoesTheEntryThatNamesIt) {
  WriteTestFile(Blob(kObject), "the object Xile");
  const VerificationResult looked = Verify({});
  EXPECT_THAT(looked.findings,
              ElementsAre(Is(Blob(kObject), FindingKind::kDamagedBlob, Repair::kNone)));
  EXPECT_EQ(looked.repaired, 0);
  EXPECT_EQ(ReadTestFile(Blob(kObject)), "the object Xile");

  const VerificationResult result = Verify({.repair = true});
  EXPECT_THAT(result.findings,
              ElementsAre(Is(Entry(), FindingKind::kMissingBlob, Repair::kRemoved),
                          Is(Blob(kObject), FindingKind::kDamagedBlob, Repair::kRemoved)));
  EXPECT_EQ(result.damaged, 2);
  EXPECT_EQ(result.repaired, 2);
  EXPECT_EQ(LookItUp().miss_reason, MissReason::kNotFound);
  ExpectClean();
}

TEST_F(VerificationTest, AnotherStoreHasTheRightBytes) {
  InMemoryBlobStore empty;
  InMemoryBlobStore source;
  ASSERT_THAT(source.Put(Sha256(kObject), kObject, PutMode::kKeep), IsOk());
  WriteTestFile(Blob(kObject), "damaged");
  const VerificationResult result =
      Verify({.repair = true, .sources = {{"empty", &empty}, {"image", &source}}});
  ASSERT_THAT(result.findings,
              ElementsAre(Is(Blob(kObject), FindingKind::kDamagedBlob, Repair::kRestored)));
  EXPECT_EQ(result.findings[0].source, "image");
  EXPECT_EQ(result.damaged, 1);
  EXPECT_EQ(result.repaired, 1);
  EXPECT_EQ(result.restored, 1);
  ASSERT_EQ(result.sources.size(), 2u);
  EXPECT_EQ(result.sources[0].restored, 0);
  EXPECT_EQ(result.sources[0].first_error, "");
  EXPECT_EQ(result.sources[1].restored, 1);
  EXPECT_TRUE(LookItUp().hit.has_value());
  ExpectClean();
}

TEST_F(VerificationTest, WhatWasMissingComesBackToo) {
  InMemoryBlobStore source;
  ASSERT_THAT(source.Put(Sha256(kStderr), kStderr, PutMode::kKeep), IsOk());
  ASSERT_EQ(unlink(Blob(kStderr).c_str()), 0);
  EXPECT_THAT(Verify({.repair = true, .sources = {{"image", &source}}}).findings,
              ElementsAre(Is(Entry(), FindingKind::kMissingBlob, Repair::kRestored)));
  ExpectClean();
}

TEST_F(VerificationTest, WhatDescribesAnEntryIsRestoredAndWhatNobodyNamesIsNot) {
  InMemoryBlobStore source;
  for (const std::string_view bytes :
       {std::string_view(action_[0].action), std::string_view(action_[0].command),
        std::string_view("an orphan")}) {
    ASSERT_THAT(source.Put(Sha256(bytes), bytes, PutMode::kKeep), IsOk());
    ASSERT_THAT(blobs_.Put(Sha256(bytes), bytes, PutMode::kKeep), IsOk());
    // Of another length, so that the size must come from elsewhere.
    WriteTestFile(Blob(bytes), "damaged");
  }
  const VerificationResult result = Verify({.repair = true, .sources = {{"image", &source}}});
  EXPECT_THAT(result.findings,
              UnorderedElementsAre(
                  Is(ActionBlob(), FindingKind::kDamagedBlob, Repair::kRestored),
                  Is(Blob(action_[0].command), FindingKind::kDamagedBlob, Repair::kRestored),
                  Is(Blob("an orphan"), FindingKind::kDamagedBlob, Repair::kRemoved)));
  EXPECT_EQ(ReadTestFile(ActionBlob()), action_[0].action);
  EXPECT_EQ(ReadTestFile(Blob(action_[0].command)), action_[0].command);
  EXPECT_TRUE(LookItUp().hit.has_value());
  ExpectClean();
}

TEST_F(VerificationTest, ASourceThatCannotAnswerIsNoObstacle) {
  InMemoryBlobStore broken;
  broken.SetFault(absl::UnavailableError("it is down"));
  InMemoryBlobStore source;
  ASSERT_THAT(source.Put(Sha256(kObject), kObject, PutMode::kKeep), IsOk());
  WriteTestFile(Blob(kObject), "damaged");
  WriteTestFile(Blob(kStderr), "damaged");
  const VerificationResult looked = Verify({.sources = {{"remote", &broken}, {"image", &source}}});
  EXPECT_EQ(looked.sources[0].first_error, "");
  const VerificationResult result =
      Verify({.repair = true, .sources = {{"remote", &broken}, {"image", &source}}});
  EXPECT_EQ(result.sources[0].first_error, "it is down");
  EXPECT_EQ(result.sources[1].restored, 1);
  EXPECT_EQ(result.damaged, 3);
  EXPECT_EQ(result.repaired, 3);
  ExpectClean();
}

TEST_F(VerificationTest, AMissingStreamAndAWrongLength) {
  ASSERT_EQ(unlink(Blob(kStderr).c_str()), 0);
  const VerificationResult result = Verify({.repair = true});
  ASSERT_THAT(result.findings,
              ElementsAre(Is(Entry(), FindingKind::kMissingBlob, Repair::kRemoved)));
  EXPECT_THAT(result.findings[0].message, HasSubstr(Sha256(kStderr).ToString()));
}

TEST_F(VerificationTest, EveryDamageToAnEntry) {
  const std::string good = ReadTestFile(Entry());
  std::vector<std::string> bad = {"", good.substr(0, good.size() / 2), good + good};
  for (size_t i = 0; i < good.size(); ++i) {
    bad.push_back(good);
    bad.back()[i] = static_cast<char>(bad.back()[i] ^ 0x04);
  }
  for (const std::string& bytes : bad) {
    WriteTestFile(Entry(), bytes);
    const VerificationResult result = Verify({.repair = true, .threads = 1});
    EXPECT_THAT(result.findings,
                ElementsAre(Is(Entry(), FindingKind::kDamagedEntry, Repair::kRemoved)));
    EXPECT_NE(access(Entry().c_str(), F_OK), 0);
  }
}

// The size in the key has to come from somewhere.
TEST_F(VerificationTest, ASealIsCheckedWithoutTheActionToo) {
  ASSERT_EQ(unlink(ActionBlob().c_str()), 0);
  ExpectClean();
  std::string bad = ReadTestFile(Entry());
  bad[bad.size() - 1] = static_cast<char>(bad[bad.size() - 1] ^ 0x01);
  WriteTestFile(Entry(), bad);
  EXPECT_THAT(Verify({.repair = true}).findings,
              ElementsAre(Is(Entry(), FindingKind::kDamagedEntry, Repair::kRemoved)));
}

TEST_F(VerificationTest, AnEntryInAnothersPlaceIsDamage) {
  const ActionKey other(Sha256("another action"));
  ASSERT_THAT(blobs_.Put(other.digest(), "another action", PutMode::kKeep), IsOk());
  WriteTestFile(actions_.LocationOf(other), ReadTestFile(Entry()));
  EXPECT_THAT(
      Verify({.repair = true}).findings,
      ElementsAre(Is(actions_.LocationOf(other), FindingKind::kDamagedEntry, Repair::kRemoved)));
}

TEST_F(VerificationTest, AForeignEntryIsOnlyParsed) {
  reapi::ActionResult result;
  reapi::OutputFile& file = *result.add_output_files();
  file.set_path("out");
  ToProto(Sha256("is elsewhere"), *file.mutable_digest());
  const std::string path = actions_.LocationOf(ActionKey(Sha256("bazel's")));
  WriteTestFile(path, result.SerializeAsString());
  const VerificationResult verified = Verify({.repair = true});
  EXPECT_EQ(verified.foreign_entries, 1);
  EXPECT_THAT(verified.findings, IsEmpty());
  WriteTestFile(path, "nonsense");
  EXPECT_THAT(Verify({.repair = true}).findings,
              ElementsAre(Is(path, FindingKind::kDamagedEntry, Repair::kRemoved)));
}

TEST_F(VerificationTest, WhatIsNoFileAndWhatHasAnotherName) {
  const std::string folder = blobs_.LocationOf(Sha256("a folder"));
  WriteTestFile(folder + "/inner", "x");
  const std::string link = blobs_.LocationOf(Sha256("a link"));
  WriteTestFile(link, "");
  ASSERT_EQ(unlink(link.c_str()), 0);
  ASSERT_EQ(symlink("/dev/null", link.c_str()), 0);
  WriteTestFile(root_ + "/cas/00/readme", "x");
  WriteTestFile(root_ + "/cas/00/" + std::string(64, 'f'), "in the wrong shard");
  VerificationResult result = Verify({.repair = true});
  EXPECT_EQ(result.damaged, 2);
  EXPECT_EQ(result.repaired, 2);
  EXPECT_EQ(result.other_files, 2);
  for (const Finding& finding : result.findings) EXPECT_EQ(finding.kind, FindingKind::kNotAFile);
  ExpectClean();
  EXPECT_EQ(access((root_ + "/cas/00/readme").c_str(), F_OK), 0);
}

TEST_F(VerificationTest, NoLinkIsFollowedOutOfTheStore) {
  const std::string name = Sha256("theirs").hash;
  const std::string shard = name.substr(0, 2);
  const std::string outside = absl::StrCat(directory_.path(), "/outside/", shard, "/", name);
  WriteTestFile(outside, "other bytes than the name says");
  ASSERT_EQ(symlink(absl::StrCat(directory_.path(), "/outside/", shard).c_str(),
                    absl::StrCat(root_, "/cas/", shard).c_str()),
            0);
  VerificationResult result = Verify({.repair = true});
  EXPECT_EQ(result.repaired, 0);
  ASSERT_EQ(result.findings.size(), 1);
  EXPECT_EQ(result.findings[0].kind, FindingKind::kUnreadable);
  ASSERT_EQ(rename((root_ + "/cas").c_str(), (root_ + "/tmp/aside").c_str()), 0);
  ASSERT_EQ(symlink((directory_.path() + "/outside").c_str(), (root_ + "/cas").c_str()), 0);
  Verify({.repair = true});
  EXPECT_EQ(access(outside.c_str(), F_OK), 0);
}

TEST_F(VerificationTest, WhatIsNotThereOrNoFolder) {
  EXPECT_THAT(VerifyStore(root_ + "/nowhere", {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nowhere")));
  EXPECT_THAT(VerifyStore(Entry(), {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(Entry())));
}

// A store that has nothing; asking it is a moment in the middle of a verification.
class Moment final : public BlobStore {
 public:
  explicit Moment(std::function<void()> happen) : happen_(std::move(happen)) {}
  absl::StatusOr<std::string> Get(const Digest&) override {
    happen_();
    return absl::NotFoundError("nothing");
  }
  absl::Status Put(const Digest&, std::string_view, PutMode) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<Digest>> FindMissing(std::span<const Digest>) override {
    return std::vector<Digest>();
  }
  std::string LocationOf(const Digest&) const override { return ""; }

 private:
  const std::function<void()> happen_;
};

TEST_F(VerificationTest, AnEntryThatWasReplacedAfterItWasReadStays) {
  ASSERT_EQ(unlink(Blob(kObject).c_str()), 0);
  int asked = 0;
  // Only at the last look, after which the old entry's removal is decided.
  Moment last_look([&] {
    if (++asked == 3) PublishIt();
  });
  const VerificationResult result =
      Verify({.repair = true, .sources = {{"", &last_look}}, .threads = 1});
  EXPECT_EQ(asked, 3);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_TRUE(LookItUp().hit.has_value());
  EXPECT_THAT(directory_.Files(), Not(Contains(HasSubstr("/tmp/"))));
}

// Somebody repairs what verification is about to remove: good bytes are never lost.
TEST_F(VerificationTest, GoodFilesSurviveWhateverHappensMeanwhile) {
  constexpr int kBlobs = 50;
  std::atomic<bool> done = false;
  std::atomic<int> rounds = 0;
  std::thread writer([&] {
    LocalBlobStore blobs(root_);
    while (!done) {
      for (int i = 0; i < kBlobs; ++i) {
        const std::string bytes = absl::StrCat("blob ", i);
        // As a lookup does that finds damage.
        if (!blobs.Get(Sha256(bytes)).ok()) {
          EXPECT_THAT(blobs.Put(Sha256(bytes), bytes, PutMode::kOverwrite), IsOk());
        }
      }
      ++rounds;
    }
  });
  while (rounds == 0) std::this_thread::yield();
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < kBlobs; ++i) {
      // In one step, as a writer would; the same length as the right bytes.
      const std::string bytes = absl::StrCat("blob ", i);
      const std::string damaged = absl::StrCat(root_, "/tmp/damaged");
      WriteTestFile(damaged, std::string(bytes.size(), 'x'));
      ASSERT_EQ(rename(damaged.c_str(), Blob(bytes).c_str()), 0);
    }
    Verify({.repair = true});
  }
  done = true;
  writer.join();
  ExpectClean();
  for (int i = 0; i < kBlobs; ++i) {
    const std::string bytes = absl::StrCat("blob ", i);
    const absl::StatusOr<std::string> read = blobs_.Get(Sha256(bytes));
    EXPECT_TRUE(read.ok() ? *read == bytes : absl::IsNotFound(read.status())) << read.status();
  }
  EXPECT_TRUE(LookItUp().hit.has_value());
}

}  // namespace
}  // namespace ingot::cache
