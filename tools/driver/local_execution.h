// Runs a Command of an Action on this machine, as a remote worker would: in an empty folder that
// holds the input root, with an empty environment, and with nothing read back but the declared
// outputs and the two streams.
//
//   ExecutionRequest request{.program = "/opt/ingot/lib/ingot/toolchain/ingot-compile",
//                            .arguments = {"toolchain/ingot-compile", "-o", "out/k.ptx",
//                            "src/k.ll"}, .inputs = {{"src/k.ll", text}}, .outputs = {"out/k.ptx"},
//                            .time_limit = absl::Minutes(10)};
//   absl::StatusOr<ExecutionResult> result = Execute(request, work->path());

#ifndef INGOT_TOOLS_DRIVER_LOCAL_EXECUTION_H_
#define INGOT_TOOLS_DRIVER_LOCAL_EXECUTION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace ingot::driver {

struct ExecutionRequest {
  std::string program;                 // what to run: an absolute path, outside the input root
  std::vector<std::string> arguments;  // the Command's, with its own first element
  std::map<std::string, std::string> inputs;  // path in the input root -> contents
  std::vector<std::string> outputs;           // paths in the input root
  absl::Duration time_limit = absl::InfiniteDuration();
};

struct ExecutionResult {
  int exit_code = 0;       // meaningful if `signal` is 0
  int signal = 0;          // the signal that ended the program, or 0
  bool timed_out = false;  // the time limit passed; `signal` says what it then took to end it
  std::string stdout_text;
  std::string stderr_text;
  std::map<std::string, std::string> outputs;  // those of the declared outputs that exist
};

// Stages the inputs in `directory`, which must be empty, runs the program and collects what it
// made. A program that fails is a result, not an error; an error is that it could not be run.
// Thread safe. The program dies with the calling thread. At the time limit it gets SIGQUIT, so that
// it can say where it was, and SIGKILL two seconds later.
absl::StatusOr<ExecutionResult> Execute(const ExecutionRequest& request,
                                        const std::string& directory);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_LOCAL_EXECUTION_H_
