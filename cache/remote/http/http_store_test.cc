#include "cache/remote/http/http_store.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/action_cache.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#include "cache/remote/http/http_connection.h"
#include "cache/remote/remote_options.h"
#include "cache/result_seal.h"
#include "cache/testing/http_server.h"
#include "cache/testing/store_contract.h"
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

using Response = HttpServer::Response;
using Request = HttpServer::Request;

std::unique_ptr<HttpConnection> Connect(const std::string& url) {
  HttpTiming timing;
  timing.pause = [](absl::Duration) {};
  return HttpConnection::Create({.url = url}, std::move(timing)).value();
}

class HttpUnderTest : public StoreUnderTest {
 public:
  explicit HttpUnderTest(int64_t min_bytes_worth_asking)
      : blobs_(*server_connection_, min_bytes_worth_asking),
        can_find_(min_bytes_worth_asking == 0) {}

  BlobStore& blob_store() override { return blobs_; }
  ActionCache& action_cache() override { return entries_; }
  bool can_find() const override { return can_find_; }
  void SetBlobBytes(const Digest& digest, std::string_view bytes) override {
    contents_.Set("/cas/" + digest.hash, bytes);
  }
  void SetEntryBytes(const ActionKey& key, std::string_view bytes) override {
    contents_.Set("/ac/" + key.hash(), bytes);
  }

 private:
  HttpCacheContents contents_{"/ingot"};
  HttpServer server_{[this](const Request& request) { return contents_.Answer(request); }};
  const std::unique_ptr<HttpConnection> server_connection_ = Connect(server_.url() + "/ingot");
  HttpBlobStore blobs_;
  HttpActionCache entries_{*server_connection_};
  const bool can_find_;
};

INSTANTIATE_TEST_SUITE_P(Http, StoreContractTest, testing::Values([] {
                           return std::make_unique<HttpUnderTest>(kMinBytesWorthAsking);
                         }));
INSTANTIATE_TEST_SUITE_P(HttpThatAsksForAll, StoreContractTest,
                         testing::Values([] { return std::make_unique<HttpUnderTest>(0); }));

class HttpStoreTest : public testing::Test {
 protected:
  Response Answer(const Request& request) { return answer_ ? *answer_ : contents_.Answer(request); }

  HttpCacheContents contents_;
  // What the server says to everything; unset: what a cache says.
  std::optional<Response> answer_;
  HttpServer server_{[this](const Request& request) { return Answer(request); }};
  const std::unique_ptr<HttpConnection> connection_ = Connect(server_.url());
  HttpBlobStore blobs_{*connection_};
  HttpActionCache entries_{*connection_};
  const Digest digest_ = Sha256("blob");
  const ActionKey key_{Sha256("action")};
};

