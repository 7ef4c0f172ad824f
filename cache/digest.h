// Names of contents: what the Remote Execution API calls a Digest, and the key of an Action.
//
//   Digest digest = Sha256("hello\n");
//   digest.ToString();  // "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03/6"
//
//   Sha256Hasher hasher;
//   hasher.Update("hel");
//   hasher.Update("lo\n");
//   std::move(hasher).Finish() == digest;

#ifndef INGOT_CACHE_DIGEST_H_
#define INGOT_CACHE_DIGEST_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

// The protocol's message, declared here so that those who only name contents need not parse its
// header.
namespace build::bazel::remote::execution::v2 {
class Digest;
}  // namespace build::bazel::remote::execution::v2

namespace ingot::cache {

// The SHA-256 of no bytes at all.
inline constexpr std::string_view kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// The name of a content: its SHA-256 as 64 lowercase hexadecimal digits and its length. The length
// is part of the identity: the same hash with another length is another digest, and never a valid
// one.
//
// A value; the functions below make only well-formed ones.
struct Digest {
  std::string hash;
  int64_t size_bytes = 0;

  // True for the digest of no bytes, which every store has without being told
  // (remote_execution.proto, Digest).
  bool IsEmpty() const { return size_bytes == 0; }

  // "hash/size", the form in which the protocol's resource names and this project's messages show a
  // digest.
  std::string ToString() const;

  // Reads ToString()'s form. InvalidArgument for anything else: a hash of another length or in
  // capitals, a negative size, leading zeros, trailing characters.
  static absl::StatusOr<Digest> Parse(std::string_view text);

  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const Digest& digest) {
    return H::combine(std::move(state), digest.hash, digest.size_bytes);
  }

  friend std::ostream& operator<<(std::ostream& out, const Digest& digest) {
    return out << digest.ToString();
  }
};

// True for 64 lowercase hexadecimal digits.
bool IsSha256Hex(std::string_view hash);

// The digest of no bytes.
const Digest& EmptyDigest();

// The digest of `bytes`.
Digest Sha256(std::string_view bytes);

// The 32 raw bytes of `bytes`'s SHA-256.
std::string Sha256Raw(std::string_view bytes);

// The digest of a content that arrives in pieces. Not thread-safe; a finished hasher must not be
// used again.
class Sha256Hasher {
 public:
  Sha256Hasher();
  void Update(std::string_view bytes);
  Digest Finish() &&;

 private:
  // Holds libcrypto's SHA256_CTX, whose header would bring OpenSSL's declarations into every user
  // of this one. Its size is checked where the header is known.
  static constexpr size_t kStateSize = 112;
  alignas(8) unsigned char state_[kStateSize];
  int64_t size_bytes_ = 0;
};

// To the protocol's message. The size of the empty digest is a default value and so absent from the
// wire.
void ToProto(const Digest& digest, build::bazel::remote::execution::v2::Digest& proto);

// From the protocol's message, as it came from a file or a server: InvalidArgument unless the hash
// is a SHA-256 in lowercase hexadecimal digits and the size is not negative.
absl::StatusOr<Digest> FromProto(const build::bazel::remote::execution::v2::Digest& proto);

// The key of a result in an action cache: the digest of an encoded Action. A type of its own, so
// that a key and the digest of a blob can't be swapped: both are hashes, and both are valid names
// in both places.
class ActionKey {
 public:
  explicit ActionKey(Digest action_digest) : digest_(std::move(action_digest)) {}

  // The digest of the Action, which is also the name of the Action's bytes in the
  // content-addressable storage.
  const Digest& digest() const { return digest_; }
  const std::string& hash() const { return digest_.hash; }
  std::string ToString() const { return digest_.ToString(); }

  friend bool operator==(const ActionKey&, const ActionKey&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const ActionKey& key) {
    return H::combine(std::move(state), key.digest_);
  }

  friend std::ostream& operator<<(std::ostream& out, const ActionKey& key) {
    return out << key.ToString();
  }

 private:
  Digest digest_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_DIGEST_H_
