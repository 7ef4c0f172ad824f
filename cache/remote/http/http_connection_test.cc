#include "cache/remote/http/http_connection.h"

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/remote/remote_options.h"
#include "cache/testing/http_server.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Response = HttpServer::Response;
using Request = HttpServer::Request;

constexpr std::string_view kSecret = "s3cr3t-pw";

HttpServer::Handler Always(const Response& response) {
  return [response](const Request&) { return response; };
}

class HttpConnectionTest : public testing::Test {
 protected:
  // A connection with `options`, which notes pauses in place of making them.
  std::unique_ptr<HttpConnection> Connect(const RemoteOptions& options) {
    HttpTiming timing;
    timing.pause = [this](absl::Duration pause) { pauses_.push_back(pause); };
    if (patience_ != absl::ZeroDuration()) timing.patience = [this] { return patience_; };
    absl::StatusOr<std::unique_ptr<HttpConnection>> connection =
        HttpConnection::Create(options, std::move(timing));
    EXPECT_THAT(connection, IsOk());
    return *std::move(connection);
  }

  absl::StatusOr<HttpResponse> Get(const RemoteOptions& options, int64_t max_bytes = 1000) {
    return Connect(options)->Send(
        {.path = "/x", .max_response_bytes = max_bytes, .expected_response_bytes = max_bytes});
  }
  absl::StatusOr<HttpResponse> Get(const HttpServer& server, int64_t max_bytes = 1000) {
    return Get(RemoteOptions{.url = server.url()}, max_bytes);
  }
  absl::StatusOr<HttpResponse> Put(const HttpServer& server, std::string_view body) {
    return Connect({.url = server.url()})
        ->Send({.method = HttpMethod::kPut, .path = "/x", .body = body});
  }

  // Trusted by options with this as tls_certificate.
  std::string CertificateFile(const HttpServer& server) {
    const std::string path = absl::StrCat(directory_.path(), "/", server.port(), ".pem");
    WriteTestFile(path, server.certificate());
    return path;
  }

  TemporaryDirectory directory_;
  std::vector<absl::Duration> pauses_;
  // Zero: the budget of the options.
  absl::Duration patience_;
};

TEST_F(HttpConnectionTest, GetsAndPuts) {
  HttpServer server([](const Request& request) {
    return Response{.body = absl::StrCat(request.method, " ", request.body)};
  });
  absl::StatusOr<HttpResponse> got = Get(server);
  ASSERT_THAT(got, IsOk());
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "GET ");
  EXPECT_EQ(got->content_length, 4);

  const std::string large(3 << 20, 'x');
  EXPECT_THAT(Put(server, large), IsOk());
  EXPECT_THAT(Put(server, ""), IsOk());
  const std::vector<Request> requests = server.requests();
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_EQ(requests[1].body, large);
  EXPECT_EQ(requests[2].Header("content-length"), "0");
  // Small servers know neither.
  EXPECT_EQ(requests[1].Header("expect"), "");
  EXPECT_EQ(requests[1].Header("transfer-encoding"), "");
}

TEST_F(HttpConnectionTest, ConnectionsAreKept) {
  HttpServer server([](const Request& request) {
    return Response{.status = request.path == "/1" ? 404 : 200, .body = "some body"};
  });
  std::unique_ptr<HttpConnection> connection = Connect({.url = server.url()});
  for (const char* path : {"/0", "/1", "/2"}) {
    EXPECT_THAT(connection->Send({.path = path, .max_response_bytes = 100}), IsOk());
  }
  EXPECT_THAT(connection->Send({.method = HttpMethod::kPut, .path = "/3", .body = "body"}), IsOk());
  EXPECT_THAT(connection->Send({.method = HttpMethod::kHead, .path = "/4"}), IsOk());
  EXPECT_THAT(server.requests(), SizeIs(5));
  for (const Request& request : server.requests())
    EXPECT_EQ(request.connection, 0) << request.Line();
}

TEST_F(HttpConnectionTest, ThreadsDoNotWaitForEachOther) {
  HttpServer server(Always({.body = "body"}));
  std::unique_ptr<HttpConnection> connection = Connect({.url = server.url()});
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        absl::StatusOr<HttpResponse> got =
            connection->Send({.path = "/x", .max_response_bytes = 100});
        ASSERT_THAT(got, IsOk());
        EXPECT_EQ(got->body, "body");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(server.connections(), 8);
  EXPECT_THAT(server.requests(), SizeIs(160));
}

