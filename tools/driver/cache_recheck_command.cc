#include "tools/driver/cache_recheck_command.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Option.hpp"
#include "CLI/Validators.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/counters.h"
#include "cache/dependency_sets.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "compiler/invocation/invocation.h"
#include "nlohmann/json.hpp"
#include "tools/driver/asked_store.h"
#include "tools/driver/compile_execution.h"
#include "tools/driver/compile_options.h"
#include "tools/driver/crash_report.h"
#include "tools/driver/diagnostics_text.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/input_request.h"
#include "tools/driver/json.h"
#include "tools/driver/plan_input.h"
#include "tools/driver/store.h"
#include "tools/driver/store_command.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {
namespace {

struct RecheckFlags {
  CompileOptions compile;
  std::optional<unsigned> runs;
  bool json = false;
};

// What one run gave, or what is stored.
struct Sample {
  std::string origin;  // "the stored result", "run 2"
  std::string output;
  std::string stderr_text;
  std::string stdout_text;
};

struct Recheck {
  std::string input;
  std::string key;
  absl::Status status;  // why there is no answer
  std::string diagnostics;
  bool has_stored = false;
  std::string found_in;      // of a stored result: AskedPlace::kind
  std::string remote_error;  // why the remote could not say whether it has one
  std::vector<Sample> samples;
  std::vector<std::string> differences;
  bool stored_differs = false;
};

struct RecheckContext {
  const Toolchain& toolchain;
  const cache::Generations& generations;
  cache::DependencySets dependency_sets;
  const AskedStore* store;  // null: nothing is stored
  ExecutionPlaces places;
  absl::Duration time_limit;
  std::optional<unsigned> runs;
};

// Adds the stored result to `recheck`, if there is one, or why nobody knows.
void AddStored(const AskedStore& store, const compiler::CompileAction& plan, Recheck& recheck) {
  FoundResult found =
      FindResult(store, plan.encoded.key, std::vector<std::string>{plan.output_path});
  recheck.remote_error = std::move(found.remote_error);
  if (!found.hit.has_value()) return;
  recheck.has_stored = true;
  recheck.found_in = found.entry.place->kind;
  recheck.samples.push_back({absl::StrCat("the result stored in ", found.entry.place->Describe()),
                             std::move(found.hit->output_files.front().contents),
                             std::move(found.hit->stderr_raw), std::move(found.hit->stdout_raw)});
}

// How `sample` differs from `first` in one of its parts; empty if it does not.
std::string Difference(std::string_view part, const std::string& first_origin,
                       std::string_view first, const std::string& origin, std::string_view bytes) {
  if (first == bytes) return {};
  const auto [a, b] = std::mismatch(first.begin(), first.end(), bytes.begin(), bytes.end());
  return absl::StrCat("the ", part, " of ", origin, " differs from that of ", first_origin,
                      " from offset ", a - first.begin(), " on: ", cache::Sha256(bytes).ToString(),
                      ", not ", cache::Sha256(first).ToString());
}

std::string FirstDifference(const Sample& first, const Sample& other) {
  std::string difference =
      Difference("output", first.origin, first.output, other.origin, other.output);
  if (difference.empty()) {
    difference = Difference("standard error", first.origin, first.stderr_text, other.origin,
                            other.stderr_text);
  }
  if (difference.empty()) {
    difference = Difference("standard output", first.origin, first.stdout_text, other.origin,
                            other.stdout_text);
  }
  return difference;
}

absl::Status Run(const RecheckContext& context, const InputRequest& input, std::string origin,
                 Recheck& recheck) {
  const absl::StatusOr<ExecutionRequest> request =
      RequestFor(context.toolchain, input, context.time_limit);
  if (!request.ok()) return request.status();
  const absl::StatusOr<Executed> executed = ExecuteSomewhere(context.places, *request);
  if (!executed.ok()) return absl::InternalError(executed.status().message());
  const ExecutionResult& result = executed->result;
  if (!IsUnchanged(context.toolchain)) {
    return absl::InternalError(
        absl::StrCat(context.toolchain.compile_tool, " changed meanwhile; try again"));
  }
  if (const std::string* output = OutputOf(result, input.canonical.output_path)) {
    recheck.samples.push_back({std::move(origin), *output, result.stderr_text, result.stdout_text});
    return absl::OkStatus();
  }
  if (!InputWasRejected(result)) {
    return absl::InternalError(
        absl::StrCat(recheck.input, ": ", DescribeCrash(result, context.time_limit)));
  }
  recheck.diagnostics = DiagnosticsForUser(result.stderr_text, input.canonical, /*color=*/false);
  return absl::FailedPreconditionError(
      absl::StrCat(recheck.input, " cannot be compiled",
                   recheck.samples.empty() ? "" : ", and it could before"));
}

Recheck RecheckInput(const RecheckContext& context, const compiler::Invocation& invocation) {
  Recheck recheck{.input = invocation.inputs.front()};
  const absl::StatusOr<InputRequest> request = ReadRequest(invocation, context.toolchain);
  if (!request.ok()) {
    recheck.status = request.status();
    return recheck;
  }
  const absl::StatusOr<PlannedInput> planned =
      PlanMostLikely(*request, context.dependency_sets, {context.toolchain, context.generations});
  if (!planned.ok()) {
    recheck.status = planned.status();
    return recheck;
  }
  recheck.key = planned->plan.encoded.key.ToString();
  if (context.store != nullptr) AddStored(*context.store, planned->plan, recheck);
  const unsigned runs = context.runs.value_or(recheck.has_stored ? 1 : 2);
  for (unsigned run = 1; run <= runs; ++run) {
    recheck.status = Run(context, *request, absl::StrCat("run ", run), recheck);
    if (!recheck.status.ok()) break;
  }
  for (std::size_t i = 1; i < recheck.samples.size(); ++i) {
    std::string difference = FirstDifference(recheck.samples.front(), recheck.samples[i]);
    if (difference.empty()) continue;
    recheck.differences.push_back(std::move(difference));
    recheck.stored_differs = recheck.has_stored;
  }
  return recheck;
}

int ExitCodeOf(const Recheck& recheck) {
  const int exit_code = ExitCodeFor(recheck.status);
  return exit_code == kSuccess && !recheck.differences.empty() ? kProgramError : exit_code;
}

nlohmann::json ToJson(const Recheck& recheck) {
  nlohmann::json runs = nlohmann::json::array();
  for (const Sample& sample : recheck.samples) {
    runs.push_back({{"origin", sample.origin},
                    {"output", cache::Sha256(sample.output).ToString()},
                    {"stderr", cache::Sha256(sample.stderr_text).ToString()},
                    {"stdout", cache::Sha256(sample.stdout_text).ToString()}});
  }
  nlohmann::json json = {{"input", recheck.input},
                         {"key", recheck.key},
                         {"exit_code", ExitCodeOf(recheck)},
                         {"stored", recheck.has_stored},
                         {"runs", runs},
                         {"differences", recheck.differences},
                         {"same", recheck.status.ok() && recheck.differences.empty()}};
  if (recheck.has_stored) json["found_in"] = recheck.found_in;
  if (!recheck.remote_error.empty()) json["remote_error"] = recheck.remote_error;
  if (!recheck.status.ok()) json["error"] = recheck.status.message();
  if (!recheck.diagnostics.empty()) json["diagnostics"] = recheck.diagnostics;
  return json;
}

void PrintText(const Environment& environment, const Recheck& recheck) {
  environment.err << recheck.diagnostics;
  if (!recheck.remote_error.empty()) {
    environment.err << "ingot: warning: " << RemoteErrorText(recheck.remote_error)
                    << "; a result that only the remote cache has was not compared with\n";
  }
  if (!recheck.status.ok()) {
    environment.err << "ingot: error: " << recheck.status.message() << "\n";
  }
  if (recheck.samples.size() > 1) {
    environment.out << recheck.input << ": "
                    << (recheck.differences.empty() ? "the same bytes each time"
                                                    : "NOT the same bytes each time")
                    << "\n";
  }
  for (const Sample& sample : recheck.samples) {
    environment.out << "  " << cache::Sha256(sample.output) << "  " << sample.origin << "\n";
  }
  for (const std::string& difference : recheck.differences) {
    environment.out << "  " << difference << "\n";
  }
}

int RunRecheck(const Environment& environment, const RecheckFlags& flags) {
  const absl::StatusOr<std::vector<compiler::Invocation>> invocations = Invocations(flags.compile);
  if (!invocations.ok()) return FailStoreCommand(environment, flags.json, invocations.status());
  const absl::StatusOr<absl::Duration> time_limit = TimeLimit(flags.compile);
  if (!time_limit.ok()) return FailStoreCommand(environment, flags.json, time_limit.status());
  const StorePaths paths = FindStore(environment, flags.compile.store);
  const absl::StatusOr<Toolchain> toolchain = LoadToolchain(environment, flags.compile, paths);
  if (!toolchain.ok()) return FailStoreCommand(environment, flags.json, toolchain.status());
  const absl::StatusOr<cache::Generations> generations = LoadGenerations(paths);
  if (!generations.ok()) return FailStoreCommand(environment, flags.json, generations.status());
  // Without a store there is nothing to compare with but another run.
  const absl::StatusOr<std::optional<AskedStore>> store =
      OpenToAskIfAny(environment, paths, flags.compile.store.remote);
  if (!store.ok()) return FailStoreCommand(environment, flags.json, store.status());
  const RecheckContext context{.toolchain = *toolchain,
                               .generations = *generations,
                               .dependency_sets = DependencySetsAt(paths),
                               .store = store->has_value() ? &**store : nullptr,
                               .places = PlacesFor(environment, paths),
                               .time_limit = *time_limit,
                               .runs = flags.runs};
  int exit_code = kSuccess;
  uint64_t conflicts = 0;
  nlohmann::json results = nlohmann::json::array();
  for (const compiler::Invocation& invocation : *invocations) {
    const Recheck recheck = RecheckInput(context, invocation);
    exit_code = std::max(exit_code, ExitCodeOf(recheck));
    if (recheck.stored_differs) ++conflicts;
    if (flags.json) {
      results.push_back(ToJson(recheck));
    } else {
      PrintText(environment, recheck);
    }
  }
  if (conflicts > 0) {
    const std::optional<Store> counted = OpenStore(paths);
    if (counted.has_value() && counted->counters.has_value()) {
      cache::Counters counters = *counted->counters;
      counters.Add({{cache::Counter::kConflict, conflicts}}).IgnoreError();
    }
  }
  if (flags.json) {
    PrintJson(environment.out, {{"schema", 1}, {"exit_code", exit_code}, {"results", results}});
  }
  return exit_code;
}

}  // namespace

void AddCacheRecheckCommand(CLI::App& cache, const Environment& environment, int& exit_code) {
  CLI::App* command =
      cache.add_subcommand("recheck", "Compile again and compare with what is stored");
  auto flags = std::make_shared<RecheckFlags>();
  AddCompileOptions(*command, flags->compile, "LLVM IR files (.ll, .bc); - is standard input");
  command
      ->add_option("--runs", flags->runs,
                   "How often to compile (default: once against a stored result, else twice)")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000U))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  command->add_flag("--json", flags->json, "Show it as JSON");
  command->footer(
      "Finds compilations that are not deterministic, and wrong results in a store or in a remote\n"
      "cache, which is asked where this machine has no result. Nothing is stored and no output is\n"
      "written.\n\n"
      "Examples:\n"
      "  ingot cache recheck saxpy.ll --target=nvptx64 --cpu=sm_90\n"
      "  ingot cache recheck *.ll --target=avr --runs=5\n\n"
      "Exit codes: 0 the same bytes each time; 1 not, or the input is wrong; 2 usage; 3 Ingot's "
      "own "
      "failure.");
  command->callback(
      [&environment, &exit_code, flags] { exit_code = RunRecheck(environment, *flags); });
}

}  // namespace ingot::driver
