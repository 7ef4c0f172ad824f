// Runs the Command of a compilation on this machine, in whichever folder will do.
//
//   const ExecutionRequest request = RequestFor(toolchain, plan, text, absl::Minutes(10));
//   absl::StatusOr<Executed> executed = ExecuteSomewhere(places, request);
//   if (const std::string* output = OutputOf(executed->result, plan)) ...

#ifndef INGOT_TOOLS_DRIVER_COMPILE_EXECUTION_H_
#define INGOT_TOOLS_DRIVER_COMPILE_EXECUTION_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "compiler/plan/compile_action.h"
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

// The run of the compile tool that `plan` asks for. The references must outlive the request.
ExecutionRequest RequestFor(const Toolchain& toolchain, const compiler::CompileAction& plan,
                            std::string_view text, absl::Duration time_limit);

// Runs `request` in the state's work folder or, where that is of no use, in a temporary one.
absl::StatusOr<Executed> ExecuteSomewhere(const ExecutionPlaces& places,
                                          const ExecutionRequest& request);

// The output of a compilation that succeeded; null for one that did not.
const std::string* OutputOf(const ExecutionResult& result, const compiler::CompileAction& plan);

// Whether a compilation failed because of its input, which its standard error then explains.
bool InputWasRejected(const ExecutionResult& result);

// `text`, which the compile tool wrote to standard error, with the input called `user` in place of
// `canonical`. Diagnostics name it by its canonical path, so that they can be cached; people know
// it by another one.
std::string ToUserPath(std::string_view text, std::string_view canonical, std::string_view user);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_COMPILE_EXECUTION_H_
