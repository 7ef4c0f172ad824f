// What `ingot cc` has to compile, input by input.
//
//   absl::StatusOr<std::vector<CcJob>> jobs = PlanCcJobs(arguments);
//   jobs->front().invocation;       // resolved, with its input and output
//   jobs->front().dependency_file;  // "blink.d"

#ifndef INGOT_TOOLS_DRIVER_CC_JOBS_H_
#define INGOT_TOOLS_DRIVER_CC_JOBS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/invocation/invocation.h"
#include "tools/driver/cc_arguments.h"

namespace ingot::driver {

// One input's compilation.
struct CcJob {
  compiler::Invocation invocation;
  std::string dependency_file;  // empty: none; "-": standard output
  std::vector<std::string> dependency_targets;
};

// One job for each input. InvalidArgument where two would write the same file, for an input that
// would be overwritten, or where the options do not go together or with the target.
absl::StatusOr<std::vector<CcJob>> PlanCcJobs(const CcArguments& arguments);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CC_JOBS_H_
