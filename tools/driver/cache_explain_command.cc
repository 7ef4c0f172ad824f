#include "tools/driver/cache_explain_command.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "cache/action.h"
#include "cache/dependency_sets.h"
#include "cache/description.h"
#include "cache/difference.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/history.h"
#include "compiler/invocation/invocation.h"
#include "compiler/plan/compile_action.h"
#include "nlohmann/json.hpp"
#include "tools/driver/asked_store.h"
#include "tools/driver/compile_options.h"
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

struct ExplainFlags {
  CompileOptions compile;
  bool all = false;
  bool json = false;
};

// Of how many earlier requests the nearest is looked for, and how many salts back.
constexpr std::size_t kMostEarlierRequests = 32;
constexpr std::size_t kMostEarlierSalts = 64;

// Of how many of those a remote cache is asked too: each takes a round trip or more.
constexpr std::size_t kMostAskedOfRemote = 4;

// An earlier request and how the one that was asked about differs from it.
struct Earlier {
  std::string key;
  std::optional<absl::Time> time;
  std::vector<cache::Difference> differences;
};

// The answer about one input or key.
struct Explanation {
  std::string subject;  // the input, or the key
  std::string key;
  KeyAnswer answer;
  std::optional<Earlier> nearest;
};

// --- What to say of a request made now.

std::optional<Earlier> CompareWith(const AskedStore& store, const cache::HistoryEvent& event,
                                   const cache::Description& now, Reach reach) {
  const absl::StatusOr<cache::Digest> digest = cache::Digest::Parse(event.key);
  if (!digest.ok()) return std::nullopt;
  const absl::StatusOr<cache::Description> then = Describe(store, cache::ActionKey(*digest), reach);
  if (!then.ok()) return std::nullopt;
  return Earlier{event.key, event.time, cache::Compare(*then, now)};
}

bool HasFileOf(const cache::Description& description, const cache::Digest& digest) {
  return std::any_of(description.files.begin(), description.files.end(),
                     [&](const auto& file) { return file.second.digest == digest; });
}

// The earlier request that differs least, of those for the same input or, if there is none, of
// those for the same contents under another name. The later of two that are equally near.
std::optional<Earlier> FindNearest(const AskedStore& store, const InputRequest& request,
                                   const PlannedInput& planned) {
  const absl::StatusOr<cache::Description> now =
      cache::DescribeAction(planned.plan.encoded, planned.plan.input_root);
  if (!now.ok()) return std::nullopt;
  std::optional<Earlier> nearest;
  const auto consider = [&](const cache::HistoryEvent& event, Reach reach) {
    std::optional<Earlier> earlier = CompareWith(store, event, *now, reach);
    if (earlier.has_value() &&
        (!nearest.has_value() || earlier->differences.size() < nearest->differences.size())) {
      nearest = std::move(earlier);
    }
  };
  for (const cache::HistoryEvent* event : store.history.PublicationsFor(
           NameInHistory(request.canonical.user_source), kMostEarlierRequests)) {
    consider(*event, Reach::kThisMachine);
  }
  if (nearest.has_value()) return nearest;
  // What describes them may have been evicted here.
  if (store.remote != nullptr) {
    for (const cache::HistoryEvent* event : store.history.PublicationsFor(
             NameInHistory(request.canonical.user_source), kMostAskedOfRemote)) {
      consider(*event, Reach::kRemote);
    }
    if (nearest.has_value()) return nearest;
  }
  const cache::Digest& contents = request.source;
  std::set<std::string_view> seen;
  const auto& events = store.history.events;
  for (auto event = events.rbegin(); event != events.rend() && seen.size() < kMostEarlierRequests;
       ++event) {
    const absl::StatusOr<cache::Digest> digest = cache::Digest::Parse(event->key);
    if (!digest.ok() || !seen.insert(event->key).second) continue;
    const absl::StatusOr<cache::Description> then =
        Describe(store, cache::ActionKey(*digest), Reach::kThisMachine);
    if (then.ok() && HasFileOf(*then, contents)) consider(*event, Reach::kThisMachine);
  }
  return nearest;
}

