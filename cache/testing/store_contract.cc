#include "cache/testing/store_contract.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kBlob = "the bytes of a blob";

ActionKey Key(std::string_view name) { return ActionKey(Sha256(name)); }

reapi::ActionResult SealedResult(const ActionKey& key, std::string_view output) {
  reapi::ActionResult result;
  reapi::OutputFile& file = *result.add_output_files();
  file.set_path("out.o");
  ToProto(Sha256(output), *file.mutable_digest());
  SealActionResult(key, result);
  return result;
}

TEST_P(StoreContractTest, ABlobThatWasPutIsThere) {
  const Digest digest = Sha256(kBlob);
  ASSERT_THAT(blobs().Put(digest, kBlob, PutMode::kKeep), IsOk());
  EXPECT_THAT(blobs().Get(digest), IsOkAndHolds(kBlob));
}

TEST_P(StoreContractTest, ABlobMayHoldAnyBytes) {
  std::string bytes(1 << 20, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 3);
  ASSERT_THAT(blobs().Put(Sha256(bytes), bytes, PutMode::kKeep), IsOk());
  EXPECT_THAT(blobs().Get(Sha256(bytes)), IsOkAndHolds(bytes));
}

TEST_P(StoreContractTest, AnAbsentBlobIsNotFound) {
  EXPECT_THAT(blobs().Get(Sha256(kBlob)), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_P(StoreContractTest, TheEmptyBlobIsAlwaysThere) {
  EXPECT_THAT(blobs().Get(EmptyDigest()), IsOkAndHolds(""));
  EXPECT_THAT(blobs().FindMissing(std::vector{EmptyDigest()}), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(blobs().Put(EmptyDigest(), "", PutMode::kKeep), IsOk());
  EXPECT_THAT(blobs().Put(EmptyDigest(), "", PutMode::kOverwrite), IsOk());
}

TEST_P(StoreContractTest, BytesOfAnotherDigestAreRefused) {
  const Digest digest = Sha256(kBlob);
  EXPECT_THAT(blobs().Put(digest, "the bytes of a glob", PutMode::kKeep),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(blobs().Put(digest, "short", PutMode::kKeep),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(blobs().Get(digest), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_P(StoreContractTest, AMalformedDigestIsRefused) {
  const Digest malformed = {"../../../../etc/passwd", 5};
  EXPECT_THAT(blobs().Get(malformed), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(blobs().FindMissing(std::vector{malformed}),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_P(StoreContractTest, ChangedBytesOfABlobAreDataLossNamingIt) {
  const Digest digest = Sha256(kBlob);
  ASSERT_THAT(blobs().Put(digest, kBlob, PutMode::kKeep), IsOk());
  for (std::string_view damaged :
       {"the bytes of a bloc", "the bytes of a blo", "the bytes of a blobb", ""}) {
    store().SetBlobBytes(digest, damaged);
    EXPECT_THAT(blobs().Get(digest),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(blobs().LocationOf(digest))))
        << damaged;
  }
}

TEST_P(StoreContractTest, ARightHashWithAWrongSizeIsNoBlob) {
  Digest digest = Sha256(kBlob);
  ASSERT_THAT(blobs().Put(digest, kBlob, PutMode::kKeep), IsOk());
  ++digest.size_bytes;
  EXPECT_FALSE(blobs().Get(digest).ok());
  EXPECT_THAT(blobs().Put(digest, kBlob, PutMode::kKeep),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_P(StoreContractTest, PutReplacesABlobOfAnotherSize) {
  const Digest digest = Sha256(kBlob);
  store().SetBlobBytes(digest, "half the b");
  ASSERT_THAT(blobs().Put(digest, kBlob, PutMode::kKeep), IsOk());
  EXPECT_THAT(blobs().Get(digest), IsOkAndHolds(kBlob));
}

TEST_P(StoreContractTest, OverwritingRepairsABlobOfTheSameSize) {
  const Digest digest = Sha256(kBlob);
  store().SetBlobBytes(digest, "the bytes of a bloc");
  ASSERT_THAT(blobs().Put(digest, kBlob, PutMode::kOverwrite), IsOk());
  EXPECT_THAT(blobs().Get(digest), IsOkAndHolds(kBlob));
}

TEST_P(StoreContractTest, FindMissingListsEachAbsentBlobOnceInOrder) {
  const Digest present = Sha256("present");
  const Digest a = Sha256("a"), b = Sha256("b");
  ASSERT_THAT(blobs().Put(present, "present", PutMode::kKeep), IsOk());
  const std::vector<Digest> expected = store().can_find() ? std::vector{b, a} : std::vector{b, present, a};
  EXPECT_THAT(blobs().FindMissing(std::vector{b, present, a, b, EmptyDigest(), a}),
              IsOkAndHolds(ElementsAreArray(expected)));
}

TEST_P(StoreContractTest, FindMissingListsABlobOfAnotherSize) {
  const Digest digest = Sha256(kBlob);
  store().SetBlobBytes(digest, "half the b");
  EXPECT_THAT(blobs().FindMissing(std::vector{digest}), IsOkAndHolds(ElementsAre(digest)));
}

TEST_P(StoreContractTest, AnEntryThatWasStoredIsThere) {
  const ActionKey key = Key("an action");
  const reapi::ActionResult stored = SealedResult(key, "output");
  ASSERT_THAT(entries().Update(key, stored), IsOk());
  absl::StatusOr<reapi::ActionResult> found = entries().Get(key);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->SerializeAsString(), stored.SerializeAsString());
}

TEST_P(StoreContractTest, AnAbsentEntryIsNotFound) {
  EXPECT_THAT(entries().Get(Key("an action")), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_P(StoreContractTest, ALaterEntryReplacesTheEarlierOne) {
  const ActionKey key = Key("an action");
  ASSERT_THAT(entries().Update(key, SealedResult(key, "first")), IsOk());
  const reapi::ActionResult second = SealedResult(key, "second");
  ASSERT_THAT(entries().Update(key, second), IsOk());
  absl::StatusOr<reapi::ActionResult> found = entries().Get(key);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->SerializeAsString(), second.SerializeAsString());
}

TEST_P(StoreContractTest, InsertingStoresWhereThereIsNothing) {
  const ActionKey key = Key("an action");
  ASSERT_THAT(entries().Insert(key, SealedResult(key, "output")), IsOk());
  EXPECT_THAT(entries().Get(key), IsOk());
}

// Not every protocol can insert; what counts is that the answer is true.
TEST_P(StoreContractTest, InsertingKeepsWhatIsThereOrReplacesAndSaysWhich) {
  const ActionKey key = Key("an action");
  const reapi::ActionResult first = SealedResult(key, "first");
  const reapi::ActionResult second = SealedResult(key, "second");
  ASSERT_THAT(entries().Update(key, first), IsOk());
  const absl::Status inserted = entries().Insert(key, second);
  absl::StatusOr<reapi::ActionResult> found = entries().Get(key);
  ASSERT_THAT(found, IsOk());
  if (!inserted.ok()) EXPECT_THAT(inserted, StatusIs(absl::StatusCode::kAlreadyExists, _));
  EXPECT_EQ(found->SerializeAsString(), (inserted.ok() ? second : first).SerializeAsString());
}

TEST_P(StoreContractTest, AnEntryIsNotABlobOfTheSameName) {
  const ActionKey key = Key("an action");
  ASSERT_THAT(entries().Update(key, SealedResult(key, "output")), IsOk());
  EXPECT_THAT(blobs().Get(key.digest()), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_P(StoreContractTest, ADamagedEntryIsDataLossNamingIt) {
  const ActionKey key = Key("an action");
  std::string bytes = EncodeActionResult(SealedResult(key, "output"));
  bytes.back() ^= 1;
  for (const std::string& damaged : {bytes, bytes.substr(0, bytes.size() / 2), std::string(),
                                     std::string(100, '\0'), std::string(100, '\xff')}) {
    store().SetEntryBytes(key, damaged);
    EXPECT_THAT(entries().Get(key),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(entries().LocationOf(key))));
  }
}

TEST_P(StoreContractTest, AnotherKeysEntryIsDataLoss) {
  const ActionKey key = Key("an action");
  store().SetEntryBytes(key, EncodeActionResult(SealedResult(Key("another"), "output")));
  EXPECT_THAT(entries().Get(key), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST_P(StoreContractTest, AForeignEntryIsTakenAsItIs) {
  const ActionKey key = Key("an action");
  reapi::ActionResult foreign;
  foreign.set_exit_code(1);
  store().SetEntryBytes(key, foreign.SerializeAsString());
  absl::StatusOr<reapi::ActionResult> found = entries().Get(key);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->exit_code(), 1);
}

TEST_P(StoreContractTest, UpdatingRepairsADamagedEntry) {
  const ActionKey key = Key("an action");
  store().SetEntryBytes(key, "damaged");
  ASSERT_THAT(entries().Update(key, SealedResult(key, "output")), IsOk());
  EXPECT_THAT(entries().Get(key), IsOk());
}

// Readers among writers of the same names see nothing, or all of something.
TEST_P(StoreContractTest, ManyThreadsAtOnce) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 25;
  const ActionKey key = Key("contended");
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        const std::string bytes = absl::StrCat("blob ", round);
        const Digest digest = Sha256(bytes);
        const PutMode mode = t % 2 == 0 ? PutMode::kKeep : PutMode::kOverwrite;
        absl::StatusOr<std::string> before = blobs().Get(digest);
        EXPECT_TRUE(before.ok() || absl::IsNotFound(before.status())) << before.status();
        EXPECT_THAT(blobs().Put(digest, bytes, mode), IsOk());
        EXPECT_THAT(blobs().Get(digest), IsOkAndHolds(bytes));
        EXPECT_THAT(entries().Update(key, SealedResult(key, bytes)), IsOk());
        EXPECT_THAT(entries().Get(key), IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

}  // namespace ingot::cache