TEST_F(HttpConnectionTest, MakingOneConnectsToNothing) {
  HttpServer server(Always({}));
  Connect({.url = server.url()});
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(HttpConnectionTest, FaultsOfTheServerAreRepeated) {
  for (int status : {500, 502, 503, 504}) {
    HttpServer server(Always({.status = status}));
    pauses_.clear();
    absl::StatusOr<HttpResponse> got = Get(RemoteOptions{.url = server.url(), .retries = 2});
    ASSERT_THAT(got, IsOk());
    EXPECT_EQ(got->status, status);
    EXPECT_THAT(server.requests(), SizeIs(3));
    ASSERT_THAT(pauses_, SizeIs(2));
    EXPECT_GE(pauses_[0], absl::Milliseconds(50));
    EXPECT_LE(pauses_[0], absl::Milliseconds(100));
    EXPECT_GE(pauses_[1], absl::Milliseconds(100));
    EXPECT_LE(pauses_[1], absl::Milliseconds(200));
  }
}

TEST_F(HttpConnectionTest, PausesStopGrowing) {
  HttpServer server(Always({.status = 503}));
  EXPECT_THAT(Get(RemoteOptions{.url = server.url(), .retries = 8}), IsOk());
  ASSERT_THAT(pauses_, SizeIs(8));
  EXPECT_THAT(pauses_, Each(testing::Le(absl::Seconds(1))));
}

TEST_F(HttpConnectionTest, AnswersThatWillNotChangeAreNotRepeated) {
  for (int status : {400, 401, 403, 404, 405, 408, 410, 413, 429, 501, 505, 507}) {
    HttpServer server(Always({.status = status}));
    absl::StatusOr<HttpResponse> got = Get(server);
    ASSERT_THAT(got, IsOk());
    EXPECT_EQ(got->status, status);
    EXPECT_THAT(server.requests(), SizeIs(1));
  }
  EXPECT_THAT(pauses_, IsEmpty());
}

TEST_F(HttpConnectionTest, ARepetitionMaySucceed) {
  int requests = 0;
  HttpServer server([&](const Request& request) {
    return Response{.status = ++requests < 3 ? 503 : 200, .body = request.body};
  });
  absl::StatusOr<HttpResponse> put = Put(server, "the body");
  ASSERT_THAT(put, IsOk());
  EXPECT_EQ(put->status, 200);
  for (const Request& request : server.requests()) EXPECT_EQ(request.body, "the body");
}

TEST_F(HttpConnectionTest, BrokenConnectionsAreRepeated) {
  for (const Response& broken :
       {Response{.hang_up = true}, Response{.body = "half of it", .cut_after = 4},
        Response{.body = "short", .content_length = 100, .cut_after = 5}}) {
    HttpServer server(Always(broken));
    EXPECT_THAT(Get(server), StatusIs(absl::StatusCode::kUnavailable, HasSubstr(server.url())));
    EXPECT_GE(server.requests().size(), 3u);
    EXPECT_THAT(pauses_, SizeIs(2));
    pauses_.clear();
  }
}

TEST_F(HttpConnectionTest, BytesBeyondTheAnnouncedLengthAreNotTheBody) {
  HttpServer server(Always({.body = "body and more", .content_length = 4}));
  absl::StatusOr<HttpResponse> got = Get(server);
  ASSERT_THAT(got, IsOk());
  EXPECT_EQ(got->body, "body");
}

TEST_F(HttpConnectionTest, WhatIsNotHttpIsAnError) {
  for (const char* raw : {"SSH-2.0-OpenSSH_9.9\r\n", "HTTP/1.1 banana\r\n\r\n",
                          "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"}) {
    HttpServer server(Always({.raw = raw}));
    EXPECT_THAT(Get(server), StatusIs(absl::StatusCode::kUnavailable, HasSubstr(server.url())))
        << raw;
  }
}

TEST_F(HttpConnectionTest, AStalledServerCostsThePatience) {
  patience_ = absl::Milliseconds(200);
  for (const Response& stalled :
       {Response{.stall = true}, Response{.body = "half of it", .cut_after = 4, .stall = true}}) {
    HttpServer server(Always(stalled));
    EXPECT_THAT(Get(server),
                StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr(server.url())));
    EXPECT_THAT(server.requests(), SizeIs(1)) << "a time-out was repeated";
  }
}

