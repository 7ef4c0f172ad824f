// Runs the Command of a compilation on this machine, in whichever folder will do.
//
//   absl::StatusOr<ExecutionRequest> request = RequestFor(toolchain, input, absl::Minutes(10));
//   absl::StatusOr<Executed> executed = ExecuteSomewhere(places, *request);
//   if (const std::string* output = OutputOf(executed->result, input.canonical.output_path)) ...

#ifndef INGOT_TOOLS_DRIVER_COMPILE_EXECUTION_H_
#define INGOT_TOOLS_DRIVER_COMPILE_EXECUTION_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "compiler/invocation/dependencies.h"
#include "tools/driver/input_request.h"
#include "tools/driver/local_execution.h"
#include "tools/driver/toolchain.h"
#include "tools/driver/work_directory.h"

namespace ingot::driver {

// Where work may be done.
struct ExecutionPlaces {
  std::string state;                // in its folder `work`; empty: there is none
  std::string temporary_directory;  // in a folder of it if `state` cannot be used
};

// A run of the compile tool and the folder that it ran in.
struct Executed {
  WorkDirectory work;
  ExecutionResult result;
  absl::Time start;
  absl::Time end;
};

enum class ToolRun {
  kCompile,
  kScan,  // only find out what a compilation would read
};

// The run of the compile tool that makes the result of `input`. Of a source it finds what it
// includes where the user has it, and leaves a record. `input` must outlive the request. An error
// if the current directory has no name.
absl::StatusOr<ExecutionRequest> RequestFor(const Toolchain& toolchain, const InputRequest& input,
                                            absl::Duration time_limit,
                                            ToolRun run = ToolRun::kCompile);

// Runs `request` in the state's work folder or, where that is of no use, in a temporary one.
absl::StatusOr<Executed> ExecuteSomewhere(const ExecutionPlaces& places,
                                          const ExecutionRequest& request);

// The output of a compilation that succeeded; null for one that did not.
const std::string* OutputOf(const ExecutionResult& result, const std::string& output_path);

// Whether a compilation failed because of its input, which its standard error then explains.
bool InputWasRejected(const ExecutionResult& result);

// What a compilation from source read, by the record that the compile tool left. An error, in a
// sentence for people, if there is none that can be believed. `result` may be of a failure.
absl::StatusOr<compiler::Dependencies> DependenciesOf(const ExecutionResult& result);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_COMPILE_EXECUTION_H_