TEST_F(HttpStoreTest, SpeaksBazelsProtocol) {
  reapi::ActionResult result;
  SealActionResult(key_, result);
  EXPECT_THAT(blobs_.Put(digest_, "blob", PutMode::kKeep), IsOk());
  EXPECT_THAT(entries_.Update(key_, result), IsOk());
  EXPECT_THAT(entries_.Get(key_), IsOk());
  EXPECT_THAT(blobs_.Get(digest_), IsOkAndHolds("blob"));
  EXPECT_THAT(server_.lines(), ElementsAre("PUT /cas/" + digest_.hash, "PUT /ac/" + key_.hash(),
                                           "GET /ac/" + key_.hash(), "GET /cas/" + digest_.hash));
  EXPECT_EQ(contents_.Get("/ac/" + key_.hash()), EncodeActionResult(result));
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(HttpStoreTest, TheEmptyBlobIsNeverAskedFor) {
  EXPECT_THAT(blobs_.Get(EmptyDigest()), IsOkAndHolds(""));
  EXPECT_THAT(blobs_.Put(EmptyDigest(), "", PutMode::kOverwrite), IsOk());
  EXPECT_THAT(blobs_.FindMissing(std::vector{EmptyDigest()}), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(server_.lines(), IsEmpty());
}

TEST_F(HttpStoreTest, NothingIsNotFoundInThreeWays) {
  for (int status : {404, 410, 204}) {
    answer_ = Response{.status = status};
    EXPECT_THAT(blobs_.Get(digest_),
                StatusIs(absl::StatusCode::kNotFound, HasSubstr(blobs_.LocationOf(digest_))));
    EXPECT_THAT(entries_.Get(key_), StatusIs(absl::StatusCode::kNotFound, _));
  }
}

TEST_F(HttpStoreTest, EverySuccessOfAPutIsOne) {
  for (int status : {200, 201, 202, 204}) {
    answer_ = Response{.status = status};
    EXPECT_THAT(blobs_.Put(digest_, "blob", PutMode::kKeep), IsOk());
  }
}

TEST_F(HttpStoreTest, FaultsAreNamed) {
  const std::vector<std::pair<int, absl::StatusCode>> faults = {
      {401, absl::StatusCode::kUnauthenticated},    {403, absl::StatusCode::kPermissionDenied},
      {405, absl::StatusCode::kFailedPrecondition}, {413, absl::StatusCode::kResourceExhausted},
      {500, absl::StatusCode::kUnavailable},        {503, absl::StatusCode::kUnavailable},
      {507, absl::StatusCode::kResourceExhausted},  {206, absl::StatusCode::kUnknown}};
  for (const auto& [status, code] : faults) {
    answer_ = Response{.status = status, .body = "<html>no</html>"};
    EXPECT_THAT(blobs_.Get(digest_), StatusIs(code, HasSubstr(blobs_.LocationOf(digest_))));
    EXPECT_THAT(entries_.Get(key_), StatusIs(code, HasSubstr(entries_.LocationOf(key_))));
    if (status < 300) continue;
    EXPECT_THAT(blobs_.Put(digest_, "blob", PutMode::kKeep), StatusIs(code, _));
    EXPECT_THAT(entries_.Update(key_, {}), StatusIs(code, _));
  }
  answer_ = Response{.status = 404};
  EXPECT_THAT(blobs_.Put(digest_, "blob", PutMode::kKeep),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--remote_cache")));
}

TEST_F(HttpStoreTest, WrongAndEndlessBytesAreDamage) {
  for (const Response& answer :
       {Response{.body = "blub"}, Response{.body = "blobs"}, Response{.body = ""},
        Response{.body = std::string(4096, 'b'), .endless = true}}) {
    answer_ = answer;
    EXPECT_THAT(blobs_.Get(digest_),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(blobs_.LocationOf(digest_))));
  }
  answer_ = Response{.body = std::string(1 << 20, 'b'), .endless = true};
  EXPECT_THAT(entries_.Get(key_),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("longer than 4 MiB")));
}

TEST_F(HttpStoreTest, AWildSizeCostsNoMemory) {
  answer_ = Response{.body = "blob", .content_length = kMaximumBlobSize, .cut_after = 4};
  EXPECT_THAT(blobs_.Get({digest_.hash, kMaximumBlobSize}),
              StatusIs(absl::StatusCode::kUnavailable, _));
  const size_t asked = server_.lines().size();
  for (int64_t size : {kMaximumBlobSize + 1, int64_t{1} << 62}) {
    answer_->content_length = size;
    EXPECT_THAT(blobs_.Get({digest_.hash, size}),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(digest_.hash)));
  }
  EXPECT_EQ(server_.lines().size(), asked) << "a blob that there cannot be was asked for";
}

TEST_F(HttpStoreTest, HalfABlobIsABrokenConnectionNotDamage) {
  answer_ = Response{.body = "blob", .cut_after = 2};
  EXPECT_THAT(blobs_.Get(digest_), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_THAT(entries_.Get(key_), StatusIs(absl::StatusCode::kUnavailable, _));
}

TEST_F(HttpStoreTest, OnlyLargeBlobsAreAskedFor) {
  const std::string large(kMinBytesWorthAsking, 'x');
  const Digest present = Sha256(large);
  const Digest absent = {Sha256("absent").hash, kMinBytesWorthAsking};
  contents_.Set("/cas/" + present.hash, large);
  contents_.Set("/cas/" + digest_.hash, "blob");
  EXPECT_THAT(blobs_.FindMissing(std::vector{present, digest_, absent}),
              IsOkAndHolds(ElementsAre(digest_, absent)));
  EXPECT_THAT(server_.lines(),
              ElementsAre("HEAD /cas/" + present.hash, "HEAD /cas/" + absent.hash));
}

TEST_F(HttpStoreTest, AServerThatDoesNotKnowHeadHasNothing) {
  answer_ = Response{.status = 405};
  const Digest large = {digest_.hash, kMinBytesWorthAsking};
  EXPECT_THAT(blobs_.FindMissing(std::vector{large}), IsOkAndHolds(ElementsAre(large)));
}

TEST_F(HttpStoreTest, MalformedDigestsReachNoServer) {
  const Digest malformed = {"../secret", 4};
  EXPECT_THAT(blobs_.Get(malformed), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(blobs_.FindMissing(std::vector{malformed}),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(entries_.Get(ActionKey(malformed)), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(entries_.Update(ActionKey(malformed), {}),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(server_.lines(), IsEmpty());
}

}  // namespace
}  // namespace ingot::cache
