#include "cache/remote/http/http_status.h"

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(HttpStatusErrorTest, SaysWhatToDo) {
  const auto error = [](HttpMethod method, int status) {
    return HttpStatusError(method, status, "http://cache/cas/0");
  };
  EXPECT_THAT(error(HttpMethod::kGet, 401),
              StatusIs(absl::StatusCode::kUnauthenticated,
                       AllOf(HasSubstr("http://cache/cas/0"), HasSubstr("--remote_header"))));
  EXPECT_THAT(error(HttpMethod::kGet, 403), StatusIs(absl::StatusCode::kPermissionDenied, _));
  EXPECT_THAT(error(HttpMethod::kPut, 403), StatusIs(absl::StatusCode::kPermissionDenied,
                                                     HasSubstr("--noremote_upload_local_results")));
  EXPECT_THAT(error(HttpMethod::kPut, 405), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                     HasSubstr("--noremote_upload_local_results")));
  EXPECT_THAT(error(HttpMethod::kPut, 413),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("client_max_body_size")));
  EXPECT_THAT(error(HttpMethod::kPut, 507),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("full")));
  EXPECT_THAT(error(HttpMethod::kGet, 500), StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_THAT(error(HttpMethod::kGet, 418), StatusIs(absl::StatusCode::kUnknown, _));
}

}  // namespace
}  // namespace ingot::cache
