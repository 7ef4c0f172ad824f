#include "cache/decorators/local_first_blob_store.h"

#include <string>

#include "absl/status/statusor.h"
#include "cache/digest.h"

namespace ingot::cache {

absl::StatusOr<std::string> LocalFirstBlobStore::Get(const Digest& digest) {
  if (absl::StatusOr<std::string> bytes = local_.Get(digest); bytes.ok()) return bytes;
  return remote_.Get(digest);
}

}  // namespace ingot::cache
