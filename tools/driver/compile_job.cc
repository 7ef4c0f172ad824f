#include "tools/driver/compile_job.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/counters.h"
#include "cache/digest.h"
#include "cache/history.h"
#include "cache/in_flight.h"
#include "cache/lookup.h"
#include "cache/not_asked.h"
#include "cache/reapi.h"
#include "cache/tiered_cache.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/invocation/invocation.h"
#include "targets/record.h"
#include "tools/driver/compile_execution.h"
#include "tools/driver/crash_report.h"
#include "tools/driver/dependency_check.h"
#include "tools/driver/diagnostics_text.h"
#include "tools/driver/files.h"
#include "tools/driver/input_request.h"
#include "tools/driver/local_execution.h"
#include "tools/driver/plan_input.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"
#include "tools/driver/work_directory.h"

namespace ingot::driver {
namespace {

using cache::Counter;
using cache::CounterDelta;
using cache::MissReason;

void SetTimestamp(absl::Time time, google::protobuf::Timestamp& timestamp) {
  const int64_t nanoseconds = absl::ToUnixNanos(time);
  timestamp.set_seconds(nanoseconds / 1'000'000'000);
  timestamp.set_nanos(static_cast<int32_t>(nanoseconds % 1'000'000'000));
}

absl::Time FromTimestamp(const google::protobuf::Timestamp& timestamp) {
  return absl::FromUnixSeconds(timestamp.seconds()) + absl::Nanoseconds(timestamp.nanos());
}

absl::Duration ExecutionTime(const cache::reapi::ExecutedActionMetadata& metadata) {
  return FromTimestamp(metadata.execution_completed_timestamp()) -
         FromTimestamp(metadata.execution_start_timestamp());
}

// A job on its way; the steps fill in the outcome.
class Job {
 public:
  Job(const CompileContext& context, const compiler::Invocation& invocation)
      : context_(context), invocation_(invocation) {
    outcome_.input = invocation.inputs.front();
    outcome_.output = invocation.output;
  }

  CompileOutcome Run() {
    const absl::Time start = absl::Now();
    outcome_.status = RunSteps();
    if (context_.store != nullptr && context_.store->counters.has_value() && !deltas_.empty()) {
      // A statistic that cannot be written is lost; nothing depends on it.
      context_.store->counters->Add(deltas_).IgnoreError();
    }
    outcome_.elapsed = absl::Now() - start;
    return std::move(outcome_);
  }

 private:
  absl::Status RunSteps() {
    absl::StatusOr<InputRequest> request = ReadRequest(invocation_, context_.toolchain);
    if (!request.ok()) return request.status();
    request_ = *std::move(request);
    if (std::optional<cache::CachedResult> hit = LookUp()) {
      outcome_.hit = true;
      outcome_.compile_time = ExecutionTime(hit->execution_metadata);
      outcome_.diagnostics = ForUser(hit->stderr_raw);
      NoteIncluded(planned_->dependencies);
      return Deliver(hit->output_files.front().contents);
    }
    return CompileAndPublish();
  }

  PlanContext Plan() const { return {context_.toolchain, context_.generations}; }

  std::string ForUser(std::string_view diagnostics) const {
    return DiagnosticsForUser(diagnostics, request_.canonical, context_.color);
  }

  absl::Status Deliver(const std::string& output) const {
    return request_.canonical.invocation.emit == targets::EmitKind::kPreprocessed
               ? WriteOutput(outcome_.output, PreprocessedForUser(output, request_.canonical))
               : WriteOutput(outcome_.output, output);
  }

  void NoteIncluded(const compiler::Dependencies& dependencies) {
    outcome_.included_is_known = true;
    for (const compiler::ReadFile& file : dependencies.files) {
      outcome_.included.push_back({UserPath(file.requested, request_.canonical), file.system});
    }
  }

  void Adopt(PlannedInput planned) {
    planned_ = std::move(planned);
    outcome_.key = planned_->plan.encoded.key.ToString();
  }

  std::optional<cache::CachedResult> LookUp() {
    if (context_.store != nullptr) {
      for (const std::string& refusal : context_.store->refusals) {
        outcome_.warnings.push_back(refusal);
        deltas_.push_back({Counter::kStoreRefused});
      }
    }
    const bool asks = context_.cache != nullptr && !context_.cache->tiers().empty();
    if (!asks && request_.may_include) return std::nullopt;
    absl::Status status = AskForRecorded(asks ? SIZE_MAX : 0);
    if (!status.ok() || !asks) return std::nullopt;
    if (!found_.hit.has_value()) WaitForEqual();
    if (!found_.hit.has_value()) ScanAndAsk();
    deltas_.push_back(
        {cache::CounterFor(found_.hit.has_value() ? MissReason::kNone : ReasonForMiss())});
    WarnAboutLookup();
    if (!found_.hit.has_value()) {
      outcome_.miss = ReasonForMiss();
      return std::nullopt;
    }
    outcome_.hit_from = context_.cache->tiers()[found_.hit_tier].name;
    deltas_.push_back(
        {found_.hit_kind == cache::TierKind::kRemote ? Counter::kHitRemote : Counter::kHitLocal});
    if (found_.copies > 0) {
      deltas_.push_back({Counter::kCopied});
      RecordPublication(*context_.store,
                        found_.repaired > 0 ? cache::HistoryEventKind::kRepaired
                                            : cache::HistoryEventKind::kCopied,
                        planned_->plan.encoded.key, outcome_.input, outcome_.output);
    }
    outcome_.bytes_stored += found_.bytes_written;
    if (found_.bytes_written > 0) {
      deltas_.push_back({Counter::kBytesWritten, static_cast<uint64_t>(found_.bytes_written)});
    }
    deltas_.push_back({Counter::kBytesRead, found_.hit->output_files.front().contents.size()});
    return std::move(found_.hit);
  }

  // A source of which no record is left, or none that applies, was not asked for at all.
  MissReason ReasonForMiss() const {
    return found_.misses.empty() ? MissReason::kNotFound : found_.Reason();
  }

  void Ask(std::size_t tier_limit) {
    const std::vector<std::string> outputs = {planned_->plan.output_path};
    found_ = context_.cache->Lookup(
        {planned_->plan.encoded, planned_->plan.input_root.directories, outputs}, tier_limit);
    asked_ = planned_->plan.encoded.key;
  }

  // Asks for each Action that the records speak of, until there is a hit.
  absl::Status AskForRecorded(std::size_t tier_limit) {
    const absl::Time now = absl::Now();
    absl::StatusOr<std::vector<PlannedInput>> plans =
        PlanFromRecords(request_, context_.dependency_sets, Plan());
    if (!plans.ok()) return plans.status();
    for (PlannedInput& planned : *plans) {
      Adopt(std::move(planned));
      if (tier_limit == 0) return absl::OkStatus();
      Ask(tier_limit);
      if (!found_.hit.has_value()) continue;
      // What had to be read again need not be the next time.
      if (request_.may_include && planned_->refreshed) {
        RememberDependencies(request_, planned_->dependencies, now, context_.dependency_sets);
      }
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  // A result that others have made is worth knowing what this source includes; where only this
  // machine's results are asked for, the compilation itself finds that out.
  void ScanAndAsk() {
    if (!request_.may_include || !context_.cache->HasSharedTier()) return;
    const absl::StatusOr<ExecutionRequest> request =
        RequestFor(context_.toolchain, request_, context_.time_limit, ToolRun::kScan);
    if (!request.ok()) return;
    const absl::StatusOr<Executed> executed = ExecuteSomewhere(context_.places, *request);
    if (!executed.ok() || executed->result.signal != 0 || executed->result.exit_code != 0) return;
    absl::StatusOr<compiler::Dependencies> dependencies = DependenciesOf(executed->result);
    if (!dependencies.ok()) return;
    absl::StatusOr<PlannedInput> planned = PlanWith(request_, *std::move(dependencies), Plan());
    if (!planned.ok() || planned->plan.encoded.key == asked_) return;
    Adopt(*std::move(planned));
    Ask(SIZE_MAX);
    if (found_.hit.has_value()) {
      RememberDependencies(request_, planned_->dependencies, executed->start,
                           context_.dependency_sets);
    }
  }

  // Whoever else compiles the same at this moment will have published it when the claim is ours.
  // Looking again is due even if there was nobody to wait for: an equal compilation may have ended
  // between our first look and our claim.
  void WaitForEqual() {
    const cache::Tier& first = context_.cache->tiers().front();
    if (context_.store->state_folder.empty() || first.kind != cache::TierKind::kLocal ||
        !first.writable ||
        (!found_.misses.empty() && found_.misses.front().reason == MissReason::kStoreError)) {
      return;
    }
    using Outcome = cache::InFlightClaim::Outcome;
    const cache::ActionKey claimed =
        request_.may_include ? cache::ActionKey(request_.digest) : planned_->plan.encoded.key;
    claim_.emplace(cache::ClaimInFlight(context_.store->state_folder + "/in_flight", claimed,
                                        cache::kInFlightWait));
    outcome_.waited =
        claim_->outcome() == Outcome::kWaited || claim_->outcome() == Outcome::kTimedOut;
    if (outcome_.waited) deltas_.push_back({Counter::kWaited});
    if (claim_->outcome() == Outcome::kTimedOut) deltas_.push_back({Counter::kWaitTimedOut});
    if (claim_->outcome() == Outcome::kUnavailable) return;
    cache::TieredLookup before = std::move(found_);
    AskForRecorded(/*tier_limit=*/1).IgnoreError();
    if (!found_.hit.has_value()) {
      // Whoever it was did not publish, and this compilation may end like that one: the others that
      // wait must not wait for it too.
      if (claim_->outcome() == Outcome::kWaited) claim_.reset();
      found_ = std::move(before);
      return;
    }
    claim_.reset();
  }

  void WarnAboutLookup() {
    const std::span<const cache::Tier> tiers = context_.cache->tiers();
    for (std::size_t i = 0; i < found_.misses.size(); ++i) {
      const cache::TierMiss& miss = found_.misses[i];
      if (cache::NeedsOverwrite(miss.reason)) {
        outcome_.warnings.push_back(
            absl::StrCat("bad cache entry, ",
                         !tiers[i].writable ? "in a store that is only read"
                         : found_.hit.has_value()
                             ? absl::StrCat("replacing it by that of ", tiers[found_.hit_tier].name)
                             : "compiling again and replacing it",
                         ": ", miss.message));
      } else if (miss.reason == MissReason::kStoreError && !miss.not_asked) {
        deltas_.push_back({Counter::kStoreFault});
        outcome_.warnings.push_back(
            absl::StrCat(tiers[i].kind == cache::TierKind::kRemote
                             ? "the remote cache cannot be used: "
                             : "the cache cannot be used, compiling without it: ",
                         miss.message));
      }
    }
    const auto warn_of_description = [this](Counter counter, const std::string& what) {
      deltas_.push_back({counter});
      outcome_.warnings.push_back(
          absl::StrCat("the result is good, but what describes it was not: ", what));
    };
    for (const std::string& repair : found_.description.repaired) {
      warn_of_description(Counter::kRepaired, repair);
    }
    for (const std::string& fault : found_.description.failed) {
      warn_of_description(Counter::kStoreFault, fault);
    }
    if (found_.repaired > 0) {
      deltas_.push_back({Counter::kRepaired, static_cast<uint64_t>(found_.repaired)});
    }
    for (const std::string& conflict : found_.conflicts) WarnOfConflict(conflict);
    for (const std::string& fault : found_.copy_faults) {
      deltas_.push_back({Counter::kStoreFault});
      outcome_.warnings.push_back(fault);
    }
  }

  void WarnOfConflict(std::string_view difference) {
    deltas_.push_back({Counter::kConflict});
    outcome_.warnings.push_back(absl::StrCat(
        "two different results for one key: either the compilation is not deterministic or "
        "somebody wrote a wrong entry: ",
        difference));
  }

  absl::Status CompileAndPublish() {
    const absl::StatusOr<ExecutionRequest> request =
        RequestFor(context_.toolchain, request_, context_.time_limit);
    if (!request.ok()) return request.status();
    absl::StatusOr<Executed> executed = ExecuteSomewhere(context_.places, *request);
    if (!executed.ok()) return absl::InternalError(executed.status().message());
    const ExecutionResult* result = &executed->result;
    outcome_.compile_time = executed->end - executed->start;

    const std::string* output = OutputOf(*result, request_.canonical.output_path);
    if (output == nullptr) {
      claim_.reset();  // there will be nothing to wait for
      if (InputWasRejected(*result)) {
        deltas_.push_back({Counter::kCompileFailed});
        outcome_.diagnostics = ForUser(result->stderr_text);
        return absl::FailedPreconditionError("");  // the diagnostics say it all
      }
      return ReportCrash(*result, *request, std::move(executed->work));
    }
    outcome_.diagnostics = ForUser(result->stderr_text);
    const absl::Status planned = PlanFromRun(*executed);
    if (absl::Status status = Deliver(*output); !status.ok()) return status;
    if (planned.ok()) {
      Publish(*result, *output, executed->start, executed->end);
    } else if (context_.cache != nullptr) {
      deltas_.push_back({Counter::kUncacheable});
      outcome_.warnings.push_back(absl::StrCat("the result was not stored: ", planned.message()));
    }
    return absl::OkStatus();
  }

  // Makes the plan that belongs to a compilation from what it read. An error, for people, if there
  // is none under which its result may be stored.
  absl::Status PlanFromRun(const Executed& executed) {
    if (!request_.may_include) {
      NoteIncluded({});
      return absl::OkStatus();
    }
    absl::StatusOr<compiler::Dependencies> dependencies = DependenciesOf(executed.result);
    if (!dependencies.ok()) return dependencies.status();
    NoteIncluded(*dependencies);
    absl::StatusOr<PlannedInput> planned = PlanWith(request_, *std::move(dependencies), Plan());
    if (!planned.ok()) return planned.status();
    Adopt(*std::move(planned));
    return absl::OkStatus();
  }

  absl::Status ReportCrash(const ExecutionResult& result, const ExecutionRequest& request,
                           WorkDirectory work) {
    deltas_.push_back({Counter::kToolCrashed});
    outcome_.crashed = true;
    std::string message =
        absl::StrCat(outcome_.input, ": ", DescribeCrash(result, context_.time_limit));
    if (!context_.places.state.empty()) {
      absl::StatusOr<std::string> reproducer = KeepReproducer(
          std::move(work), request, context_.places.state + "/crashes", NameOfReproducer());
      if (reproducer.ok()) {
        outcome_.reproducer = *std::move(reproducer);
        absl::StrAppend(&message, "\n  to see it again: ", outcome_.reproducer);
      }
    }
    return absl::InternalError(message);
  }

  std::string NameOfReproducer() const {
    const std::string& hash =
        request_.may_include ? request_.digest.hash : planned_->plan.encoded.key.hash();
    return hash.substr(0, 16);
  }

  // Whether an input is not the one any more that the compiler read: the compile tool replaced
  // between its digest and its start, or a header edited meanwhile.
  std::string ChangedInput() const {
    if (!IsUnchanged(context_.toolchain)) return context_.toolchain.compile_tool;
    if (request_.may_include && !IsCurrent(planned_->dependencies, request_.canonical.roots)) {
      return "a file that it includes";
    }
    return {};
  }

  void Publish(const ExecutionResult& result, const std::string& output, absl::Time start,
               absl::Time end) {
    if (context_.cache == nullptr || !outcome_.miss.has_value()) return;
    if (const std::string changed = ChangedInput(); !changed.empty()) {
      deltas_.push_back({Counter::kInputChanged});
      outcome_.warnings.push_back(
          absl::StrCat("the result was not stored: ", changed, " changed meanwhile"));
      return;
    }
    if (planned_->plan.encoded.key != asked_) {
      Ask(SIZE_MAX);
      if (!found_.hit.has_value()) WarnAboutLookup();
    }
    const std::vector<cache::OutputContents> outputs = {
        {planned_->plan.output_path, output, false}};
    cache::PublishRequest request{.action = planned_->plan.encoded,
                                  .input_directories = planned_->plan.input_root.directories,
                                  .output_files = outputs,
                                  .stdout_raw = result.stdout_text,
                                  .stderr_raw = result.stderr_text};
    SetTimestamp(start, *request.execution_metadata.mutable_execution_start_timestamp());
    SetTimestamp(end, *request.execution_metadata.mutable_execution_completed_timestamp());
    bool overwritten = false;
    bool is_in_local_store = false;
    int64_t bytes_written = 0;
    // Equal compilations wait for the store of this machine, not for the upload after it.
    // They look for the result by the record.
    bool remembered = !request_.may_include;
    const auto remember = [&] {
      if (remembered) return;
      RememberDependencies(request_, planned_->dependencies, start, context_.dependency_sets);
      remembered = true;
    };
    const auto end_claim = [&](const cache::TierPublish& published) {
      if (context_.cache->tiers()[published.tier].kind != cache::TierKind::kLocal) return;
      if (published.status.ok()) remember();
      claim_.reset();
    };
    for (const cache::TierPublish& published :
         context_.cache->Publish(request, found_, end_claim)) {
      if (cache::WasNotAsked(published.status)) continue;
      if (!published.status.ok()) {
        deltas_.push_back({Counter::kPublishFailed});
        outcome_.warnings.push_back(
            absl::StrCat("the result was not stored: ", published.status.message()));
        continue;
      }
      if (published.result.different_result) {
        WarnOfConflict(published.result.difference);
        if (!published.overwritten) continue;
      }
      if (published.result.already_present) {
        outcome_.already_stored = true;
      } else {
        outcome_.published = true;
      }
      overwritten = overwritten || published.overwritten;
      bytes_written += published.result.bytes_written;
      if (context_.cache->tiers()[published.tier].kind == cache::TierKind::kLocal) {
        is_in_local_store = true;
        outcome_.bytes_stored += published.result.bytes_written;
      }
    }
    if (outcome_.published || outcome_.already_stored) remember();
    if (outcome_.published) {
      outcome_.already_stored = false;
      deltas_.push_back({Counter::kPublished});
    }
    if (bytes_written > 0) {
      deltas_.push_back({Counter::kBytesWritten, static_cast<uint64_t>(bytes_written)});
    }
    if (overwritten) deltas_.push_back({Counter::kRepaired});
    // Also what was there already: the history says for which input each key was.
    if (is_in_local_store) {
      RecordPublication(
          *context_.store,
          overwritten ? cache::HistoryEventKind::kRepaired : cache::HistoryEventKind::kPublished,
          planned_->plan.encoded.key, outcome_.input, outcome_.output);
    }
  }

  const CompileContext& context_;
  const compiler::Invocation& invocation_;
  CompileOutcome outcome_;
  InputRequest request_;
  // The Action that was asked for last, or that the compilation turned out to be.
  std::optional<PlannedInput> planned_;
  std::optional<cache::ActionKey> asked_;  // what `found_` is the answer about
  cache::TieredLookup found_;
  std::optional<cache::InFlightClaim> claim_;  // held until others can have the result, or cannot
  std::vector<CounterDelta> deltas_;
};

}  // namespace

CompileOutcome Compile(const CompileContext& context, const compiler::Invocation& invocation) {
  return Job(context, invocation).Run();
}

}  // namespace ingot::driver
