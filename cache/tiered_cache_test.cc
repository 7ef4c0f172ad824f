#include "cache/tiered_cache.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/action.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/lookup.h"
#include "cache/testing/compilation.h"
#include "cache/testing/in_memory_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kObject = "the object file";
constexpr std::string_view kMap = "the map file";
constexpr std::string_view kStderr = "k.ll:1:1: warning: something\n";

// One store in memory, and what it was asked.
struct Memory {
  CallLog log;
  InMemoryActionCache actions{&log};
  InMemoryBlobStore blobs{&log};

  Tier AsTier(std::string name, TierKind kind, bool writable) {
    return {std::move(name), kind, writable, &actions, &blobs};
  }
};

// Has no room for anything new.
class FullBlobStore final : public BlobStore {
 public:
  explicit FullBlobStore(BlobStore& store) : store_(store) {}
  absl::StatusOr<std::string> Get(const Digest& digest) override { return store_.Get(digest); }
  absl::Status Put(const Digest& /*digest*/, std::string_view /*bytes*/,
                   PutMode /*mode*/) override {
    return absl::ResourceExhaustedError("disk full");
  }
  absl::StatusOr<std::vector<Digest>> FindMissing(std::span<const Digest> digests) override {
    return store_.FindMissing(digests);
  }
  std::string LocationOf(const Digest& digest) const override { return store_.LocationOf(digest); }

 private:
  BlobStore& store_;
};

class TieredCacheTest : public testing::Test {
 protected:
  TieredCacheTest()
      : cache_({fast_.AsTier("fast", TierKind::kLocal, true),
                image_.AsTier("image", TierKind::kLocal, false),
                remote_.AsTier("remote", TierKind::kRemote, true)}) {}

  TieredLookup LookItUp() {
    return cache_.Lookup(
        {compilation_.action, compilation_.tree.directories, compilation_.output_paths});
  }

  // Whether `memory` alone has all of the result.
  bool Holds(Memory& memory) {
    return Lookup(memory.actions, memory.blobs, compilation_.action.key, compilation_.output_paths)
        .hit.has_value();
  }

  void PublishTo(Memory& memory, std::string_view object = kObject) {
    const std::vector<OutputContents> outputs = {{"out.o", object}, {"out.map", kMap, true}};
    ASSERT_TRUE(Publish(memory.actions, memory.blobs, compilation_.Request(outputs, kStderr)).ok());
    memory.log.Take();
  }

  std::vector<TierPublish> PublishIt(const TieredLookup& found) {
    return cache_.Publish(compilation_.Request(outputs_, kStderr), found);
  }

  const Compilation compilation_ = Compilation::Make();
  const std::vector<OutputContents> outputs_ = {{"out.o", kObject}, {"out.map", kMap, true}};
  Memory fast_, image_, remote_;
  TieredCache cache_;
};

TEST_F(TieredCacheTest, AMissEverywhereIsPublishedToAllThatMayBeWritten) {
  const TieredLookup found = LookItUp();
  EXPECT_FALSE(found.hit.has_value());
  EXPECT_EQ(found.Reason(), MissReason::kNotFound);
  EXPECT_THAT(found.misses, SizeIs(3));
  const std::vector<TierPublish> published = PublishIt(found);
  ASSERT_THAT(published, SizeIs(2));
  EXPECT_EQ(published[0].tier, 0u);
  EXPECT_EQ(published[1].tier, 2u);
  EXPECT_TRUE(Holds(fast_));
  EXPECT_FALSE(Holds(image_));
  EXPECT_TRUE(Holds(remote_));
}

TEST_F(TieredCacheTest, EachTierIsToldOfBeforeTheNextOneIsAsked) {
  const TieredLookup found = LookItUp();
  remote_.log.Take();
  std::vector<size_t> told;
  cache_.Publish(compilation_.Request(outputs_, kStderr), found, [&](const TierPublish& one) {
    told.push_back(one.tier);
    EXPECT_THAT(one.status, IsOk());
    EXPECT_TRUE(Holds(fast_));
    EXPECT_EQ(remote_.log.Take().empty(), told.size() == 1);
  });
  EXPECT_THAT(told, ElementsAre(0, 2));
}

