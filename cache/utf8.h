// Whether bytes are text. The protocol's string fields must be valid UTF-8, and so must everything
// sorted "by code point": only for valid UTF-8 is the order of the bytes the order of the code
// points.
//
//   IsValidUtf8("\xc3\xa9");  // é: true
//   IsValidUtf8("\xe9");      // é in Latin-1: false

#ifndef INGOT_CACHE_UTF8_H_
#define INGOT_CACHE_UTF8_H_

#include <string_view>

namespace ingot::cache {

// True if `text` is well-formed by table 3-7 of the Unicode Standard: no overlong forms, no
// surrogates, nothing beyond U+10FFFF.
bool IsValidUtf8(std::string_view text);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_UTF8_H_
