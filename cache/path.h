// The form of a path inside an Action: relative to the input root, `/` between segments.

#ifndef INGOT_CACHE_PATH_H_
#define INGOT_CACHE_PATH_H_

#include <string_view>

#include "absl/status/status.h"

namespace ingot::cache {

// OK for a relative path of valid UTF-8 without empty, `.` or `..` segments, NUL bytes or
// backslashes, of at most 4096 bytes. InvalidArgument naming `path` and what is wrong with it
// otherwise.
absl::Status ValidateRelativePath(std::string_view path);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_PATH_H_
