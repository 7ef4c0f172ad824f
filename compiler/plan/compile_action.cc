#include "compiler/plan/compile_action.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cache/action.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/merkle_tree.h"
#include "cache/utf8.h"
#include "compiler/invocation/invocation.h"
#include "targets/record.h"
#include "targets/registry.h"

namespace ingot::compiler {
namespace {

std::string_view Stem(std::string_view name) {
  const std::string_view::size_type dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

}  // namespace

cache::PlatformProperties HostPlatform() {
#if defined(__x86_64__)
  return {{"ISA", "x86-64"}, {"OSFamily", "linux"}};
#elif defined(__aarch64__)
  return {{"ISA", "arm-a64"}, {"OSFamily", "linux"}};
#else
#error "Name this architecture as the Remote Execution API's platform lexicon does."
#endif
}

std::string CanonicalName(std::string_view user_path) {
  if (user_path == "-") return "stdin";
  const std::string_view name = user_path.substr(user_path.rfind('/') + 1);
  const bool valid = cache::IsValidUtf8(name);
  std::string canonical;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || byte == '\\' || (byte >= 0x80 && !valid)) {
      absl::StrAppendFormat(&canonical, "%%%02X", byte);
    } else {
      canonical += c;
    }
  }
  return canonical;
}

absl::StatusOr<CompileAction> PlanCompile(const Invocation& invocation,
                                          const cache::Digest& input_digest,
                                          const cache::Digest& toolchain_digest,
                                          const cache::PlatformProperties& platform,
                                          const cache::Generations& generations) {
  if (invocation.inputs.size() != 1 || !invocation.emit.has_value()) {
    return absl::InternalError("PlanCompile needs a resolved invocation with one input");
  }
  const absl::StatusOr<const targets::TargetRecord*> target =
      targets::FindTarget(invocation.target);
  if (!target.ok()) return target.status();
  const targets::EmitRecord* emit = targets::FindEmit(**target, *invocation.emit);
  if (emit == nullptr) {
    return absl::InternalError("PlanCompile needs an emit kind that the target has");
  }

  CompileAction plan{.spec = {}, .encoded = {cache::ActionKey(cache::Digest()), {}, {}, {}}};
  const std::string name = CanonicalName(invocation.inputs.front());
  plan.source_path = absl::StrCat("src/", name);
  // A name may be as long as the file system lets it be, and then leaves no room for another
  // extension.
  constexpr std::size_t kLongestStem = 240;
  const std::string_view stem = Stem(name).size() <= kLongestStem ? Stem(name) : "output";
  plan.output_path = absl::StrCat("out/", stem, ".", emit->extension);

  Invocation canonical = invocation;
  canonical.inputs = {plan.source_path};
  canonical.output = plan.output_path;
  plan.arguments = {absl::StrCat(kToolchainDirectory, "/", kCompileToolName)};
  for (std::string& argument : CanonicalArguments(canonical)) {
    plan.arguments.push_back(std::move(argument));
  }

  cache::MerkleTree tree;
  if (absl::Status status = tree.AddDirectory(kToolchainDirectory, toolchain_digest);
      !status.ok()) {
    return status;
  }
  if (absl::Status status = tree.AddFile(plan.source_path, input_digest, /*is_executable=*/false);
      !status.ok()) {
    return status;
  }
  plan.input_root = tree.Encode();

  plan.spec = {.arguments = plan.arguments,
               .environment_variables = {},
               .output_paths = {plan.output_path},
               .input_root_digest = plan.input_root.root_digest,
               .platform = platform,
               .salt = {}};
  // Ends: each hop gives another key, and a file holds only so many.
  for (;; ++plan.hops) {
    plan.spec.salt = generations.Salt(kBaseSalt, target.value()->triple, plan.hops);
    absl::StatusOr<cache::EncodedAction> encoded = cache::EncodeAction(plan.spec);
    if (!encoded.ok()) return encoded.status();
    plan.encoded = *std::move(encoded);
    if (!generations.IsDisowned(plan.encoded.key.hash())) break;
  }
  return plan;
}

}  // namespace ingot::compiler
