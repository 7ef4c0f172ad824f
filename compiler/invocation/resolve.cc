// What an invocation leaves open, filled in; and whether the target has it.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "compiler/invocation/front_end_options.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "targets/record.h"
#include "targets/registry.h"

namespace ingot::compiler {
namespace {

using targets::EmitKind;

// "+a,-b" with a sign before each and nothing empty, each one checked.
absl::StatusOr<std::string> NormaliseFeatures(const targets::TargetRecord& target,
                                              std::string_view features) {
  std::vector<std::string> normal;
  for (std::string_view item : absl::StrSplit(features, ',')) {
    item = absl::StripAsciiWhitespace(item);
    if (item.empty()) continue;
    std::string_view name = item;
    const bool off = absl::ConsumePrefix(&name, "-");
    if (!off) absl::ConsumePrefix(&name, "+");
    if (absl::Status status = targets::CheckFeature(target, name); !status.ok()) return status;
    normal.push_back(absl::StrCat(off ? "-" : "+", name));
  }
  return absl::StrJoin(normal, ",");
}

// Whether there is code of the language for the target.
absl::Status CheckLanguage(const targets::TargetRecord& target, Language language) {
  const bool is_for_gpus = language == Language::kOpenCl || language == Language::kCuda;
  const bool is_assembly =
      language == Language::kAssembler || language == Language::kAssemblerWithCpp;
  if (target.is_gpu ? !is_assembly : !is_for_gpus) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("-x ", LanguageName(language), ": ",
                   is_assembly ? "there is no assembler" : "such kernels are not", " for target ",
                   target.name, target.is_gpu ? "" : ", which is no GPU"));
}

// Options that are about kernels, for a target that runs none.
absl::Status CheckKernelOptions(const targets::TargetRecord& target, const Invocation& invocation) {
  if (target.is_gpu) return absl::OkStatus();
  for (const OptionSpec& spec : Options()) {
    if (!spec.is_request || spec.get(invocation).empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "option ", spec.flag, " is about kernels; target ", target.name, " runs none"));
  }
  return absl::OkStatus();
}

// The feature that stands for a version of PTX: "+ptx87" for "8.7". Empty for no version.
std::string PtxFeature(std::string_view version) {
  if (version.empty()) return {};
  return absl::StrCat("+ptx", absl::StrReplaceAll(version, {{".", ""}}));
}

// "8.7" for "ptx87".
std::string PtxVersion(std::string_view feature) {
  feature.remove_prefix(std::string_view("ptx").size());
  return absl::StrCat(feature.substr(0, feature.size() - 1), ".",
                      feature.substr(feature.size() - 1));
}

// Every version of PTX that `target` knows and `cpu` can have, oldest first.
std::vector<std::string> PtxVersionsOf(const targets::TargetRecord& target,
                                       const targets::CpuRecord& cpu) {
  std::vector<std::string> versions;
  for (const std::string_view feature : target.features) {
    if (!absl::StartsWith(feature, "ptx")) continue;
    std::string version = PtxVersion(feature);
    if (version >= targets::FindFact(target, cpu, "ptx")) versions.push_back(std::move(version));
  }
  return versions;
}

// Makes a feature of the version of PTX that is asked for. An older one than the CPU's own is an
// error, whichever option asks for it: the CPU came with that version.
absl::Status ResolvePtx(const targets::TargetRecord& target, const targets::CpuRecord& cpu,
                        Invocation& invocation) {
  std::string asked;
  for (std::string_view feature : absl::StrSplit(invocation.features, ',')) {
    if (absl::ConsumePrefix(&feature, "+ptx")) asked = PtxVersion(absl::StrCat("ptx", feature));
  }
  if (!invocation.ptx.empty()) {
    if (!asked.empty() && asked != invocation.ptx) {
      return absl::InvalidArgumentError(absl::StrCat("--ptx=", invocation.ptx,
                                                     " and --features=", invocation.features,
                                                     " are two versions of PTX; name one"));
    }
    if (asked.empty()) {
      absl::StrAppend(&invocation.features, invocation.features.empty() ? "" : ",",
                      PtxFeature(invocation.ptx));
    }
    asked = std::exchange(invocation.ptx, {});
  }
  if (asked.empty()) return absl::OkStatus();
  const std::vector<std::string> versions = PtxVersionsOf(target, cpu);
  if (std::ranges::find(versions, asked) != versions.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("PTX ", asked, " cannot be made for ", cpu.name,
                   "; versions that can: ", absl::StrJoin(versions, ", ")));
}