TEST_F(TieredCacheTest, AHitInTheFastestAsksNobodyElse) {
  PublishTo(fast_);
  const TieredLookup found = LookItUp();
  ASSERT_TRUE(found.hit.has_value());
  EXPECT_EQ(found.hit_tier, 0u);
  EXPECT_THAT(found.misses, IsEmpty());
  EXPECT_THAT(image_.log.Take(), IsEmpty());
  EXPECT_THAT(remote_.log.Take(), IsEmpty());
}

TEST_F(TieredCacheTest, AHitFurtherDownIsCopiedWholeIntoTheFasterOnesThatMayBeWritten) {
  PublishTo(remote_);
  const TieredLookup found = LookItUp();
  ASSERT_TRUE(found.hit.has_value());
  EXPECT_EQ(found.hit_kind, TierKind::kRemote);
  EXPECT_EQ(found.copies, 1);
  EXPECT_EQ(found.hit->stderr_raw, kStderr);
  EXPECT_TRUE(Holds(fast_));
  EXPECT_FALSE(Holds(image_));
  // With what describes the request, so that questions can be answered without the remote one.
  EXPECT_TRUE(fast_.blobs.Get(compilation_.action.key.digest()).ok());
  EXPECT_TRUE(fast_.blobs.Get(compilation_.action.command_digest).ok());
  EXPECT_TRUE(fast_.blobs.Get(compilation_.tree.root_digest).ok());
  remote_.log.Take();
  const TieredLookup again = LookItUp();
  EXPECT_EQ(again.hit_tier, 0u);
  EXPECT_TRUE(again.hit->output_files.at(1).is_executable);
  EXPECT_EQ(again.hit->execution_metadata.execution_start_timestamp().seconds(), 1'700'000'000);
  EXPECT_THAT(remote_.log.Take(), IsEmpty());
}

TEST_F(TieredCacheTest, ATierThatMayNotBeWrittenIsNeverWritten) {
  PublishTo(image_);
  ASSERT_TRUE(LookItUp().hit.has_value());
  for (const std::string& call : image_.log.Take()) EXPECT_THAT(call, StartsWith("get "));
  EXPECT_TRUE(Holds(fast_));
  // A hit before the remote one is not sent there.
  EXPECT_FALSE(Holds(remote_));
}

TEST_F(TieredCacheTest, DamageInTheFastestIsRepairedFromTheNext) {
  PublishTo(fast_);
  PublishTo(remote_);
  fast_.blobs.SetBytes(Sha256(kObject), "the object fool");
  const TieredLookup found = LookItUp();
  ASSERT_TRUE(found.hit.has_value());
  EXPECT_EQ(found.hit_tier, 2u);
  EXPECT_EQ(found.misses[0].reason, MissReason::kCorruptBlob);
  EXPECT_THAT(found.misses[0].message, HasSubstr("memory:cas/"));
  EXPECT_TRUE(Holds(fast_));
}

TEST_F(TieredCacheTest, ARepairByADifferentResultRaisesTheAlarm) {
  PublishTo(fast_, "another object");
  PublishTo(remote_);
  fast_.blobs.Remove(Sha256("another object"));
  const TieredLookup found = LookItUp();
  ASSERT_TRUE(found.hit.has_value());
  EXPECT_EQ(found.repaired, 1);
  EXPECT_THAT(found.conflicts, ElementsAre(AllOf(HasSubstr("fast"), HasSubstr("remote"),
                                                 HasSubstr(Sha256(kObject).hash))));
  EXPECT_TRUE(Holds(fast_));
  EXPECT_THAT(LookItUp().conflicts, IsEmpty());
}

TEST_F(TieredCacheTest, WhatCannotBeWrittenIsNotRepaired) {
  FullBlobStore full(fast_.blobs);
  TieredCache cache({{.name = "fast", .actions = &fast_.actions, .blobs = &full},
                     remote_.AsTier("remote", TierKind::kRemote, true)});
  const TieredLookupRequest request{compilation_.action, compilation_.tree.directories,
                                    compilation_.output_paths};
  PublishTo(fast_);
  PublishTo(remote_);
  fast_.blobs.Remove(compilation_.tree.root_digest);
  const TieredLookup described = cache.Lookup(request);
  EXPECT_EQ(described.hit_tier, 0u);
  EXPECT_THAT(described.description.repaired, IsEmpty());
  EXPECT_THAT(described.description.failed, ElementsAre(HasSubstr("disk full")));

  fast_.blobs.SetBytes(Sha256(kObject), "the object fool");
  const TieredLookup found = cache.Lookup(request);
  EXPECT_EQ(found.hit_tier, 1u);
  EXPECT_THAT(found.copy_faults, ElementsAre(HasSubstr("disk full")));
  EXPECT_EQ(found.repaired, 0);
}

TEST_F(TieredCacheTest, DamageEverywhereIsAMissWhoseResultReplacesIt) {
  PublishTo(fast_);
  PublishTo(remote_);
  fast_.blobs.SetBytes(Sha256(kObject), "the object fool");
  remote_.blobs.SetBytes(Sha256(kMap), "half");
  const TieredLookup found = LookItUp();
  EXPECT_FALSE(found.hit.has_value());
  EXPECT_EQ(found.Reason(), MissReason::kCorruptBlob);
  for (const TierPublish& published : PublishIt(found)) {
    EXPECT_TRUE(published.status.ok());
    EXPECT_TRUE(published.overwritten);
  }
  EXPECT_TRUE(Holds(fast_));
  EXPECT_TRUE(Holds(remote_));
}

TEST_F(TieredCacheTest, ATierWithAFaultIsLeftAloneAndTheOthersServe) {
  PublishTo(remote_);
  fast_.actions.SetFault(absl::PermissionDeniedError("no"));
  const TieredLookup found = LookItUp();
  ASSERT_TRUE(found.hit.has_value());
  EXPECT_EQ(found.misses[0].reason, MissReason::kStoreError);
  EXPECT_EQ(found.copies, 0);
  EXPECT_THAT(found.copy_faults, IsEmpty());
  EXPECT_THAT(fast_.log.Take(), ElementsAre(StartsWith("get ac")));
}

TEST_F(TieredCacheTest, AFaultOfTheRemoteOneKeepsTheResultLocal) {
  remote_.actions.SetFault(absl::UnavailableError("down"));
  const TieredLookup found = LookItUp();
  EXPECT_EQ(found.Reason(), MissReason::kStoreError);
  const std::vector<TierPublish> published = PublishIt(found);
  ASSERT_THAT(published, SizeIs(1));
  EXPECT_TRUE(Holds(fast_));
}

TEST_F(TieredCacheTest, ACopyThatFailsIsReportedAndTheHitStands) {
  PublishTo(remote_);
  fast_.blobs.SetFault(absl::ResourceExhaustedError("disk full"));
  const TieredLookup found = LookItUp();
  ASSERT_TRUE(found.hit.has_value());
  EXPECT_THAT(found.copy_faults, ElementsAre(HasSubstr("fast: disk full")));
}

TEST_F(TieredCacheTest, ADifferentResultIsNotCarriedToTheNextTier) {
  const TieredLookup found = LookItUp();
  PublishTo(fast_, "another object");  // by somebody else, meanwhile
  const std::vector<TierPublish> published = PublishIt(found);
  ASSERT_THAT(published, SizeIs(1));
  EXPECT_TRUE(published[0].result.different_result);
  EXPECT_FALSE(Holds(remote_));
}

TEST_F(TieredCacheTest, ALimitKeepsTheLaterTiersOut) {
  PublishTo(remote_);
  const TieredLookup found = cache_.Lookup(
      {compilation_.action, compilation_.tree.directories, compilation_.output_paths}, 2);
  EXPECT_FALSE(found.hit.has_value());
  EXPECT_THAT(remote_.log.Take(), IsEmpty());
}

TEST_F(TieredCacheTest, ADirectoryThatRequestsShareIsCheckedOnce) {
  PublishTo(fast_);
  const std::string root = absl::StrCat("get cas ", compilation_.tree.root_digest.hash);
  ASSERT_TRUE(LookItUp().hit.has_value());
  EXPECT_THAT(fast_.log.Take(), Contains(root));
  ASSERT_TRUE(LookItUp().hit.has_value());
  EXPECT_THAT(fast_.log.Take(), Not(Contains(root)));
}

TEST_F(TieredCacheTest, ADescriptionThatIsGoneIsPutBack) {
  PublishTo(fast_);
  fast_.blobs.Remove(compilation_.tree.root_digest);
  EXPECT_THAT(LookItUp().description.repaired, SizeIs(1));
  EXPECT_TRUE(fast_.blobs.Get(compilation_.tree.root_digest).ok());
  EXPECT_THAT(LookItUp().description.repaired, IsEmpty());
}

}  // namespace
}  // namespace ingot::cache
