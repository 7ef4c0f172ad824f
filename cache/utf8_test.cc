#include "cache/utf8.h"

#include <string_view>

#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

TEST(Utf8Test, AcceptsTheBordersOfEachLength) {
  for (std::string_view text : {
           std::string_view(),
           std::string_view("\0", 1),
           std::string_view("\x7f"),
           std::string_view("\xc2\x80"),          // U+0080
           std::string_view("\xdf\xbf"),          // U+07FF
           std::string_view("\xe0\xa0\x80"),      // U+0800
           std::string_view("\xed\x9f\xbf"),      // U+D7FF
           std::string_view("\xee\x80\x80"),      // U+E000
           std::string_view("\xef\xbf\xbf"),      // U+FFFF
           std::string_view("\xf0\x90\x80\x80"),  // U+10000
           std::string_view("\xf4\x8f\xbf\xbf"),  // U+10FFFF
           std::string_view("naïve 😀.ll"),
       }) {
    EXPECT_TRUE(IsValidUtf8(text)) << text;
  }
}

TEST(Utf8Test, RejectsWhatIsNotText) {
  for (std::string_view text : {
           "\x80",              // a continuation byte alone
           "\xc3",              // cut off
           "\xe2\x82",          // cut off
           "\xf0\x9f\x98",      // cut off
           "\xc3(",             // not continued
           "\xe2\x82(",         // not continued
           "\xf0\x9f\x98(",     // not continued
           "\xc0\xaf",          // '/' in two bytes
           "\xc1\xbf",          // overlong
           "\xe0\x9f\xbf",      // overlong
           "\xf0\x8f\xbf\xbf",  // overlong
           "\xed\xa0\x80",      // a surrogate
           "\xed\xbf\xbf",      // a surrogate
           "\xf4\x90\x80\x80",  // U+110000
           "\xf5\x80\x80\x80",
           "\xff",
           "ok \xe9 ok",  // Latin-1
       }) {
    EXPECT_FALSE(IsValidUtf8(text)) << text;
  }
}

}  // namespace
}  // namespace ingot::cache
