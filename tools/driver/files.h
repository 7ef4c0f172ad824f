// Reading inputs and writing outputs, with errors that name the file and the reason.

#ifndef INGOT_TOOLS_DRIVER_FILES_H_
#define INGOT_TOOLS_DRIVER_FILES_H_

#include <sys/types.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ingot::driver {

// The mode of a new file: what the process's umask leaves. There is no way to ask for the umask but
// to set it, for all threads at once, so the first call must come before there are any.
mode_t NewFileMode();

// The whole of the file at `path`, or of standard input for "-". NotFound, PermissionDenied or
// FailedPrecondition name the path and the reason.
absl::StatusOr<std::string> ReadInput(const std::string& path);

// Makes `contents` the file at `path`: a regular file appears whole or not at all (a temporary file
// beside it, then a rename) and keeps the mode that it had, a link is followed, a device or pipe is
// written to, "-" is standard output. Errors name the path.
absl::Status WriteOutput(const std::string& path, std::string_view contents);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_FILES_H_
