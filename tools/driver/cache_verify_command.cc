#include "tools/driver/cache_verify_command.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cache/local/verification.h"
#include "cache/remote/open_remote.h"
#include "nlohmann/json.hpp"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"
#include "tools/driver/option_table.h"
#include "tools/driver/quantity.h"
#include "tools/driver/remote_flags.h"
#include "tools/driver/store.h"
#include "tools/driver/store_command.h"

namespace ingot::driver {
namespace {

// More lines than a screen has tell a person nothing; --json has more.
constexpr std::size_t kShownFindings = 50;

struct VerifyFlags {
  StoreCommandFlags common;
  bool dry_run = false;
};

// ": 2 removed, 1 restored from /opt/image"; empty where nothing was repaired.
std::string HowRepaired(const cache::VerificationResult& result) {
  std::vector<std::string> parts;
  if (result.repaired > result.restored) {
    parts.push_back(absl::StrCat(result.repaired - result.restored, " removed"));
  }
  for (const cache::VerificationSourceReport& source : result.sources) {
    if (source.restored == 0) continue;
    parts.push_back(absl::StrCat(source.restored, " restored from ", source.name));
  }
  return parts.empty() ? "" : absl::StrCat(": ", absl::StrJoin(parts, ", "));
}

void PrintText(const Environment& environment, const std::string& store,
               const cache::VerificationResult& result) {
  const std::size_t shown = std::min(result.findings.size(), kShownFindings);
  for (std::size_t i = 0; i < shown; ++i) {
    const cache::Finding& finding = result.findings[i];
    environment.out << absl::StreamFormat(
        "%s: %s, %s%s: %s\n", finding.path, cache::FindingKindName(finding.kind),
        cache::RepairName(finding.repair),
        finding.source.empty() ? "" : absl::StrCat(" from ", finding.source), finding.message);
  }
  const auto more = result.damaged - static_cast<int64_t>(shown);
  if (more > 0) environment.out << absl::StreamFormat("and %d more\n", more);
  environment.out << "store          " << store << "\n"
                  << absl::StreamFormat("blobs          %d, %s\n", result.blobs,
                                        FormatSize(result.bytes))
                  << absl::StreamFormat("results        %d, and %d of other programs\n",
                                        result.entries, result.foreign_entries)
                  << absl::StreamFormat("damaged        %d, repaired %d%s\n", result.damaged,
                                        result.repaired, HowRepaired(result));
  for (const cache::VerificationSourceReport& source : result.sources) {
    if (source.first_error.empty()) continue;
    environment.err << "ingot: warning: not everything could be asked for in " << source.name
                    << ": " << source.first_error << "\n";
  }
}

nlohmann::json ToJson(const std::string& store, const VerifyFlags& flags, int exit_code,
                      const cache::VerificationResult& result) {
  nlohmann::json findings = nlohmann::json::array();
  for (const cache::Finding& finding : result.findings) {
    findings.push_back({{"path", finding.path},
                        {"kind", cache::FindingKindName(finding.kind)},
                        {"repair", cache::RepairName(finding.repair)},
                        {"message", finding.message}});
    if (!finding.source.empty()) findings.back()["source"] = finding.source;
  }
  nlohmann::json sources = nlohmann::json::array();
  for (const cache::VerificationSourceReport& source : result.sources) {
    sources.push_back({{"name", source.name}, {"restored", source.restored}});
    if (!source.first_error.empty()) sources.back()["error"] = source.first_error;
  }
  return {{"schema", 1},
          {"store", store},
          {"dry_run", flags.dry_run},
          {"blobs", result.blobs},
          {"bytes", result.bytes},
          {"results", result.entries},
          {"foreign_results", result.foreign_entries},
          {"other_files", result.other_files},
          {"damaged", result.damaged},
          {"repaired", result.repaired},
          {"restored", result.restored},
          {"removed", result.repaired - result.restored},
          {"sources", sources},
          {"findings", findings},
          {"exit_code", exit_code}};
}

int RunVerify(const Environment& environment, const VerifyFlags& flags) {
  const StoreOptions& options = flags.common.store;
  // Says what is missing; the remote cache alone is nothing to verify.
  absl::StatusOr<Store> store = RequireStore(environment, options);
  if (!store.ok()) return FailStoreCommand(environment, flags.common.json, store.status());
  absl::StatusOr<std::optional<Store>> with_remote =
      OpenStoreWithRemote(environment, FindStore(environment, options), options.remote);
  if (!with_remote.ok()) {
    return FailStoreCommand(environment, flags.common.json, with_remote.status());
  }
  cache::VerificationOptions verification{.repair = !flags.dry_run, .sources = {}};
  for (const std::unique_ptr<LocalFolder>& layer : (*with_remote)->layers) {
    verification.sources.push_back({layer->path, &layer->blobs});
  }
  if (cache::RemoteStore* remote = (*with_remote)->remote.get()) {
    verification.sources.push_back({remote->Describe(), &remote->blobs()});
  }
  const absl::StatusOr<cache::VerificationResult> result =
      cache::VerifyStore(store->path, verification);
  if (!result.ok()) return FailStoreCommand(environment, flags.common.json, result.status());
  const int exit_code = result->damaged == result->repaired ? kSuccess : kProgramError;
  if (flags.common.json) {
    PrintJson(environment.out, ToJson(store->path, flags, exit_code, *result));
  } else {
    PrintText(environment, store->path, *result);
  }
  return exit_code;
}

}  // namespace

void AddCacheVerifyCommand(CLI::App& cache, const Environment& environment, int& exit_code) {
  CLI::App* command = cache.add_subcommand("verify", "Check every file of the store, and repair");
  auto flags = std::make_shared<VerifyFlags>();
  AddStoreCommandFlags(*command, flags->common);
  std::vector<OptionRow> rows;
  AppendRemoteFlags(flags->common.store.remote, rows);
  AddOptions(*command, rows);
  command->add_flag("--dry-run", flags->dry_run, "Report only, and change nothing");
  command->footer(
      "Examples:\n"
      "  ingot cache verify\n"
      "  ingot cache verify --dry-run --json\n"
      "  ingot cache verify --remote_cache=http://cache:8080\n\n"
      "Reads every blob and every result. A damaged blob is replaced by that of a layer (all of\n"
      "--disk_cache but the store) or of the remote cache, where one has it and a result names "
      "it.\n"
      "What else is damaged is removed, so that the next compilation makes it again. Results that "
      "Bazel stored are only checked for being readable. It is safe\n"
      "while others compile. No compilation needs this: every hit is checked anyway.\n\n"
      "Exit codes: 0 no damage, or all of it repaired; 1 damage that was not repaired, as always\n"
      "with --dry-run; 2 usage.");
  command->callback(
      [&environment, &exit_code, flags] { exit_code = RunVerify(environment, *flags); });
}

}  // namespace ingot::driver
