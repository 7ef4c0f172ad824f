// Reading inputs and writing outputs, with errors that name the file and the reason.

#ifndef INGOT_TOOLS_DRIVER_FILES_H_
#define INGOT_TOOLS_DRIVER_FILES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ingot::driver {

// The whole of the file at `path`, or of standard input for "-". NotFound, PermissionDenied or
// FailedPrecondition name the path and the reason.
absl::StatusOr<std::string> ReadInput(const std::string& path);

// Whether both paths, neither of which is "-", lead to one file that is there.
bool IsSameFile(const std::string& a, const std::string& b);

// Makes `contents` the file at `path`: a regular file appears whole or not at all and keeps the
// mode that it had, a link is followed, a device or pipe is written to, "-" is standard output. A
// process that is killed meanwhile leaves nothing or, where `path` existed or the file system has
// no files without names, a temporary file that the next call for the same path removes. Errors
// name the path.
absl::Status WriteOutput(const std::string& path, std::string_view contents);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_FILES_H_
