#include "cache/remote/open_remote.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/blob_store.h"
#include "cache/decorators/outage_breaker.h"
#include "cache/digest.h"
#include "cache/not_asked.h"
#include "cache/remote/remote_options.h"
#include "cache/testing/http_server.h"
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
using ::testing::Not;
using ::testing::SizeIs;

using Response = HttpServer::Response;

TEST(OpenRemoteTest, OpensHttpWithoutConnecting) {
  HttpCacheContents contents;
  HttpServer server([&](const HttpServer::Request& request) { return contents.Answer(request); });
  absl::StatusOr<std::unique_ptr<RemoteStore>> remote =
      OpenRemote({.url = absl::StrCat("HTTP://me:secret@", server.authority(), "/")});
  ASSERT_THAT(remote, IsOk());
  EXPECT_EQ(server.connections(), 0);
  EXPECT_EQ((*remote)->Describe(), server.url());
  const Digest digest = Sha256("blob");
  EXPECT_THAT((*remote)->blobs().Put(digest, "blob", PutMode::kKeep), IsOk());
  EXPECT_THAT((*remote)->blobs().Get(digest), IsOkAndHolds("blob"));
  EXPECT_THAT((*remote)->actions().Get(ActionKey(digest)),
              StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT((*remote)->Outage().cause, IsOk());
}

TEST(OpenRemoteTest, RefusesWhatItCannotSpeak) {
  for (const char* url : {"grpc://me:secret@cache", "grpcs://cache:8980", "unix:/run/cache.sock",
                          "unix:///run/cache.sock", "GRPC://cache"}) {
    EXPECT_THAT(OpenRemote({.url = url}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("gRPC"), HasSubstr("http://"), Not(HasSubstr("secret")))))
        << url;
  }
  for (const char* url : {"", "cache:8080", "me:secret@cache", "ftp://me:secret@cache", "http:/x",
                          "http://", "/var/cache", "http://me:secret@cache/?x=1"}) {
    EXPECT_THAT(OpenRemote({.url = url}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("http://HOST"), Not(HasSubstr("secret")))))
        << url;
  }
}

TEST(OpenRemoteTest, ADeadServerIsAskedThreeTimes) {
  std::string url;
  {
    HttpServer gone([](const HttpServer::Request&) { return Response(); });
    url = gone.url();
  }
  std::unique_ptr<RemoteStore> remote = OpenRemote({.url = url}).value();
  for (int i = 0; i < kFaultsInARow; ++i) {
    const absl::Status status = remote->blobs().Get(Sha256("blob")).status();
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(WasNotAsked(status));
  }
  EXPECT_TRUE(WasNotAsked(remote->blobs().Get(Sha256("blob")).status()));
  EXPECT_TRUE(WasNotAsked(remote->actions().Get(ActionKey(Sha256("action"))).status()));
  EXPECT_THAT(remote->Outage().cause, StatusIs(_, HasSubstr(url)));
}

TEST(OpenRemoteTest, AStalledServerCostsTheBudget) {
  HttpServer server([](const HttpServer::Request&) { return Response{.stall = true}; });
  std::unique_ptr<RemoteStore> remote =
      OpenRemote({.url = server.url(), .budget = absl::Milliseconds(200)}).value();
  EXPECT_THAT(remote->actions().Get(ActionKey(Sha256("action"))),
              StatusIs(absl::StatusCode::kDeadlineExceeded, _));
  EXPECT_THAT(remote->actions().Get(ActionKey(Sha256("action"))),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("has cost 200ms")));
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(OpenRemoteTest, AReadOnlyServerIsStillRead) {
  HttpServer server([](const HttpServer::Request& request) {
    return Response{.status = request.method == "PUT" ? 405 : 200, .body = "blob"};
  });
  std::unique_ptr<RemoteStore> remote = OpenRemote({.url = server.url()}).value();
  const Digest digest = Sha256("blob");
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(remote->blobs().Put(digest, "blob", PutMode::kKeep).ok());
    EXPECT_THAT(remote->blobs().Get(digest), IsOkAndHolds("blob"));
  }
  EXPECT_THAT(server.requests(), SizeIs(4));
  EXPECT_FALSE(remote->Outage().reading_stopped);
  EXPECT_TRUE(remote->Outage().writing_stopped);
}

}  // namespace
}  // namespace ingot::cache
