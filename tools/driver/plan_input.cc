#include "tools/driver/plan_input.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/history.h"
#include "compiler/invocation/invocation.h"
#include "compiler/plan/compile_action.h"
#include "tools/driver/files.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {

absl::StatusOr<PlannedInput> PlanInput(const compiler::Invocation& invocation,
                                       const Toolchain& toolchain,
                                       const cache::Generations& generations) {
  absl::StatusOr<std::string> text = ReadInput(invocation.inputs.front());
  if (!text.ok()) return text.status();
  absl::StatusOr<compiler::CompileAction> plan =
      compiler::PlanCompile(invocation, cache::Sha256(*text), toolchain.directory.digest,
                            compiler::HostPlatform(), generations);
  if (!plan.ok()) return plan.status();
  plan->input_root.directories.push_back(toolchain.directory);
  return PlannedInput{*std::move(text), *std::move(plan)};
}

std::string NameInHistory(const std::string& path) {
  if (path == "-") return path;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

void RecordPublication(Store& store, cache::HistoryEventKind kind, const cache::ActionKey& key,
                       const std::string& input, const std::string& output) {
  if (!store.history.has_value()) return;
  store.history
      ->Append({.kind = kind,
                .key = key.ToString(),
                .input = NameInHistory(input),
                .output = NameInHistory(output)})
      .IgnoreError();
}

}  // namespace ingot::driver
