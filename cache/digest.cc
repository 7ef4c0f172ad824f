#include "cache/digest.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/no_destructor.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cache/reapi.h"

// libcrypto's low-level SHA-256 is deprecated in favour of EVP, and used here on purpose: EVP loads
// OpenSSL's providers on first use, about 1 ms, which is twice what starting this whole program
// costs. The code underneath and its speed are the same.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

namespace ingot::cache {
namespace {

using RawHash = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

std::string_view AsBytes(const RawHash& raw) {
  return std::string_view(reinterpret_cast<const char*>(raw.data()), raw.size());
}

RawHash Hash(std::string_view bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  RawHash raw;
  SHA256_Final(raw.data(), &context);
  return raw;
}

}  // namespace

std::string Digest::ToString() const { return absl::StrCat(hash, "/", size_bytes); }

absl::StatusOr<Digest> Digest::Parse(std::string_view text) {
  const size_t slash = text.find('/');
  Digest digest;
  if (slash == std::string_view::npos || !IsSha256Hex(text.substr(0, slash)) ||
      !absl::SimpleAtoi(text.substr(slash + 1), &digest.size_bytes) || digest.size_bytes < 0 ||
      // SimpleAtoi also takes "+6", "06" and " 6".
      absl::StrCat(digest.size_bytes) != text.substr(slash + 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", absl::CHexEscape(text),
                     "' is not a digest: write 64 lowercase hexadecimal digits, a slash and the "
                     "size in bytes"));
  }
  digest.hash = std::string(text.substr(0, slash));
  return digest;
}

bool IsSha256Hex(std::string_view hash) {
  return hash.size() == size_t{2} * SHA256_DIGEST_LENGTH &&
         std::all_of(hash.begin(), hash.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

const Digest& EmptyDigest() {
  static const absl::NoDestructor<Digest> kEmpty(Digest{std::string(kEmptyHash), 0});
  return *kEmpty;
}

Digest Sha256(std::string_view bytes) {
  return {absl::BytesToHexString(AsBytes(Hash(bytes))), static_cast<int64_t>(bytes.size())};
}

std::string Sha256Raw(std::string_view bytes) { return std::string(AsBytes(Hash(bytes))); }

Sha256Hasher::Sha256Hasher() {
  static_assert(sizeof(SHA256_CTX) <= kStateSize && alignof(SHA256_CTX) <= 8);
  SHA256_Init(new (state_) SHA256_CTX);
}

void Sha256Hasher::Update(std::string_view bytes) {
  SHA256_Update(std::launder(reinterpret_cast<SHA256_CTX*>(state_)), bytes.data(), bytes.size());
  size_bytes_ += static_cast<int64_t>(bytes.size());
}

Digest Sha256Hasher::Finish() && {
  RawHash raw;
  SHA256_Final(raw.data(), std::launder(reinterpret_cast<SHA256_CTX*>(state_)));
  return {absl::BytesToHexString(AsBytes(raw)), size_bytes_};
}

void ToProto(const Digest& digest, reapi::Digest& proto) {
  proto.set_hash(digest.hash);
  proto.set_size_bytes(digest.size_bytes);
}

absl::StatusOr<Digest> FromProto(const reapi::Digest& proto) {
  if (!IsSha256Hex(proto.hash()) || proto.size_bytes() < 0) {
    return absl::InvalidArgumentError(absl::StrCat("'", absl::CHexEscape(proto.hash()),
                                                   "' of size ", proto.size_bytes(),
                                                   " is not the digest of anything"));
  }
  return Digest{proto.hash(), proto.size_bytes()};
}

}  // namespace ingot::cache

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