TEST_F(HttpConnectionTest, APauseBetweenBytesIsLimitedByTheTimeout) {
  HttpServer server(Always({.body = "half of it", .cut_after = 4, .stall = true}));
  EXPECT_THAT(Get(RemoteOptions{
                  .url = server.url(), .timeout = absl::Seconds(1), .budget = absl::Hours(1)}),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("silent for 1s")));
}

TEST_F(HttpConnectionTest, APromiseOfManyBytesEarnsNoTime) {
  patience_ = absl::Milliseconds(200);
  // A byte now and then is no silence, but it is no transfer either.
  HttpServer server(Always(
      {.body = "x", .endless = true, .pace = [] { absl::SleepFor(absl::Milliseconds(20)); }}));
  const std::unique_ptr<HttpConnection> connection = Connect({.url = server.url()});
  EXPECT_THAT(connection->Send({.path = "/cas/0123",
                                .max_response_bytes = int64_t{1} << 40,
                                .expected_response_bytes = int64_t{1} << 40}),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("slower than")));
}

TEST_F(HttpConnectionTest, WithoutPatienceNobodyIsAsked) {
  HttpServer server(Always({}));
  patience_ = -absl::Seconds(1);
  EXPECT_THAT(Get(RemoteOptions{.url = server.url()}, 0),
              StatusIs(absl::StatusCode::kDeadlineExceeded, _));
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(HttpConnectionTest, RepetitionsDoNotOutlastThePatience) {
  HttpServer server(Always({.status = 503}));
  patience_ = absl::Milliseconds(40);  // less than the shortest pause
  // The answer, or none: on a busy machine the first request alone may take that long.
  (void)Get(RemoteOptions{.url = server.url(), .retries = 100}, 0);
  EXPECT_THAT(pauses_, IsEmpty());
  EXPECT_LE(server.requests().size(), 1u);
}

TEST_F(HttpConnectionTest, EndlessBodiesAreCutOff) {
  const std::string part(10000, 'x');
  {
    HttpServer server(Always({.body = part, .endless = true}));
    absl::StatusOr<HttpResponse> got = Get(server, 25000);
    ASSERT_THAT(got, IsOk());
    EXPECT_TRUE(got->too_long);
    EXPECT_LE(got->body.size(), 25000u);
  }
  // What is thrown away is not read for ever either.
  for (int status : {404, 500, 302}) {
    HttpServer server(Always({.status = status, .body = part, .endless = true}));
    absl::StatusOr<HttpResponse> got = Get(server);
    ASSERT_THAT(got, IsOk());
    EXPECT_EQ(got->status, status);
    EXPECT_THAT(got->body, IsEmpty());
  }
}

TEST_F(HttpConnectionTest, ABodyOfTheLargestSizeIsNotTooLong) {
  HttpServer server(Always({.body = std::string(1000, 'x')}));
  absl::StatusOr<HttpResponse> got = Get(server, 1000);
  ASSERT_THAT(got, IsOk());
  EXPECT_FALSE(got->too_long);
  got = Get(server, 999);
  ASSERT_THAT(got, IsOk());
  EXPECT_TRUE(got->too_long);
}

TEST_F(HttpConnectionTest, ARefusedConnectionIsNotRepeated) {
  std::string url;
  {
    HttpServer gone(Always({}));
    url = gone.url();
  }
  EXPECT_THAT(Get(RemoteOptions{.url = url}),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr(url), HasSubstr("Could not connect"))));
  EXPECT_THAT(pauses_, IsEmpty());
}

TEST_F(HttpConnectionTest, AnUnknownNameIsNotRepeated) {
  // RFC 6761: no such host, ever.
  EXPECT_THAT(Get(RemoteOptions{.url = "http://cache.invalid"}),
              StatusIs(_, HasSubstr("http://cache.invalid")));
  EXPECT_THAT(pauses_, IsEmpty());
}

TEST_F(HttpConnectionTest, NamesAreResolved) {
  HttpServer server(Always({.body = "body"}));
  EXPECT_THAT(Get(RemoteOptions{.url = absl::StrCat("http://localhost:", server.port())}), IsOk());
}

