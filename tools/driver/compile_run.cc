#include "tools/driver/compile_run.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "cache/counters.h"
#include "cache/generations.h"
#include "cache/local/collection_schedule.h"
#include "cache/lookup.h"
#include "cache/tiered_cache.h"
#include "compiler/invocation/invocation.h"
#include "tools/driver/collection_options.h"
#include "tools/driver/compile_job.h"
#include "tools/driver/compile_options.h"
#include "tools/driver/environment.h"
#include "tools/driver/plan_input.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {
namespace {

std::string Milliseconds(absl::Duration duration) {
  return absl::StrFormat("%.1f ms", absl::ToDoubleMilliseconds(duration));
}

std::vector<CompileOutcome> CompileAll(const CompileContext& context,
                                       std::span<const compiler::Invocation> invocations,
                                       unsigned jobs, CompileObserver& observer) {
  std::vector<CompileOutcome> outcomes(invocations.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < invocations.size(); i = next++) {
      observer.Started(invocations[i].inputs.front());
      outcomes[i] = Compile(context, invocations[i]);
      observer.Finished(outcomes[i]);
    }
  };
  if (jobs == 0 && invocations.size() > 1) jobs = std::thread::hardware_concurrency();
  const std::size_t threads = std::min<std::size_t>(jobs, invocations.size());
  // The calling thread works too: one input, the usual case, starts no thread.
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // No more threads are to be had: those that there are will do.
  }
  work();
  others.clear();
  return outcomes;
}

}  // namespace

absl::StatusOr<CompileRunResult> RunCompilations(const CompileRunRequest& request,
                                                 std::span<const compiler::Invocation> invocations,
                                                 CompileObserver& observer) {
  const Environment& environment = request.environment;
  const CompileOptions& options = request.options;
  const absl::StatusOr<absl::Duration> time_limit = TimeLimit(options);
  if (!time_limit.ok()) return time_limit.status();
  const absl::StatusOr<cache::CollectionLimits> limits = ParseCollectionOptions(request.collection);
  if (!limits.ok()) return limits.status();

  StorePaths paths = FindStore(environment, options.store);
  const absl::StatusOr<Toolchain> toolchain = LoadToolchain(environment, options, paths);
  if (!toolchain.ok()) return toolchain.status();
  absl::StatusOr<std::optional<Store>> opened =
      OpenStoreWithRemote(environment, paths, options.store.remote);
  if (!opened.ok()) return opened.status();
  std::optional<Store>& store = *opened;
  absl::StatusOr<cache::Generations> generations = cache::Generations();
  if (store.has_value()) generations = LoadGenerations(paths);
  if (!generations.ok()) {
    // A result that was disowned may be among those in the store.
    if (store->counters.has_value()) {
      store->counters->Add({{cache::Counter::kGenerationsUnreadable}}).IgnoreError();
    }
    paths.store_problem = std::string(generations.status().message());
    store.reset();
    generations = cache::Generations();
  }
  std::optional<cache::TieredCache> tiered;
  if (store.has_value()) tiered.emplace(store->Tiers());

  const CompileContext context{
      .toolchain = *toolchain,
      .store = store.has_value() ? &*store : nullptr,
      .cache = tiered.has_value() ? &*tiered : nullptr,
      .generations = *generations,
      .dependency_sets = DependencySetsAt(paths),
      .places = PlacesFor(environment, paths),
      .time_limit = *time_limit,
      .color = request.color,
  };
  CompileRunResult result;
  result.store_problem = paths.store_problem;
  if (!paths.store_problem.empty()) {
    observer.Warn(absl::StrCat("compiling without a cache: ", paths.store_problem));
  }
  result.outcomes = CompileAll(context, invocations, options.jobs, observer);
  int64_t bytes_stored = 0;
  for (const CompileOutcome& outcome : result.outcomes) bytes_stored += outcome.bytes_stored;
  result.collection_problem = CollectIfDue(paths, *limits, bytes_stored);
  if (result.collection_problem.has_value()) observer.Warn(*result.collection_problem);
  return result;
}

std::string_view CacheWord(const CompileOutcome& outcome) {
  if (outcome.hit) return "hit";
  return outcome.miss.has_value() ? "miss" : "off";
}

std::string DescribeOutcome(const CompileOutcome& outcome, bool verbose) {
  std::string line =
      absl::StrFormat("%-4s  %s -> %s  %s", outcome.status.ok() ? CacheWord(outcome) : "fail",
                      outcome.input, outcome.output, Milliseconds(outcome.elapsed));
  if (!verbose) return line + "\n";
  absl::StrAppend(&line, "\n      key ", outcome.key.empty() ? "(none)" : outcome.key, "\n      ");
  if (outcome.hit) {
    absl::StrAppend(&line, "found in ", outcome.hit_from, "; saves ",
                    Milliseconds(outcome.compile_time));
  } else if (outcome.miss.has_value()) {
    absl::StrAppend(&line, "not taken from the store: ", cache::MissReasonName(*outcome.miss),
                    "; compiled in ", Milliseconds(outcome.compile_time),
                    outcome.published        ? "; stored"
                    : outcome.already_stored ? "; another has stored the same meanwhile"
                                             : "; not stored");
  } else if (!outcome.key.empty()) {
    absl::StrAppend(&line, "no store in use; compiled in ", Milliseconds(outcome.compile_time));
  } else {
    absl::StrAppend(&line, "not compiled");
  }
  return line + "\n";
}

}  // namespace ingot::driver