// CUDA's warp intrinsics, which every kernel of today may use, came with PTX 6.3 (PTX ISA, "Release
// Notes"); a CPU that is older than that has an older version of its own.
constexpr std::string_view kOldestPtxOfCuda = "6.3";

void AddCudaFeatures(const targets::TargetRecord& target, const targets::CpuRecord& cpu,
                     std::string& features) {
  if (absl::StrContains(features, "+ptx") ||
      targets::FindFact(target, cpu, "ptx") >= kOldestPtxOfCuda) {
    return;
  }
  absl::StrAppend(&features, features.empty() ? "" : ",", "+ptx63");
}

}  // namespace

absl::StatusOr<Invocation> Resolve(const Invocation& invocation) {
  if (invocation.target.empty()) {
    return absl::InvalidArgumentError(
        "no target was named: add --target=TRIPLE; `ingot targets` lists them");
  }
  absl::StatusOr<const targets::TargetRecord*> found = targets::FindTarget(invocation.target);
  if (!found.ok()) return found.status();
  const targets::TargetRecord& target = **found;

  Invocation resolved = invocation;
  resolved.target = target.triple;
  if (resolved.cpu.empty()) resolved.cpu = target.default_cpu;
  absl::StatusOr<const targets::CpuRecord*> cpu = targets::FindCpu(target, resolved.cpu);
  if (!cpu.ok()) return cpu.status();
  absl::StatusOr<std::string> features = NormaliseFeatures(target, resolved.features);
  if (!features.ok()) return features.status();
  resolved.features = *std::move(features);
  if (absl::Status status = CheckKernelOptions(target, resolved); !status.ok()) return status;
  if (absl::Status status = ResolvePtx(target, **cpu, resolved); !status.ok()) return status;
  if (!resolved.emit) resolved.emit = target.default_emit;
  if (targets::FindEmit(target, *resolved.emit) == nullptr) {
    std::vector<std::string_view> kinds;
    for (const targets::EmitRecord& emit : target.emits) {
      kinds.push_back(targets::EmitKindName(emit.kind));
    }
    return absl::InvalidArgumentError(absl::StrCat("target ", target.name, " cannot emit '",
                                                   targets::EmitKindName(*resolved.emit),
                                                   "'; it emits ", absl::StrJoin(kinds, ", ")));
  }
  if (!resolved.language) {
    resolved.language =
        resolved.inputs.empty() ? std::nullopt : LanguageOfFile(resolved.inputs.front());
    if (!resolved.language) resolved.language = Language::kIr;
  }
  if (absl::Status status = CheckLanguage(target, *resolved.language); !status.ok()) return status;
  if (resolved.language == Language::kCuda) AddCudaFeatures(target, **cpu, resolved.features);
  if (!UsesFrontEnd(*resolved.language) && !resolved.front_end_options.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("option ", resolved.front_end_options.front(),
                     " has no meaning for LLVM IR, which is not preprocessed or parsed by clang",
                     resolved.inputs.empty() ? "" : ": ",
                     resolved.inputs.empty() ? "" : resolved.inputs.front()));
  }
  if (resolved.language != Language::kCuda) {
    for (const std::string& option : resolved.front_end_options) {
      if (!absl::StartsWith(option, kCudaPathFlag)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "option ", kCudaPathFlag, " has no meaning for ", LanguageName(*resolved.language),
          ", only for CUDA", resolved.inputs.empty() ? "" : ": ",
          resolved.inputs.empty() ? "" : resolved.inputs.front()));
    }
  }
  if (resolved.emit == EmitKind::kPreprocessed && !UsesFrontEnd(*resolved.language)) {
    return absl::InvalidArgumentError(
        "LLVM IR cannot be preprocessed; --emit=preprocessed is for sources");
  }
  return resolved;
}

}  // namespace ingot::compiler