TEST_F(HttpConnectionTest, CredentialsOfTheUrlAreSentAndNotShown) {
  HttpServer server(Always({.hang_up = true}));
  RemoteOptions options;
  options.url = absl::StrCat("http://me:", kSecret, "@", server.authority(), "/base/");
  std::unique_ptr<HttpConnection> connection = Connect(options);
  EXPECT_EQ(connection->AddressOf("/x"), server.url() + "/base/x");
  EXPECT_THAT(connection->Send({.path = "/x"}),
              StatusIs(_, AllOf(HasSubstr("/base/x"), Not(HasSubstr(kSecret)))));
  for (const Request& request : server.requests()) {
    EXPECT_EQ(request.Header("authorization"),
              absl::StrCat("Basic ", absl::Base64Escape(absl::StrCat("me:", kSecret))));
    EXPECT_EQ(request.path, "/base/x");
  }
}

TEST_F(HttpConnectionTest, HeadersAreSent) {
  HttpServer server(Always({}));
  EXPECT_THAT(Get(RemoteOptions{.url = server.url(),
                                .headers = {{"Authorization", "Bearer abc"}, {"X-Empty", ""}}}),
              IsOk());
  const Request request = server.requests().at(0);
  EXPECT_EQ(request.Header("authorization"), "Bearer abc");
  EXPECT_EQ(request.headers.count("x-empty"), 1u);
}

TEST_F(HttpConnectionTest, NetrcIsUsedWhereTheUrlHasNoCredentials) {
  HttpServer server(Always({}));
  const std::string netrc = directory_.path() + "/netrc";
  WriteTestFile(netrc, absl::StrCat("machine other login no password no\n"
                                    "machine 127.0.0.1 login me password ",
                                    kSecret, "\n"));
  EXPECT_THAT(Get(RemoteOptions{.url = server.url(), .netrc_path = netrc}), IsOk());
  EXPECT_THAT(Get(RemoteOptions{.url = absl::StrCat("http://a:b@", server.authority()),
                                .netrc_path = netrc}),
              IsOk());
  EXPECT_THAT(Get(RemoteOptions{.url = server.url(), .netrc_path = directory_.path() + "/absent"}),
              IsOk());
  const std::vector<Request> requests = server.requests();
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_EQ(requests[0].Header("authorization"),
            absl::StrCat("Basic ", absl::Base64Escape(absl::StrCat("me:", kSecret))));
  EXPECT_EQ(requests[1].Header("authorization"), absl::StrCat("Basic ", absl::Base64Escape("a:b")));
  EXPECT_EQ(requests[2].Header("authorization"), "");
}

TEST_F(HttpConnectionTest, ReadingFollowsARedirectOnTheSameServer) {
  HttpServer server([](const Request& request) {
    if (request.path == "/x") {
      return Response{.status = 307, .headers = {{"Location", "/y?token=1"}}, .body = "moved"};
    }
    return Response{.body = "found"};
  });
  absl::StatusOr<HttpResponse> got =
      Get(RemoteOptions{.url = server.url(), .headers = {{"X-Key", "k"}}});
  ASSERT_THAT(got, IsOk());
  EXPECT_EQ(got->body, "found");
  EXPECT_THAT(server.lines(), ElementsAre("GET /x", "GET /y?token=1"));
  EXPECT_EQ(server.requests()[1].Header("x-key"), "k");
}

TEST_F(HttpConnectionTest, CredentialsAreNotTakenToAnotherServer) {
  HttpServer other(Always({.body = "found"}));
  HttpServer server([&](const Request&) {
    return Response{.status = 302, .headers = {{"Location", other.url() + "/y"}}};
  });
  const std::string netrc = directory_.path() + "/netrc";
  WriteTestFile(netrc, absl::StrCat("machine 127.0.0.1 login me password ", kSecret, "\n"));
  for (const std::string& url :
       {server.url(), absl::StrCat("http://me:", kSecret, "@", server.authority())}) {
    absl::StatusOr<HttpResponse> got =
        Get(RemoteOptions{.url = url,
                          .headers = {{"X-Key", std::string(kSecret)}, {"Cookie", "c=1"}},
                          .netrc_path = netrc});
    ASSERT_THAT(got, IsOk());
    EXPECT_EQ(got->body, "found");
  }
  ASSERT_THAT(other.requests(), SizeIs(2));
  for (const Request& request : other.requests()) {
    for (const auto& [name, value] : request.headers) {
      EXPECT_THAT(value, Not(HasSubstr(kSecret))) << name;
      EXPECT_THAT(name, testing::AnyOf("host", "accept", "user-agent"));
    }
  }
  for (const Request& request : server.requests()) {
    EXPECT_NE(request.Header("authorization"), "");
    EXPECT_EQ(request.Header("x-key"), kSecret);
  }
}

