#include "cache/remote/http/http_url.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

HttpUrl Parsed(const std::string& text) {
  absl::StatusOr<HttpUrl> url = HttpUrl::Parse(text);
  EXPECT_THAT(url, IsOk()) << text;
  return url.ok() ? *url : HttpUrl();
}

TEST(HttpUrlTest, TakesAUrlApart) {
  const HttpUrl url = Parsed("https://me%40home:sec%3Aret@cache.example:8443/in/got//");
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.host, "cache.example");
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.base, "https://cache.example:8443/in/got");
  EXPECT_EQ(url.user, "me@home");
  EXPECT_EQ(url.password, "sec:ret");
  EXPECT_EQ(url.Origin(), "https://cache.example:8443");
}

TEST(HttpUrlTest, FillsInThePort) {
  EXPECT_EQ(Parsed("http://cache").port, 80);
  EXPECT_EQ(Parsed("https://cache/").port, 443);
  EXPECT_EQ(Parsed("http://cache").base, "http://cache");
  EXPECT_EQ(Parsed("http://[::1]:8080/x").host, "[::1]");
}

TEST(HttpUrlTest, RefusesWhatIsNoCacheWithoutShowingIt) {
  for (const char* text : {"", "cache", "cache:8080", "ftp://me:secret@cache", "http://",
                           "http://me:secret@cache:99999", "http://me:secret@cache/?q=1",
                           "http://me:secret@cache/#x", "http://me:secret@ca che/",
                           "http://me:sec%00ret@cache"}) {
    EXPECT_THAT(HttpUrl::Parse(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("http://HOST"), Not(HasSubstr("ecret")))))
        << text;
  }
}

TEST(HttpUrlTest, CredentialsStayWithTheirServer) {
  const HttpUrl plain = Parsed("http://cache/x");
  EXPECT_TRUE(plain.MayShareCredentialsWith(Parsed("http://cache/y")));
  EXPECT_TRUE(plain.MayShareCredentialsWith(Parsed("https://cache/x")));
  EXPECT_FALSE(plain.MayShareCredentialsWith(Parsed("http://other/x")));
  EXPECT_FALSE(plain.MayShareCredentialsWith(Parsed("http://cache:81/x")));
  EXPECT_FALSE(plain.MayShareCredentialsWith(Parsed("https://cache:81/x")));
  EXPECT_FALSE(Parsed("https://cache").MayShareCredentialsWith(plain));
}

}  // namespace
}  // namespace ingot::cache
