#include "cache/not_asked.h"

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/cord.h"

namespace ingot::cache {
namespace {

constexpr std::string_view kPayload = "type.ingot/ingot.cache.NotAsked";

}  // namespace

absl::Status MarkNotAsked(absl::Status status) {
  status.SetPayload(kPayload, absl::Cord());
  return status;
}

bool WasNotAsked(const absl::Status& status) { return status.GetPayload(kPayload).has_value(); }

}  // namespace ingot::cache