TEST_F(HttpConnectionTest, RedirectsThatAreNotFollowed) {
  HttpServer plain(Always({.body = "found"}));
  {
    HttpServer loop([](const Request&) {
      return Response{.status = 302, .headers = {{"Location", "/again?token=s3cr3t-pw"}}};
    });
    EXPECT_THAT(Get(loop), StatusIs(absl::StatusCode::kFailedPrecondition,
                                    AllOf(HasSubstr("redirect"), Not(HasSubstr(kSecret)))));
    EXPECT_THAT(loop.requests(), SizeIs(4));
    EXPECT_THAT(Put(loop, "body"),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("only reading follows")));
    EXPECT_THAT(loop.requests(), SizeIs(5));
  }
  for (const char* location : {"file:///etc/passwd", "gopher://127.0.0.1:70/", "http://"}) {
    HttpServer strange(Always({.status = 302, .headers = {{"Location", location}}}));
    EXPECT_FALSE(Get(strange).ok()) << location;
  }
  HttpServer secure(Always({.status = 302, .headers = {{"Location", plain.url() + "/x"}}}),
                    HttpServer::Security::kTls);
  EXPECT_THAT(Get(RemoteOptions{.url = secure.url(), .tls_certificate = CertificateFile(secure)}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("from https to http")));
  EXPECT_EQ(plain.connections(), 0);
}

TEST_F(HttpConnectionTest, HttpMayLeadToHttps) {
  HttpServer secure(Always({.body = "found"}), HttpServer::Security::kTls);
  HttpServer server(Always({.status = 301, .headers = {{"Location", secure.url() + "/x"}}}));
  absl::StatusOr<HttpResponse> got =
      Get(RemoteOptions{.url = server.url(), .tls_certificate = CertificateFile(secure)});
  ASSERT_THAT(got, IsOk());
  EXPECT_EQ(got->body, "found");
}

