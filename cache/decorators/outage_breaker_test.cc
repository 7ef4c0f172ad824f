#include "cache/decorators/outage_breaker.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/not_asked.h"
#include "cache/testing/in_memory_store.h"
#include "cache/testing/store_contract.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Behind a closed breaker a store is what it is without one.
class BreakerUnderTest : public StoreUnderTest {
 public:
  BlobStore& blob_store() override { return watched_blobs_; }
  ActionCache& action_cache() override { return watched_entries_; }
  void SetBlobBytes(const Digest& digest, std::string_view bytes) override {
    blobs_.SetBytes(digest, bytes);
  }
  void SetEntryBytes(const ActionKey& key, std::string_view bytes) override {
    entries_.SetBytes(key, bytes);
  }

 private:
  InMemoryBlobStore blobs_;
  InMemoryActionCache entries_;
  // The suite reads much damage.
  OutageBreaker breaker_{{.damaged_answers = 1000}};
  BreakerBlobStore watched_blobs_{blobs_, breaker_};
  BreakerActionCache watched_entries_{entries_, breaker_};
};

INSTANTIATE_TEST_SUITE_P(Breaker, StoreContractTest,
                         testing::Values([] { return std::make_unique<BreakerUnderTest>(); }));

// Takes a while for everything, by a clock that only tests move.
class SlowBlobStore final : public BlobStore {
 public:
  SlowBlobStore(BlobStore& store, absl::Duration& now) : store_(store), now_(now) {}
  absl::StatusOr<std::string> Get(const Digest& digest) override {
    now_ += takes;
    return store_.Get(digest);
  }
  absl::Status Put(const Digest& digest, std::string_view bytes, PutMode mode) override {
    now_ += takes;
    return store_.Put(digest, bytes, mode);
  }
  absl::StatusOr<std::vector<Digest>> FindMissing(std::span<const Digest> digests) override {
    now_ += takes;
    return store_.FindMissing(digests);
  }
  std::string LocationOf(const Digest& digest) const override { return store_.LocationOf(digest); }

  absl::Duration takes;

 private:
  BlobStore& store_;
  absl::Duration& now_;
};

class OutageBreakerTest : public testing::Test {
 protected:
  absl::Status Get() { return blobs_.Get(digest_).status(); }
  absl::Status Put() { return blobs_.Put(digest_, "blob", PutMode::kOverwrite); }

  absl::Duration now_;
  CallLog log_;
  InMemoryBlobStore memory_{&log_};
  InMemoryActionCache memory_entries_{&log_};
  SlowBlobStore store_{memory_, now_};
  OutageBreaker breaker_{{}, [this] { return now_; }};
  BreakerBlobStore blobs_{store_, breaker_};
  BreakerActionCache entries_{memory_entries_, breaker_};
  const Digest digest_ = Sha256("blob");
  const ActionKey key_{Sha256("action")};
};

TEST_F(OutageBreakerTest, OpensAfterFaultsInARowAndNamesTheFirst) {
  memory_.SetFault(absl::UnavailableError("first"));
  EXPECT_FALSE(Get().ok());
  memory_.SetFault(absl::DeadlineExceededError("second"));
  EXPECT_FALSE(Get().ok());
  EXPECT_FALSE(breaker_.GetReport().reading_stopped);
  EXPECT_FALSE(Get().ok());
  EXPECT_TRUE(breaker_.GetReport().reading_stopped);
  log_.Take();

  memory_.SetFault(absl::OkStatus());
  for (const absl::Status& status :
       {Get(), Put(), blobs_.FindMissing(std::vector{digest_}).status(),
        blobs_.PutAll(std::vector<BlobView>{{digest_, "blob"}}, PutMode::kKeep),
        entries_.Get(key_).status(), entries_.Update(key_, {}), entries_.Insert(key_, {})}) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable,
                                 AllOf(HasSubstr("3 faults in a row"), HasSubstr("first"))));
    EXPECT_TRUE(WasNotAsked(status));
  }
  EXPECT_THAT(log_.Take(), IsEmpty());
  EXPECT_EQ(breaker_.GetReport().faults, 3);
}

TEST_F(OutageBreakerTest, AnAnswerEndsARowOfFaults) {
  for (int round = 0; round < 5; ++round) {
    memory_.SetFault(absl::UnavailableError("down"));
    EXPECT_FALSE(WasNotAsked(Get()));
    EXPECT_FALSE(WasNotAsked(Get()));
    memory_.SetFault(absl::OkStatus());
    EXPECT_THAT(Get(), StatusIs(absl::StatusCode::kNotFound, _));
  }
  EXPECT_FALSE(breaker_.GetReport().reading_stopped);
  EXPECT_THAT(breaker_.GetReport().cause, IsOk());
}

TEST_F(OutageBreakerTest, FaultsOfBothFacesCount) {
  memory_.SetFault(absl::UnavailableError("down"));
  memory_entries_.SetFault(absl::UnavailableError("down"));
  EXPECT_FALSE(entries_.Get(key_).ok());
  EXPECT_FALSE(Get().ok());
  EXPECT_FALSE(entries_.Get(key_).ok());
  EXPECT_TRUE(WasNotAsked(Get()));
}

TEST_F(OutageBreakerTest, AFinalAnswerOpensAtOnce) {
  memory_.SetFault(absl::UnauthenticatedError("give credentials"));
  EXPECT_FALSE(WasNotAsked(Get()));
  EXPECT_THAT(Get(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("give credentials")));
  EXPECT_TRUE(WasNotAsked(Get()));
  EXPECT_TRUE(WasNotAsked(Put()));
}

