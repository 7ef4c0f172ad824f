#include "tools/driver/plan_input.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/dependency_sets.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/history.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/plan/compile_action.h"
#include "compiler/plan/source_tree.h"
#include "tools/driver/dependency_check.h"
#include "tools/driver/input_request.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {

namespace {

// Whether two records are of the same files and absences; what the files held is not part of a
// record's use.
bool AreOfTheSameFiles(const compiler::Dependencies& a, const compiler::Dependencies& b) {
  return a.absences == b.absences &&
         std::equal(a.files.begin(), a.files.end(), b.files.begin(), b.files.end(),
                    [](const compiler::ReadFile& x, const compiler::ReadFile& y) {
                      return x.requested == y.requested;
                    });
}

}  // namespace

absl::StatusOr<PlannedInput> PlanWith(const InputRequest& request,
                                      compiler::Dependencies dependencies,
                                      const PlanContext& context) {
  std::optional<compiler::SourceTree> tree;
  if (request.may_include) {
    absl::StatusOr<compiler::SourceTree> built = compiler::BuildSourceTree(dependencies);
    if (!built.ok()) return built.status();
    tree = *std::move(built);
  }
  absl::StatusOr<compiler::CompileAction> plan = compiler::PlanCompile(
      request.canonical, {request.source, tree.has_value() ? &*tree : nullptr},
      context.toolchain.directory.digest, compiler::HostPlatform(), context.generations);
  if (!plan.ok()) return plan.status();
  plan->input_root.directories.push_back(context.toolchain.directory);
  return PlannedInput{*std::move(plan), std::move(dependencies), /*refreshed=*/false,
                      /*is_guess=*/false};
}

absl::StatusOr<std::vector<PlannedInput>> PlanFromRecords(const InputRequest& request,
                                                          const cache::DependencySets& sets,
                                                          const PlanContext& context) {
  std::vector<PlannedInput> plans;
  if (!request.may_include) {
    absl::StatusOr<PlannedInput> only = PlanWith(request, {}, context);
    if (!only.ok()) return only.status();
    plans.push_back(*std::move(only));
    return plans;
  }
  for (const std::string& record : sets.Load(request.digest)) {
    absl::StatusOr<compiler::Dependencies> dependencies = compiler::ParseDependencies(record);
    if (!dependencies.ok()) continue;
    const std::optional<bool> is_changed = Refresh(*dependencies, request.canonical.roots);
    if (!is_changed.has_value()) continue;
    absl::StatusOr<PlannedInput> plan = PlanWith(request, *std::move(dependencies), context);
    if (!plan.ok()) continue;
    plan->refreshed = *is_changed;
    plans.push_back(*std::move(plan));
  }
  return plans;
}

absl::StatusOr<PlannedInput> PlanMostLikely(const InputRequest& request,
                                            const cache::DependencySets& sets,
                                            const PlanContext& context) {
  absl::StatusOr<std::vector<PlannedInput>> plans = PlanFromRecords(request, sets, context);
  if (!plans.ok()) return plans.status();
  if (!plans->empty()) return std::move(plans->front());
  absl::StatusOr<PlannedInput> guess = PlanWith(request, {}, context);
  if (guess.ok()) guess->is_guess = true;
  return guess;
}

void RememberDependencies(const InputRequest& request, const compiler::Dependencies& dependencies,
                          absl::Time read, const cache::DependencySets& sets) {
  const compiler::Dependencies lasting = Lasting(dependencies, read);
  sets.Remember(request.digest, compiler::FormatDependencies(lasting),
                [&](std::string_view older) {
                  const absl::StatusOr<compiler::Dependencies> other =
                      compiler::ParseDependencies(older);
                  return other.ok() && AreOfTheSameFiles(*other, lasting);
                })
      .IgnoreError();
}

cache::DependencySets DependencySetsAt(const StorePaths& paths) {
  return cache::DependencySets(paths.state.empty() ? "" : paths.state + "/dependencies");
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
