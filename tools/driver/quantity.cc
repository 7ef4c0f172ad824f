#include "tools/driver/quantity.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace ingot::driver {
namespace {

constexpr int64_t kMaximum = std::numeric_limits<int64_t>::max();

// Takes the digits that `text` begins with off it. False if there are none or too many.
bool TakeNumber(std::string_view& text, int64_t& number) {
  std::size_t digits = 0;
  while (digits < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[digits]))) {
    ++digits;
  }
  if (!absl::SimpleAtoi(text.substr(0, digits), &number)) return false;
  text.remove_prefix(digits);
  return true;
}

absl::Status BadSize(std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is no size; write a whole number with its unit, like 500M or 10G"));
}

absl::Status BadAge(std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is no time; write a whole number with its unit, like 30d or 12h"));
}

struct SizeUnit {
  std::string_view name;
  int64_t bytes;
};

constexpr std::array kSizeUnits = {
    SizeUnit{"", 1},
    SizeUnit{"b", 1},
    SizeUnit{"k", int64_t{1} << 10},
    SizeUnit{"kib", int64_t{1} << 10},
    SizeUnit{"kb", 1'000},
    SizeUnit{"m", int64_t{1} << 20},
    SizeUnit{"mib", int64_t{1} << 20},
    SizeUnit{"mb", 1'000'000},
    SizeUnit{"g", int64_t{1} << 30},
    SizeUnit{"gib", int64_t{1} << 30},
    SizeUnit{"gb", 1'000'000'000},
    SizeUnit{"t", int64_t{1} << 40},
    SizeUnit{"tib", int64_t{1} << 40},
    SizeUnit{"tb", 1'000'000'000'000},
};

struct AgeUnit {
  char name;
  int64_t seconds;
};

constexpr std::array kAgeUnits = {
    AgeUnit{'w', 604'800}, AgeUnit{'d', 86'400}, AgeUnit{'h', 3600},
    AgeUnit{'m', 60},      AgeUnit{'s', 1},
};

// A thousand years: what is longer is a mistake, and sums of less never overflow.
constexpr int64_t kMaximumSeconds = int64_t{1000} * 366 * 24 * 3600;

}  // namespace

absl::StatusOr<int64_t> ParseSize(std::string_view text) {
  std::string_view rest = text;
  int64_t number = 0;
  if (!TakeNumber(rest, number)) return BadSize(text);
  const std::string unit = absl::AsciiStrToLower(rest);
  for (const SizeUnit& known : kSizeUnits) {
    if (unit != known.name) continue;
    if (number > kMaximum / known.bytes) return BadSize(text);
    return number * known.bytes;
  }
  return BadSize(text);
}

absl::StatusOr<absl::Duration> ParseAge(std::string_view text) {
  if (text == "0") return absl::ZeroDuration();
  std::string_view rest = text;
  int64_t seconds = 0;
  std::size_t next_unit = 0;
  do {
    int64_t number = 0;
    if (!TakeNumber(rest, number) || rest.empty()) return BadAge(text);
    while (next_unit < kAgeUnits.size() && kAgeUnits[next_unit].name != rest.front()) ++next_unit;
    if (next_unit == kAgeUnits.size()) return BadAge(text);
    const int64_t unit = kAgeUnits[next_unit++].seconds;
    if (number > kMaximumSeconds / unit) return BadAge(text);
    seconds += number * unit;
    rest.remove_prefix(1);
  } while (!rest.empty());
  return absl::Seconds(seconds);
}

std::string FormatSize(int64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return absl::StrCat(bytes, " bytes");
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

}  // namespace ingot::driver