TEST_F(OutageBreakerTest, AStoreThatTakesNoWritesIsStillRead) {
  memory_.SetFault(absl::PermissionDeniedError("read-only"));
  EXPECT_FALSE(WasNotAsked(Put()));
  memory_.SetFault(absl::OkStatus());
  EXPECT_THAT(Put(), StatusIs(absl::StatusCode::kUnavailable,
                              AllOf(HasSubstr("nothing is stored"), HasSubstr("read-only"))));
  EXPECT_THAT(Get(), StatusIs(absl::StatusCode::kNotFound, _));
  const OutageBreaker::Report report = breaker_.GetReport();
  EXPECT_FALSE(report.reading_stopped);
  EXPECT_TRUE(report.writing_stopped);
  EXPECT_THAT(report.cause, StatusIs(_, HasSubstr("read-only")));
}

TEST_F(OutageBreakerTest, AFullStoreStopsWritingAlone) {
  for (int i = 0; i < 3; ++i) {
    memory_.SetFault(absl::ResourceExhaustedError("full"));
    EXPECT_FALSE(WasNotAsked(Put()));
    memory_.SetFault(absl::OkStatus());
    EXPECT_THAT(Get(), StatusIs(absl::StatusCode::kNotFound, _));  // ends no row of writes
  }
  EXPECT_TRUE(WasNotAsked(Put()));
  EXPECT_FALSE(WasNotAsked(Get()));
}

TEST_F(OutageBreakerTest, ALyingStoreIsNotAskedForEver) {
  memory_.SetBytes(digest_, "blub");
  const Digest good = Sha256("good");
  memory_.SetBytes(good, "good");
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(Get(), StatusIs(absl::StatusCode::kDataLoss, _));
    if (i < 2) EXPECT_THAT(blobs_.Get(good), IsOkAndHolds("good"));
  }
  EXPECT_THAT(Get(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("3 damaged answers")));
  EXPECT_TRUE(WasNotAsked(Put()));
}

TEST_F(OutageBreakerTest, LostTimeOpensIt) {
  memory_.SetFault(absl::UnavailableError("slow and broken"));
  store_.takes = absl::Seconds(6);
  EXPECT_FALSE(WasNotAsked(Get()));
  EXPECT_EQ(breaker_.TimeLeft(), absl::Seconds(4));
  EXPECT_FALSE(WasNotAsked(Put()));
  EXPECT_EQ(breaker_.TimeLeft(), absl::ZeroDuration());
  EXPECT_THAT(Get(), StatusIs(absl::StatusCode::kUnavailable,
                              AllOf(HasSubstr("has cost 10s"), HasSubstr("slow and broken"))));
  EXPECT_TRUE(WasNotAsked(Put()));
  EXPECT_EQ(breaker_.GetReport().time_lost, absl::Seconds(12));
}

TEST_F(OutageBreakerTest, SlowAnswersLoseOnlyWhatIsNotFair) {
  memory_.SetBytes(digest_, "blob");
  store_.takes = kFairTime;
  for (int i = 0; i < 50; ++i) EXPECT_THAT(Get(), IsOk());
  EXPECT_EQ(breaker_.TimeLeft(), kDefaultOutageBudget);
  store_.takes = kFairTime + absl::Seconds(6);
  EXPECT_THAT(Get(), IsOk());
  EXPECT_FALSE(breaker_.GetReport().reading_stopped);
  EXPECT_THAT(Get(), IsOk());
  EXPECT_THAT(Get(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("an answer took 7s")));
}

TEST_F(OutageBreakerTest, LargeBlobsMayTakeLonger) {
  const std::string large(4 * kFairBytesPerSecond, 'x');
  store_.takes = kFairTime + absl::Seconds(4);
  EXPECT_THAT(blobs_.Put(Sha256(large), large, PutMode::kKeep), IsOk());
  EXPECT_THAT(blobs_.Get(Sha256(large)), IsOkAndHolds(large));
  EXPECT_EQ(breaker_.TimeLeft(), kDefaultOutageBudget);
}

TEST_F(OutageBreakerTest, PromisedBytesAllowNoTime) {
  const Digest promised = {digest_.hash, int64_t{1} << 60};
  store_.takes = kFairTime + absl::Seconds(6);
  EXPECT_THAT(blobs_.Get(promised), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_EQ(breaker_.TimeLeft(), kDefaultOutageBudget - absl::Seconds(6));
}

TEST_F(OutageBreakerTest, MistakesOfTheCallerAreNoFaults) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(blobs_.Put(digest_, "blub", PutMode::kKeep),
                StatusIs(absl::StatusCode::kInvalidArgument, _));
  }
  EXPECT_THAT(Put(), IsOk());
}

TEST_F(OutageBreakerTest, TheEmptyBlobNeedsNoStore) {
  memory_.SetFault(absl::UnauthenticatedError("no"));
  EXPECT_FALSE(Get().ok());
  EXPECT_THAT(blobs_.Get(EmptyDigest()), IsOkAndHolds(""));
  EXPECT_THAT(blobs_.Put(EmptyDigest(), "", PutMode::kKeep), IsOk());
}

TEST_F(OutageBreakerTest, ManyThreadsStopTogether) {
  memory_.SetFault(absl::UnavailableError("down"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 100; ++i) EXPECT_FALSE(Get().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(WasNotAsked(Get()));
  // Those that were on their way when it opened, and no more.
  EXPECT_LE(log_.Take().size(), 3u + 8u);
}

}  // namespace
}  // namespace ingot::cache
