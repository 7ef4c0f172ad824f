// Sizes and times as people write them in options, and sizes as they are shown.
//
//   ABSL_ASSIGN_OR_RETURN(int64_t bytes, ParseSize("10G"));             // 10 * 2^30
//   ABSL_ASSIGN_OR_RETURN(absl::Duration time, ParseAge("30d"));        // 720 hours
//   FormatSize(1'610'612'736);                                          // "1.5 GiB"

#ifndef INGOT_TOOLS_DRIVER_QUANTITY_H_
#define INGOT_TOOLS_DRIVER_QUANTITY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace ingot::driver {

// A whole number with a unit: none or B for bytes; K, M, G, T or KiB, MiB, GiB, TiB for powers of
// 1024, as Bazel's flags read them; KB, MB, GB, TB for powers of 1000. Capitals do not matter.
// InvalidArgument, in one line, for anything else, negative and too large numbers included.
absl::StatusOr<int64_t> ParseSize(std::string_view text);

// One or more numbers with units, the largest first: w (weeks), d (days), h, m, s; or 0. "1d12h" is
// a day and a half. InvalidArgument, in one line, for anything else.
absl::StatusOr<absl::Duration> ParseAge(std::string_view text);

// In the largest unit of which there is one: "512 bytes", "1.5 GiB".
std::string FormatSize(int64_t bytes);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_QUANTITY_H_
