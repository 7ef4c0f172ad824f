#include "cache/digest.h"

#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/hash/hash_testing.h"
#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "cache/reapi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::_;

constexpr std::string_view kHello =
    "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";

// FIPS 180-2, appendix B, and the digest that buildbox's casupload gives for a file with "hello\n".
TEST(DigestTest, KnownVectors) {
  EXPECT_EQ(Sha256("abc").ToString(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad/3");
  EXPECT_EQ(Sha256("hello\n"), (Digest{std::string(kHello), 6}));
  EXPECT_EQ(Sha256(std::string(1'000'000, 'a')).ToString(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0/1000000");
}

TEST(DigestTest, EmptyContent) {
  EXPECT_EQ(Sha256(""), EmptyDigest());
  EXPECT_EQ(EmptyDigest().hash, kEmptyHash);
  EXPECT_TRUE(EmptyDigest().IsEmpty());
  EXPECT_FALSE(Sha256("a").IsEmpty());
}

TEST(DigestTest, PiecesHashLikeTheWhole) {
  const std::string bytes = [] {
    std::string bytes(1000, '\0');
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
    return bytes;
  }();
  for (size_t piece : {1, 7, 63, 64, 65, 999, 1000}) {
    Sha256Hasher hasher;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      hasher.Update(std::string_view(bytes).substr(at, piece));
    }
    EXPECT_EQ(std::move(hasher).Finish(), Sha256(bytes)) << piece;
  }
  EXPECT_EQ(Sha256Hasher().Finish(), EmptyDigest());
}

TEST(DigestTest, RawBytesAreTheHash) {
  EXPECT_EQ(Sha256Raw("hello\n").size(), 32u);
  EXPECT_EQ(Sha256Raw("hello\n").substr(0, 4), "\x58\x91\xb5\xb5");
}

TEST(DigestTest, ParsesWhatToStringWrites) {
  for (const Digest& digest : {Sha256("hello\n"), EmptyDigest(), Sha256(std::string(12345, 'x'))}) {
    EXPECT_THAT(Digest::Parse(digest.ToString()), IsOkAndHolds(digest));
  }
}

TEST(DigestTest, ParseRejectsEverythingElse) {
  const std::string hash(kHello);
  const std::vector<std::string> others = {"",
                                           hash,
                                           hash + "/",
                                           "/6",
                                           hash + "/-1",
                                           hash + "/+6",
                                           hash + "/06",
                                           hash + "/ 6",
                                           hash + "/6 ",
                                           hash + "/6/",
                                           hash + "/6x",
                                           hash + "/9223372036854775808",
                                           hash.substr(1) + "/6",
                                           hash + "0/6",
                                           "x" + hash.substr(1) + "/6",
                                           "A" + hash.substr(1) + "/6"};
  for (const std::string& text : others) {
    EXPECT_THAT(Digest::Parse(text), StatusIs(absl::StatusCode::kInvalidArgument, _)) << text;
  }
}

TEST(DigestTest, ProtoRoundTrip) {
  reapi::Digest proto;
  ToProto(Sha256("hello\n"), proto);
  EXPECT_EQ(proto.hash(), kHello);
  EXPECT_EQ(proto.size_bytes(), 6);
  EXPECT_THAT(FromProto(proto), IsOkAndHolds(Sha256("hello\n")));

  // A size of zero is a default and so not on the wire: tag, length and the hash only.
  ToProto(EmptyDigest(), proto);
  EXPECT_EQ(proto.ByteSizeLong(), 2u + 64u);
}

TEST(DigestTest, FromProtoRejectsWhatIsNoDigest) {
  reapi::Digest proto;
  EXPECT_THAT(FromProto(proto), StatusIs(absl::StatusCode::kInvalidArgument, _));
  proto.set_hash(std::string(kHello));
  proto.set_size_bytes(-1);
  EXPECT_THAT(FromProto(proto), StatusIs(absl::StatusCode::kInvalidArgument, _));
  proto.set_size_bytes(6);
  proto.set_hash("../../../../etc/passwd");
  EXPECT_THAT(FromProto(proto), StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST(DigestTest, SizeIsPartOfIdentity) {
  Digest other = Sha256("hello\n");
  ++other.size_bytes;
  EXPECT_NE(other, Sha256("hello\n"));
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly(
      {Digest(), EmptyDigest(), Sha256("hello\n"), other, Sha256("a")}));
}

TEST(DigestTest, Prints) {
  std::ostringstream out;
  out << Sha256("hello\n") << " " << ActionKey(EmptyDigest());
  EXPECT_EQ(out.str(), std::string(kHello) + "/6 " + std::string(kEmptyHash) + "/0");
}

TEST(ActionKeyTest, IsNotADigest) {
  static_assert(!std::is_convertible_v<Digest, ActionKey>);
  static_assert(!std::is_convertible_v<ActionKey, Digest>);
  const ActionKey key(Sha256("a"));
  EXPECT_EQ(key, ActionKey(Sha256("a")));
  EXPECT_EQ(key.hash(), Sha256("a").hash);
  EXPECT_NE(key, ActionKey(Sha256("b")));
}

}  // namespace
}  // namespace ingot::cache