// Why and when a key of `target` lost its validity.
KeyAnswer Disowned(const cache::Generations& generations, const std::string& target,
                   const cache::ActionKey& key) {
  KeyAnswer answer{.state = KeyState::kDisowned, .text = {}, .time = std::nullopt, .notes = {}};
  std::string what = "by its key";
  if (const auto found = generations.keys.find(key.hash()); found != generations.keys.end()) {
    answer.time = found->second;
  } else {
    answer.time = generations.global.since;
    what = absl::StrCat("with everything; this is generation ", generations.global.number);
    const auto of_target = generations.targets.find(target);
    if (of_target != generations.targets.end() &&
        (generations.global.number == 0 || of_target->second.since > *answer.time)) {
      answer.time = of_target->second.since;
      what = absl::StrCat("with everything for ", target, "; this is its generation ",
                          of_target->second.number);
    }
  }
  answer.text = absl::StrCat("the result ", key.ToString(), " was disowned ",
                             FormatForPeople(*answer.time), ", ", what);
  return answer;
}

// Whether what would be a hit was disowned: the key that this request had before.
std::optional<KeyAnswer> FindDisowned(const AskedStore& store,
                                      const cache::Generations& generations,
                                      const std::string& target,
                                      const compiler::CompileAction& plan) {
  cache::ActionSpec spec = plan.spec;
  std::size_t asked = 0;
  for (const std::string& salt :
       generations.EarlierSalts(compiler::kBaseSalt, target, plan.hops, kMostEarlierSalts)) {
    spec.salt = salt;
    const absl::StatusOr<cache::EncodedAction> earlier = cache::EncodeAction(spec);
    if (!earlier.ok()) continue;
    const Reach reach = ++asked <= kMostAskedOfRemote ? Reach::kRemote : Reach::kThisMachine;
    if (store.history.LastPublicationOf(earlier->key.hash()) != nullptr ||
        FindEntry(store, earlier->key, reach).ok()) {
      return Disowned(generations, target, earlier->key);
    }
  }
  return std::nullopt;
}

absl::StatusOr<Explanation> ExplainInput(const AskedStore& store,
                                         const compiler::Invocation& invocation,
                                         const Toolchain& toolchain,
                                         const cache::DependencySets& dependency_sets,
                                         const absl::StatusOr<cache::Generations>& generations) {
  const std::string& input = invocation.inputs.front();
  const absl::StatusOr<InputRequest> request = ReadRequest(invocation, toolchain);
  if (!request.ok()) return request.status();
  const absl::StatusOr<PlannedInput> planned =
      PlanMostLikely(*request, dependency_sets,
                     {toolchain, generations.ok() ? *generations : cache::Generations()});
  if (!planned.ok()) return planned.status();
  const compiler::CompileAction& plan = planned->plan;
  Explanation explanation{
      .subject = input, .key = plan.encoded.key.ToString(), .answer = {}, .nearest = {}};
  if (!generations.ok()) {
    explanation.answer = {.state = KeyState::kUnreadable,
                          .text = std::string(generations.status().message()),
                          .time = std::nullopt,
                          .notes = {}};
    return explanation;
  }
  explanation.answer =
      AskAbout(store, plan.encoded.key, std::vector<std::string>{plan.output_path});
  if (planned->is_guess) {
    explanation.answer.notes.emplace_back(
        "what it includes is not known: it was not compiled here with these options, or a header "
        "is gone that was there then; the key is that of the source alone");
  }
  const bool is_remote_error = explanation.answer.state == KeyState::kRemoteError;
  const KeyState state =
      is_remote_error ? explanation.answer.local_state : explanation.answer.state;
  if (state != KeyState::kNeverStored) return explanation;
  if (std::optional<KeyAnswer> disowned =
          FindDisowned(store, *generations, invocation.target, plan)) {
    // It would not be asked for whatever the remote says.
    disowned->notes = std::move(explanation.answer.notes);
    if (is_remote_error) disowned->notes.push_back(explanation.answer.text);
    explanation.answer = *std::move(disowned);
    return explanation;
  }
  explanation.nearest = FindNearest(store, *request, *planned);
  return explanation;
}

// --- What to say of a key.

std::string TargetOf(const cache::Description& description) {
  std::string target;
  for (std::string_view argument : description.arguments) {
    if (absl::ConsumePrefix(&argument, "--target=")) target = argument;
  }
  return target;
}

// Whether `key`, with this description, is not asked for any more.
bool IsDisowned(const cache::Generations& generations, const cache::ActionKey& key,
                const absl::StatusOr<cache::Description>& description) {
  if (generations.IsDisowned(key.hash())) return true;
  return description.ok() &&
         !generations.IsCurrent(compiler::kBaseSalt, TargetOf(*description), description->salt);
}

