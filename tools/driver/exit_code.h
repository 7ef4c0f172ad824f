// The exit codes of `ingot`, and the one mapping from a Status to them.

#ifndef INGOT_TOOLS_DRIVER_EXIT_CODE_H_
#define INGOT_TOOLS_DRIVER_EXIT_CODE_H_

#include "absl/status/status.h"

namespace ingot::driver {

enum ExitCode : int {
  kSuccess = 0,
  kProgramError = 1,  // the user's program or files: invalid input, missing file, unwritable output
  kUsageError = 2,    // the command line
  kInternalError = 3,  // Ingot or LLVM: a crash, a time limit, a broken installation
};

// InvalidArgument is a usage error; Internal, DeadlineExceeded and Unknown are Ingot's own; all
// else is the user's files.
inline ExitCode ExitCodeFor(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kSuccess;
    case absl::StatusCode::kInvalidArgument:
      return kUsageError;
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kUnknown:
      return kInternalError;
    default:
      return kProgramError;
  }
}

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_EXIT_CODE_H_
