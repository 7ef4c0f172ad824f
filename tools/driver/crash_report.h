// What to tell about a compile tool that died or took too long, and what to keep of it.

#ifndef INGOT_TOOLS_DRIVER_CRASH_REPORT_H_
#define INGOT_TOOLS_DRIVER_CRASH_REPORT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/driver/local_execution.h"
#include "tools/driver/work_directory.h"

namespace ingot::driver {

// What a dying compile tool said of itself. Empty where it said nothing.
struct CrashFacts {
  std::string stage;     // "codegen"
  std::string pass;      // LLVM's pass
  std::string function;  // LLVM's function, "@f"
  std::string message;   // the text of "LLVM ERROR: …"
};

// Reads them from the tool's standard error.
CrashFacts ParseCrash(std::string_view stderr_text);

// One sentence: what died, in which stage, pass and function, by which signal or limit; then LLVM's
// own message.
std::string DescribeCrash(const ExecutionResult& result, absl::Duration time_limit);

// Keeps the inputs in `work` as `directory`/`name`, with a reproduce.sh that runs the tool on them
// again, and returns the path of that script. Of the folders kept before, only the newest few stay.
absl::StatusOr<std::string> KeepReproducer(WorkDirectory work, const ExecutionRequest& request,
                                           const std::string& directory, const std::string& name);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CRASH_REPORT_H_