absl::StatusOr<Explanation> ExplainKey(const AskedStore& store, const std::string& text,
                                       const absl::StatusOr<cache::Generations>& generations) {
  if (!generations.ok()) return generations.status();
  const absl::StatusOr<cache::ActionKey> key = ResolveKey(text, store);
  if (!key.ok()) return key.status();
  Explanation explanation{
      .subject = text, .key = key->ToString(), .answer = {}, .nearest = std::nullopt};
  absl::StatusOr<cache::Description> description = Describe(store, *key, Reach::kThisMachine);
  if (!IsDisowned(*generations, *key, description)) {
    explanation.answer = AskAbout(store, *key, std::nullopt);
    const AskedPlace* place = explanation.answer.place;
    if (description.ok() || place == nullptr || !place->is_remote) return explanation;
    description = Describe(store, *key);
    if (!IsDisowned(*generations, *key, description)) return explanation;
  }
  explanation.answer = Disowned(*generations, description.ok() ? TargetOf(*description) : "", *key);
  return explanation;
}

// --- Output.

nlohmann::json ToJson(const std::vector<cache::Difference>& differences) {
  nlohmann::json list = nlohmann::json::array();
  for (const cache::Difference& difference : differences) {
    list.push_back({{"kind", cache::DifferenceKindName(difference.kind)},
                    {"subject", difference.subject},
                    {"before", difference.before},
                    {"after", difference.after},
                    {"text", difference.text}});
  }
  return list;
}

nlohmann::json ToJson(const Explanation& explanation) {
  nlohmann::json json = {{"subject", explanation.subject},
                         {"key", explanation.key},
                         {"state", KeyStateName(explanation.answer.state)},
                         {"text", explanation.answer.text}};
  if (explanation.answer.time.has_value()) {
    json["time"] = FormatForPrograms(*explanation.answer.time);
  }
  if (const AskedPlace* place = explanation.answer.place) {
    json["found_in"] = place->kind;
    json["found_at"] = place->name;
  }
  if (explanation.answer.state == KeyState::kRemoteError) {
    json["local_state"] = KeyStateName(explanation.answer.local_state);
  }
  json["notes"] = explanation.answer.notes;
  if (explanation.nearest.has_value()) {
    json["nearest"] = {{"key", explanation.nearest->key},
                       {"differences", ToJson(explanation.nearest->differences)}};
    if (explanation.nearest->time.has_value()) {
      json["nearest"]["time"] = FormatForPrograms(*explanation.nearest->time);
    }
  }
  return json;
}

void PrintDifferences(std::ostream& out, const std::vector<cache::Difference>& differences,
                      bool all) {
  for (const cache::Difference& difference : differences) {
    out << "  " << difference.text << "\n";
    if (!all && differences.size() > 1) {
      out << "  and " << differences.size() - 1 << " more; --all shows them\n";
      return;
    }
  }
}

void PrintText(std::ostream& out, const Explanation& explanation, bool all) {
  out << explanation.subject << ": " << KeyStateName(explanation.answer.state) << ": "
      << explanation.answer.text << "\n";
  if (explanation.key != explanation.subject) out << "  key " << explanation.key << "\n";
  for (const std::string& note : explanation.answer.notes) out << "  " << note << "\n";
  if (!explanation.nearest.has_value()) return;
  out << "  the nearest earlier request is " << explanation.nearest->key;
  if (explanation.nearest->time.has_value()) {
    out << " of " << FormatForPeople(*explanation.nearest->time);
  }
  out << "; what differs:\n";
  PrintDifferences(out, explanation.nearest->differences, all);
}

int Report(const Environment& environment, const ExplainFlags& flags,
           const std::vector<absl::StatusOr<Explanation>>& explanations,
           const std::vector<std::string>& subjects) {
  int exit_code = kSuccess;
  nlohmann::json results = nlohmann::json::array();
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    const absl::StatusOr<Explanation>& explanation = explanations[i];
    exit_code = std::max<int>(exit_code, ExitCodeFor(explanation.status()));
    if (!explanation.ok()) {
      results.push_back({{"subject", subjects[i]}, {"error", explanation.status().message()}});
      if (!flags.json) {
        environment.err << "ingot: error: " << explanation.status().message() << "\n";
      }
    } else if (flags.json) {
      results.push_back(ToJson(*explanation));
    } else {
      PrintText(environment.out, *explanation, flags.all);
    }
  }
  if (flags.json) {
    PrintJson(environment.out, {{"schema", 1}, {"exit_code", exit_code}, {"results", results}});
  }
  return exit_code;
}

// --- The three forms of the command.

