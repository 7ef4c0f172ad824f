// One input of a command as an Action, the way `compile` makes it.

#ifndef INGOT_TOOLS_DRIVER_PLAN_INPUT_H_
#define INGOT_TOOLS_DRIVER_PLAN_INPUT_H_

#include <string>

#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/history.h"
#include "compiler/invocation/invocation.h"
#include "compiler/plan/compile_action.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {

struct PlannedInput {
  std::string text;  // of the input
  compiler::CompileAction plan;
};

// Reads the input of `invocation`, which must be resolved and have one, and plans its compilation.
// The messages of the plan's input root are complete: they say what the toolchain consists of.
absl::StatusOr<PlannedInput> PlanInput(const compiler::Invocation& invocation,
                                       const Toolchain& toolchain,
                                       const cache::Generations& generations);

// The name by which the history of a store knows the user's file at `path`: absolute, "-" for
// standard input or output.
std::string NameInHistory(const std::string& path);

// Writes down how the result of `key`, made of `input`, came into the store. What cannot be written
// is not known later; nothing depends on it.
void RecordPublication(Store& store, cache::HistoryEventKind kind, const cache::ActionKey& key,
                       const std::string& input, const std::string& output);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_PLAN_INPUT_H_
