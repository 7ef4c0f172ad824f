#include "cache/decorators/local_first_blob_store.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/testing/in_memory_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LocalFirstBlobStoreTest : public testing::Test {
 protected:
  CallLog local_log_;
  CallLog remote_log_;
  InMemoryBlobStore local_{&local_log_};
  InMemoryBlobStore remote_{&remote_log_};
  LocalFirstBlobStore both_{local_, remote_};
  const Digest digest_ = Sha256("blob");
};

TEST_F(LocalFirstBlobStoreTest, WhatIsLocalIsNotFetched) {
  local_.SetBytes(digest_, "blob");
  EXPECT_THAT(both_.Get(digest_), IsOkAndHolds("blob"));
  EXPECT_THAT(remote_log_.Take(), IsEmpty());
}

TEST_F(LocalFirstBlobStoreTest, WhatIsNotLocalIsFetchedAndNotStored) {
  remote_.SetBytes(digest_, "blob");
  EXPECT_THAT(both_.Get(digest_), IsOkAndHolds("blob"));
  EXPECT_THAT(local_log_.Take(), ElementsAre("get cas " + digest_.hash));
}

TEST_F(LocalFirstBlobStoreTest, DamageAndFaultsOfTheLocalStoreLeadToTheRemote) {
  remote_.SetBytes(digest_, "blob");
  local_.SetBytes(digest_, "blub");
  EXPECT_THAT(both_.Get(digest_), IsOkAndHolds("blob"));
  local_.SetFault(absl::PermissionDeniedError("no"));
  EXPECT_THAT(both_.Get(digest_), IsOkAndHolds("blob"));
}

TEST_F(LocalFirstBlobStoreTest, AnErrorIsTheRemotes) {
  remote_.SetFault(absl::UnavailableError("down"));
  EXPECT_THAT(both_.Get(digest_), StatusIs(absl::StatusCode::kUnavailable, "down"));
  remote_.SetFault(absl::OkStatus());
  EXPECT_THAT(both_.Get(digest_), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(LocalFirstBlobStoreTest, StoringAndAskingConcernTheRemoteAlone) {
  local_.SetBytes(digest_, "blob");
  EXPECT_THAT(both_.FindMissing(std::vector{digest_}), IsOkAndHolds(ElementsAre(digest_)));
  EXPECT_EQ(both_.LocationOf(digest_), remote_.LocationOf(digest_));
  EXPECT_THAT(both_.Put(digest_, "blob", PutMode::kKeep), IsOk());
  const Digest other = Sha256("other");
  EXPECT_THAT(both_.PutAll(std::vector<BlobView>{{other, "other"}}, PutMode::kKeep), IsOk());
  EXPECT_THAT(local_log_.Take(), IsEmpty());
  EXPECT_THAT(remote_.Get(digest_), IsOkAndHolds("blob"));
  EXPECT_THAT(remote_.Get(other), IsOkAndHolds("other"));
}

}  // namespace
}  // namespace ingot::cache