int CompareKeys(const Environment& environment, const ExplainFlags& flags,
                const AskedStore& store) {
  std::vector<std::string> keys;
  std::vector<cache::Description> descriptions;
  for (const std::string& text : flags.compile.inputs) {
    const absl::StatusOr<cache::ActionKey> key = ResolveKey(text, store);
    if (!key.ok()) return FailStoreCommand(environment, flags.json, key.status());
    keys.push_back(key->ToString());
    absl::StatusOr<cache::Description> description = Describe(store, *key);
    if (!description.ok()) {
      return FailStoreCommand(
          environment, flags.json,
          absl::NotFoundError(absl::StrCat(text,
                                           " cannot be compared, since what it is the key of "
                                           "is not known: ",
                                           description.status().message())));
    }
    descriptions.push_back(*std::move(description));
  }
  const std::vector<cache::Difference> differences =
      cache::Compare(descriptions[0], descriptions[1]);
  if (flags.json) {
    PrintJson(environment.out,
              {{"schema", 1}, {"keys", keys}, {"differences", ToJson(differences)}});
  } else if (differences.empty()) {
    environment.out << (keys[0] == keys[1] ? "the two keys are the same\n"
                                           : "no difference is known\n");
  } else {
    environment.out << "from " << keys[0] << " to " << keys[1] << ":\n";
    PrintDifferences(environment.out, differences, flags.all);
  }
  return kSuccess;
}

// A file of a name that looks like a key is a file.
bool IsKey(const std::string& text) {
  std::error_code error;
  return LooksLikeKey(text) && !std::filesystem::exists(text, error);
}

int RunExplain(const Environment& environment, const ExplainFlags& flags) {
  const std::vector<std::string>& subjects = flags.compile.inputs;
  const StorePaths paths = FindStore(environment, flags.compile.store);
  const absl::StatusOr<AskedStore> store =
      OpenToAsk(environment, paths, flags.compile.store.remote);
  if (!store.ok()) return FailStoreCommand(environment, flags.json, store.status());
  const absl::StatusOr<cache::Generations> generations = LoadGenerations(paths);
  std::vector<absl::StatusOr<Explanation>> explanations;

  const auto keys = std::count_if(subjects.begin(), subjects.end(), IsKey);
  if (keys > 0) {
    if (static_cast<std::size_t>(keys) != subjects.size() || keys > 2) {
      return FailStoreCommand(
          environment, flags.json,
          absl::InvalidArgumentError("name inputs, or one key, or two keys to compare"));
    }
    if (keys == 2) return CompareKeys(environment, flags, *store);
    explanations.push_back(ExplainKey(*store, subjects.front(), generations));
    return Report(environment, flags, explanations, subjects);
  }

  const absl::StatusOr<std::vector<compiler::Invocation>> invocations = Invocations(flags.compile);
  if (!invocations.ok()) return FailStoreCommand(environment, flags.json, invocations.status());
  const absl::StatusOr<Toolchain> toolchain = LoadToolchain(environment, flags.compile, paths);
  if (!toolchain.ok()) return FailStoreCommand(environment, flags.json, toolchain.status());
  for (const compiler::Invocation& invocation : *invocations) {
    explanations.push_back(
        ExplainInput(*store, invocation, *toolchain, DependencySetsAt(paths), generations));
  }
  return Report(environment, flags, explanations, subjects);
}

}  // namespace

void AddCacheExplainCommand(CLI::App& cache, const Environment& environment, int& exit_code) {
  CLI::App* command = cache.add_subcommand("explain", "Say why something is not a hit");
  auto flags = std::make_shared<ExplainFlags>();
  AddCompileOptions(*command, flags->compile,
                    "The inputs of a compilation with its options; or one key, for its state; or "
                    "two, to compare");
  command->add_flag("-v,--verbose,--all", flags->all, "Show all differences, not the first alone");
  command->add_flag("--json", flags->json, "Show it as JSON");
  command->footer(
      "Answers: stored, and where; never stored, and how the request differs from the nearest\n"
      "earlier one; evicted; reset; corrupt, and which file; disowned; unreadable; remote error,\n"
      "and what the remote cache said. It is asked only for what is not on this machine, and\n"
      "costs --remote_budget at most. Asking changes nothing: no file is written, repaired or\n"
      "counted as used.\n\n"
      "Examples:\n"
      "  ingot cache explain saxpy.ll --target=nvptx64 --cpu=sm_90\n"
      "  ingot cache explain 0bae4de2\n"
      "  ingot cache explain saxpy.ll --target=nvptx64 --remote_cache=http://cache:8080\n"
      "  ingot cache explain 0bae4de2 57ab13f4 --all");
  command->callback(
      [&environment, &exit_code, flags] { exit_code = RunExplain(environment, *flags); });
}

}  // namespace ingot::driver
