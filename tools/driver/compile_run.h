// A command's compilations: opens what they share (the toolchain, the stores), makes them, several
// at once, and keeps the store within its limits. For every command that compiles.
//
//   absl::StatusOr<CompileRunResult> result =
//       RunCompilations({environment, options, collection, color}, invocations, observer);
//   // result->outcomes: one for each invocation, in their order

#ifndef INGOT_TOOLS_DRIVER_COMPILE_RUN_H_
#define INGOT_TOOLS_DRIVER_COMPILE_RUN_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/invocation/invocation.h"
#include "tools/driver/collection_options.h"
#include "tools/driver/compile_job.h"
#include "tools/driver/compile_options.h"
#include "tools/driver/environment.h"

namespace ingot::driver {

struct CompileRunRequest {
  const Environment& environment;
  const CompileOptions& options;  // of which the compiler's own do not count here
  const CollectionOptions& collection;
  bool color = false;  // whether diagnostics are shown with it
};

// Is told what happens while it happens, by several threads at once.
class CompileObserver {
 public:
  CompileObserver() = default;
  CompileObserver(const CompileObserver&) = delete;
  CompileObserver& operator=(const CompileObserver&) = delete;
  virtual ~CompileObserver() = default;

  // What the user should know of the cache as a whole.
  virtual void Warn(const std::string& warning) = 0;
  virtual void Started(const std::string& input) = 0;
  virtual void Finished(const CompileOutcome& outcome) = 0;
};

struct CompileRunResult {
  std::vector<CompileOutcome> outcomes;  // parallel to the invocations
  // What the observer was warned of.
  std::string store_problem;
  std::optional<std::string> collection_problem;
};

// Makes every one of `invocations`, which must be resolved and have one input and one output each.
// An error means that not even one was begun; that of a compilation is in its outcome.
absl::StatusOr<CompileRunResult> RunCompilations(const CompileRunRequest& request,
                                                 std::span<const compiler::Invocation> invocations,
                                                 CompileObserver& observer);

// "hit", "miss", or "off" where no store was asked.
std::string_view CacheWord(const CompileOutcome& outcome);

// An outcome in a line for people, "hit   a.ll -> a.ptx  0.4 ms", and where `verbose`, its key and
// what became of it in two more.
std::string DescribeOutcome(const CompileOutcome& outcome, bool verbose);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_COMPILE_RUN_H_
