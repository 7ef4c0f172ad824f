#include "tools/driver/cache_disown_command.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/history.h"
#include "nlohmann/json.hpp"
#include "targets/record.h"
#include "targets/registry.h"
#include "tools/driver/asked_store.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"
#include "tools/driver/store.h"
#include "tools/driver/store_command.h"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

struct DisownFlags {
  StoreCommandFlags store;
  std::vector<std::string> keys;
  std::string target;
  bool all = false;
};

// What the flags ask for. A key may be one that only a remote cache has: a whole hash is believed.
absl::StatusOr<cache::DisownRequest> RequestFor(const DisownFlags& flags, const StorePaths& paths) {
  if ((flags.keys.empty() ? 0 : 1) + (flags.target.empty() ? 0 : 1) + (flags.all ? 1 : 0) != 1) {
    return absl::InvalidArgumentError(
        "name what to disown: one or more keys, or --target=TARGET, or --all");
  }
  cache::DisownRequest request;
  request.all = flags.all;
  if (!flags.target.empty()) {
    const absl::StatusOr<const targets::TargetRecord*> target = targets::FindTarget(flags.target);
    if (!target.ok()) return target.status();
    request.targets.emplace_back((*target)->triple);
  }
  AskedStore nothing;
  absl::StatusOr<AskedStore> store = OpenToAsk(paths);
  for (const std::string& text : flags.keys) {
    const absl::StatusOr<cache::ActionKey> key = ResolveKey(text, store.ok() ? *store : nothing);
    if (!key.ok()) return key.status();
    if (std::find(request.key_hashes.begin(), request.key_hashes.end(), key->hash()) ==
        request.key_hashes.end()) {
      request.key_hashes.push_back(key->hash());
    }
  }
  return request;
}

void Record(const StorePaths& paths, const cache::DisownRequest& request) {
  const std::optional<Store> store = OpenStore(paths);
  if (!store.has_value() || !store->history.has_value()) return;
  cache::History history = *store->history;
  const auto append = [&](const std::string& key, const std::string& what) {
    history.Append({.kind = cache::HistoryEventKind::kDisowned, .key = key, .input = what})
        .IgnoreError();
  };
  if (request.all) append("", "everything");
  for (const std::string& target : request.targets) append("", target);
  for (const std::string& hash : request.key_hashes) append(hash, "");
}

std::string Summary(const cache::DisownRequest& request, const cache::Generations& generations) {
  if (request.all) {
    return absl::StrCat("everything stored so far is disowned: this is generation ",
                        generations.global.number);
  }
  if (!request.targets.empty()) {
    const std::string& target = request.targets.front();
    return absl::StrCat("everything stored so far for ", target,
                        " is disowned: this is its generation ",
                        generations.targets.at(target).number);
  }
  return absl::StrCat(request.key_hashes.size(),
                      request.key_hashes.size() == 1 ? " key is" : " keys are", " disowned, of ",
                      generations.keys.size(), " in all");
}

int RunDisown(const Environment& environment, const DisownFlags& flags) {
  const bool json = flags.store.json;
  const StorePaths paths = FindStore(environment, flags.store.store);
  if (paths.state.empty()) {
    return FailStoreCommand(environment, json,
                            absl::FailedPreconditionError(
                                "there is no place to remember it; name one with --state_dir"));
  }
  const absl::StatusOr<cache::DisownRequest> request = RequestFor(flags, paths);
  if (!request.ok()) return FailStoreCommand(environment, json, request.status());
  const std::string file = cache::GenerationsFile(paths.state);
  const absl::StatusOr<cache::Generations> generations = cache::Disown(file, *request);
  if (!generations.ok()) return FailStoreCommand(environment, json, generations.status());
  Record(paths, *request);

  if (json) {
    nlohmann::json targets = nlohmann::json::object();
    for (const auto& [name, generation] : generations->targets) targets[name] = generation.number;
    nlohmann::json keys = nlohmann::json::array();
    for (const auto& [hash, when] : generations->keys) keys.push_back(hash);
    PrintJson(environment.out, {{"schema", 1},
                                {"file", file},
                                {"generation", generations->global.number},
                                {"targets", targets},
                                {"keys", keys},
                                {"summary", Summary(*request, *generations)}});
    return kSuccess;
  }
  environment.out << Summary(*request, *generations)
                  << "\nnothing was deleted; what is asked for again is compiled once more and "
                     "stored under a new key\n";
  return kSuccess;
}

}  // namespace

void AddCacheDisownCommand(CLI::App& cache, const Environment& environment, int& exit_code) {
  CLI::App* command =
      cache.add_subcommand("disown", "Never use these results again, wherever they are stored");
  auto flags = std::make_shared<DisownFlags>();
  command
      ->add_option("KEY", flags->keys,
                   "HASH/SIZE, a hash, or its first digits (eight or more) if one key has them")
      ->type_name("");
  // A target that is set for compilations must not mean this one.
  OnlyAsArgument(command->add_option("--target", flags->target, "Every result for this target"))
      ->type_name("TARGET")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  OnlyAsArgument(command->add_flag("--all", flags->all, "Every result"));
  AddStoreCommandFlags(*command, flags->store);
  command->footer(
      "For results that turned out to be wrong, in a store or in a cache that others share. "
      "Nothing is\n"
      "deleted: the same requests have other keys from now on, and other results are still found.\n"
      "It holds for this user, in every store; others have to say it too.\n\n"
      "Examples:\n  ingot cache disown 0bae4de2\n  ingot cache disown --target=avr\n"
      "  ingot cache disown --all");
  command->callback(
      [&environment, &exit_code, flags] { exit_code = RunDisown(environment, *flags); });
}

}  // namespace ingot::driver
