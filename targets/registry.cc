#include "targets/registry.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/avr/avr_record.h"
#include "targets/nvptx/nvptx_record.h"
#include "targets/suggest.h"

namespace ingot::targets {
namespace {

// Add a target here; targets/README.md says what else it needs.
constexpr const TargetRecord* kTargets[] = {
    &kNvptx64Target,
    &kAvrTarget,
};

// "unknown WHAT; did you mean 'X'? HINT", or "unknown WHAT; HINT" where nothing known is close to
// `name`.
absl::Status Unknown(std::string_view what, std::string_view name,
                     std::span<const std::string_view> candidates, std::string_view hint) {
  const std::string did_you_mean = DidYouMean(name, candidates);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown ", what, did_you_mean.empty() ? "; " : did_you_mean + " ", hint));
}

}  // namespace

std::span<const TargetRecord* const> AllTargets() { return kTargets; }

absl::StatusOr<const TargetRecord*> FindTarget(std::string_view name_or_triple) {
  for (const TargetRecord* target : kTargets) {
    if (target->name == name_or_triple || target->triple == name_or_triple ||
        std::ranges::find(target->aliases, name_or_triple) != target->aliases.end()) {
      return target;
    }
  }
  std::vector<std::string_view> names;
  for (const TargetRecord* target : kTargets) names.push_back(target->name);
  std::vector<std::string_view> candidates = names;
  for (const TargetRecord* target : kTargets) {
    candidates.push_back(target->triple);
    candidates.insert(candidates.end(), target->aliases.begin(), target->aliases.end());
  }
  return Unknown(absl::StrCat("target '", name_or_triple, "'"), name_or_triple, candidates,
                 absl::StrCat("known targets: ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<const CpuRecord*> FindCpu(const TargetRecord& target, std::string_view name) {
  for (const CpuRecord& cpu : target.cpus) {
    if (cpu.name == name) return &cpu;
  }
  std::vector<std::string_view> names;
  for (const CpuRecord& cpu : target.cpus) names.push_back(cpu.name);
  return Unknown(absl::StrCat("CPU '", name, "' for target ", target.name), name, names,
                 absl::StrCat("`ingot targets ", target.name, "` lists them"));
}

absl::Status CheckFeature(const TargetRecord& target, std::string_view name) {
  if (std::ranges::find(target.features, name) != target.features.end()) {
    return absl::OkStatus();
  }
  return Unknown(absl::StrCat("feature '", name, "' for target ", target.name), name,
                 target.features, absl::StrCat("it has ", absl::StrJoin(target.features, ", ")));
}

}  // namespace ingot::targets
