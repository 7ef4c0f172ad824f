#include "cache/utf8.h"

#include <cstddef>
#include <string_view>

namespace ingot::cache {

bool IsValidUtf8(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto in = [](unsigned value, unsigned low, unsigned high) {
    return low <= value && value <= high;
  };
  for (size_t i = 0; i < text.size();) {
    const unsigned lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    size_t continuation_bytes;
    // Only the second byte's range depends on the lead: it is what excludes overlong forms,
    // surrogates and code points past the end.
    unsigned second_low = 0x80;
    unsigned second_high = 0xbf;
    if (in(lead, 0xc2, 0xdf)) {
      continuation_bytes = 1;
    } else if (in(lead, 0xe0, 0xef)) {
      continuation_bytes = 2;
      if (lead == 0xe0) second_low = 0xa0;
      if (lead == 0xed) second_high = 0x9f;
    } else if (in(lead, 0xf0, 0xf4)) {
      continuation_bytes = 3;
      if (lead == 0xf0) second_low = 0x90;
      if (lead == 0xf4) second_high = 0x8f;
    } else {
      return false;
    }
    if (!in(byte(i + 1), second_low, second_high)) return false;
    for (size_t k = 2; k <= continuation_bytes; ++k) {
      if (!in(byte(i + k), 0x80, 0xbf)) return false;
    }
    i += 1 + continuation_bytes;
  }
  return true;
}

}  // namespace ingot::cache
