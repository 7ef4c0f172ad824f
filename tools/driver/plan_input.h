// One input of a command as an Action, the way `compile` makes it.
//
// What a source includes is known only after a compilation, so its Actions are planned from records
// of what earlier compilations read (cache/dependency_sets.h).

#ifndef INGOT_TOOLS_DRIVER_PLAN_INPUT_H_
#define INGOT_TOOLS_DRIVER_PLAN_INPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/dependency_sets.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/history.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/plan/compile_action.h"
#include "tools/driver/input_request.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {

// What an Action is made with besides the request.
struct PlanContext {
  const Toolchain& toolchain;
  const cache::Generations& generations;
};

struct PlannedInput {
  compiler::CompileAction plan;
  compiler::Dependencies dependencies;  // as the files are now
  bool refreshed = false;               // whether the record was older than that
  bool is_guess = false;                // no record says what is included, and something may be
};

// The Action of `request` with `dependencies`, which are empty for LLVM IR. The messages of the
// plan's input root are complete: they say what the toolchain consists of. FailedPrecondition, in a
// sentence for people, if no result may be stored for what was read.
absl::StatusOr<PlannedInput> PlanWith(const InputRequest& request,
                                      compiler::Dependencies dependencies,
                                      const PlanContext& context);

// Every Action that `request` may stand for, by the records in `sets` that still apply; the most
// likely first. For LLVM IR there is exactly one.
absl::StatusOr<std::vector<PlannedInput>> PlanFromRecords(const InputRequest& request,
                                                          const cache::DependencySets& sets,
                                                          const PlanContext& context);

// The most likely one of them. Without any, what `request` would be if it included nothing.
absl::StatusOr<PlannedInput> PlanMostLikely(const InputRequest& request,
                                            const cache::DependencySets& sets,
                                            const PlanContext& context);

// Keeps the record of what a compilation read, or of what a hit found to be there now. `read` is
// when that began. What cannot be kept is not known next time; nothing depends on it.
void RememberDependencies(const InputRequest& request, const compiler::Dependencies& dependencies,
                          absl::Time read, const cache::DependencySets& sets);

// The dependency sets of the state at `paths`.
cache::DependencySets DependencySetsAt(const StorePaths& paths);

// The name by which the history of a store knows the user's file at `path`: absolute, "-" for
// standard input or output.
std::string NameInHistory(const std::string& path);

// Writes down how the result of `key`, made of `input`, came into the store. What cannot be written
// is not known later; nothing depends on it.
void RecordPublication(Store& store, cache::HistoryEventKind kind, const cache::ActionKey& key,
                       const std::string& input, const std::string& output);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_PLAN_INPUT_H_
