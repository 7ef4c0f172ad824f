// The targets that this build of Ingot knows, as an explicit list.
//
//   absl::StatusOr<const TargetRecord*> target = FindTarget("nvptx64");
//   if (!target.ok()) return target.status();  // "unknown target 'nvtpx64'; did you mean
//   'nvptx64'? …" absl::StatusOr<const CpuRecord*> cpu = FindCpu(**target, "sm_90");
//
// All functions are thread safe and return pointers to constants. Errors are InvalidArgument:
// something was named that does not exist, and the message says what was probably meant and how to
// list what there is.

#ifndef INGOT_TARGETS_REGISTRY_H_
#define INGOT_TARGETS_REGISTRY_H_

#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "targets/record.h"

namespace ingot::targets {

// Every target, in the order in which they are listed to people.
std::span<const TargetRecord* const> AllTargets();

// The target called `name_or_triple`: its name, its canonical triple or one of its aliases.
absl::StatusOr<const TargetRecord*> FindTarget(std::string_view name_or_triple);

// The CPU of `target` called `name`.
absl::StatusOr<const CpuRecord*> FindCpu(const TargetRecord& target, std::string_view name);

// OK if `target` has a feature called `name` (no sign before it).
absl::Status CheckFeature(const TargetRecord& target, std::string_view name);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_REGISTRY_H_