TEST_F(HttpConnectionTest, TlsNeedsATrustedCertificate) {
  HttpServer server(Always({.body = "body"}), HttpServer::Security::kTls);
  EXPECT_THAT(Get(server),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--tls_certificate")));
  EXPECT_THAT(server.requests(), IsEmpty());
  RemoteOptions options{.url = server.url(), .tls_certificate = CertificateFile(server)};
  absl::StatusOr<HttpResponse> got = Get(options);
  ASSERT_THAT(got, IsOk());
  EXPECT_EQ(got->body, "body");
  options.tls_certificate = directory_.path() + "/absent.pem";
  EXPECT_THAT(Get(options), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST_F(HttpConnectionTest, ACertificateOfAnotherHostIsRefused) {
  HttpServer server(Always({}), HttpServer::Security::kTls);
  // The same address, by a name that the certificate does not have.
  RemoteOptions options{.url = absl::StrCat("https://[::ffff:127.0.0.1]:", server.port()),
                        .tls_certificate = CertificateFile(server)};
  EXPECT_THAT(Get(options), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("subject")));
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(HttpConnectionTest, TlsToAServerWithoutItIsAnError) {
  HttpServer server(Always({}));
  EXPECT_THAT(Get(RemoteOptions{.url = absl::StrCat("https://", server.authority())}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("https://")));
}

TEST_F(HttpConnectionTest, AClientCertificateIsShownToItsServerAlone) {
  HttpServer server(Always({.body = "body"}), HttpServer::Security::kMutualTls);
  const std::string key = directory_.path() + "/client.key";
  WriteTestFile(key, server.private_key());
  RemoteOptions options{.url = server.url(), .tls_certificate = CertificateFile(server)};
  EXPECT_THAT(Get(options), StatusIs(absl::StatusCode::kUnavailable, HasSubstr(server.url())));
  options.tls_client_certificate = options.tls_certificate;
  options.tls_client_key = key;
  absl::StatusOr<HttpResponse> got = Get(options);
  ASSERT_THAT(got, IsOk());
  EXPECT_EQ(got->body, "body");

  HttpServer front(Always({.status = 302, .headers = {{"Location", server.url() + "/x"}}}));
  options.url = front.url();
  EXPECT_FALSE(Get(options).ok());
}

TEST_F(HttpConnectionTest, AProxyMayBeASocketInTheFileSystem) {
  // The whole path of a test's folder is longer than addresses of sockets can be.
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory_.path());
  const std::string socket = "s";
  HttpServer server(Always({.body = "body"}), socket);
  for (const char* prefix : {"unix:", "unix://"}) {
    absl::StatusOr<HttpResponse> got =
        Get(RemoteOptions{.url = "http://cache.invalid/base", .proxy = prefix + socket});
    ASSERT_THAT(got, IsOk());
    EXPECT_EQ(got->body, "body");
  }
  EXPECT_THAT(server.lines(), ElementsAre("GET /base/x", "GET /base/x"));
  std::filesystem::current_path(before);
}

TEST_F(HttpConnectionTest, AClientCertificateThatCannotBeReadIsNamed) {
  HttpServer server(Always({}), HttpServer::Security::kTls);
  EXPECT_THAT(
      Get(RemoteOptions{.url = server.url(),
                        .tls_certificate = CertificateFile(server),
                        .tls_client_certificate = directory_.path() + "/absent.pem",
                        .tls_client_key = directory_.path() + "/absent.key"}),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--tls_client_certificate")));
}

TEST_F(HttpConnectionTest, ProxiesComeFromTheOptionsAlone) {
  HttpServer proxy(Always({.body = "from the proxy"}));
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  setenv("all_proxy", "http://127.0.0.1:1", 1);
  HttpServer server(Always({.body = "direct"}));
  EXPECT_EQ(Get(server)->body, "direct");
  unsetenv("http_proxy");
  unsetenv("all_proxy");

  RemoteOptions options{.url = "http://cache.invalid/base", .http_proxy = proxy.url()};
  EXPECT_EQ(Get(options)->body, "from the proxy");
  EXPECT_EQ(proxy.requests().at(0).path, "http://cache.invalid/base/x");
  options.no_proxy = "cache.invalid";
  EXPECT_FALSE(Get(options).ok());
  options.proxy = proxy.url();  // named for this purpose, so no exception counts
  EXPECT_EQ(Get(options)->body, "from the proxy");
  EXPECT_THAT(proxy.requests(), SizeIs(2));
}

TEST_F(HttpConnectionTest, CredentialsOfAProxyAreNotShown) {
  for (const char* proxy : {"http://me:s3cr3t-pw@127.0.0.1:1", "strange://me:s3cr3t-pw@proxy",
                            "http://me:s3cr3t-pw@127.0.0.1:99999"}) {
    EXPECT_THAT(Get(RemoteOptions{.url = "http://cache.invalid", .proxy = proxy}),
                StatusIs(_, Not(HasSubstr(kSecret))))
        << proxy;
  }
}

TEST_F(HttpConnectionTest, AProxyThatRefusesIsNamed) {
  HttpServer proxy(Always({.status = 407}));
  EXPECT_THAT(Get(RemoteOptions{.url = "https://cache.invalid", .https_proxy = proxy.url()}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("https_proxy")));
  EXPECT_THAT(proxy.lines(), ElementsAre("CONNECT cache.invalid:443"));
}

TEST_F(HttpConnectionTest, OptionsThatCannotBeUsedAreRefused) {
  const RemoteOptions good{.url = "http://cache"};
  const auto refused = [](const RemoteOptions& options, std::string_view what) {
    EXPECT_THAT(HttpConnection::Create(options),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(what), Not(HasSubstr(kSecret)))));
  };
  RemoteOptions options = good;
  options.headers = {{"X-A\r\nX-B", "v"}};
  refused(options, "--remote_header");
  options.headers = {{"X-A", absl::StrCat(kSecret, "\r\nX-B: 1")}};
  refused(options, "X-A");
  options = good;
  options.tls_client_key = "key.pem";
  refused(options, "--tls_client_certificate");
  options = good;
  options.proxy = "unix:";
  refused(options, "--remote_proxy");
}

}  // namespace
}  // namespace ingot::cache
