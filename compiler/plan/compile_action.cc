#include "compiler/plan/compile_action.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/action.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/merkle_tree.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "compiler/plan/canonical_request.h"
#include "compiler/plan/source_tree.h"

namespace ingot::compiler {
namespace {

absl::Status AddSources(const CanonicalRequest& request, const CompileInputs& inputs,
                        cache::MerkleTree& tree) {
  if (absl::Status status =
          tree.AddFile(request.source_path, inputs.source, /*is_executable=*/false);
      !status.ok() || inputs.included == nullptr) {
    return status;
  }
  for (const SourceTree::Node& node : inputs.included->nodes) {
    if (absl::Status status = node.symlink_target.empty()
                                  ? tree.AddFile(node.path, node.digest, /*is_executable=*/false)
                                  : tree.AddSymlink(node.path, node.symlink_target);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> ToolArguments(const CanonicalRequest& request) {
  std::vector<std::string> arguments = {absl::StrCat(kToolchainDirectory, "/", kCompileToolName)};
  // Colour is taken away for those who do not want it, and cannot be added.
  if (UsesFrontEnd(*request.invocation.language)) arguments.emplace_back("--color");
  for (std::string& argument : CanonicalArguments(request.invocation)) {
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

cache::PlatformProperties HostPlatform() {
#if defined(__x86_64__)
  return {{"ISA", "x86-64"}, {"OSFamily", "linux"}};
#elif defined(__aarch64__)
  return {{"ISA", "arm-a64"}, {"OSFamily", "linux"}};
#else
#error "Name this architecture as the Remote Execution API's platform lexicon does."
#endif
}

absl::StatusOr<CompileAction> PlanCompile(const CanonicalRequest& request,
                                          const CompileInputs& inputs,
                                          const cache::Digest& toolchain_digest,
                                          const cache::PlatformProperties& platform,
                                          const cache::Generations& generations) {
  CompileAction plan{.arguments = ToolArguments(request),
                     .source_path = request.source_path,
                     .output_path = request.output_path,
                     .spec = {},
                     .encoded = {cache::ActionKey(cache::Digest()), {}, {}, {}}};
  cache::MerkleTree tree;
  if (absl::Status status = tree.AddDirectory(kToolchainDirectory, toolchain_digest);
      !status.ok()) {
    return status;
  }
  if (absl::Status status = AddSources(request, inputs, tree); !status.ok()) return status;
  plan.input_root = tree.Encode();

  plan.spec = {.arguments = plan.arguments,
               .environment_variables = {},
               .output_paths = {plan.output_path},
               .input_root_digest = plan.input_root.root_digest,
               .platform = platform,
               .salt = {}};
  // Ends: each hop gives another key, and a file holds only so many.
  for (;; ++plan.hops) {
    plan.spec.salt = generations.Salt(kBaseSalt, request.invocation.target, plan.hops);
    absl::StatusOr<cache::EncodedAction> encoded = cache::EncodeAction(plan.spec);
    if (!encoded.ok()) return encoded.status();
    plan.encoded = *std::move(encoded);
    if (!generations.IsDisowned(plan.encoded.key.hash())) break;
  }
  return plan;
}

cache::Digest RequestDigest(const CanonicalRequest& request, const cache::Digest& source,
                            const cache::Digest& toolchain_digest) {
  std::string text =
      absl::StrCat("ingot request 1\n", source.ToString(), "\n", toolchain_digest.ToString(), "\n");
  for (const std::string& argument : ToolArguments(request)) {
    absl::StrAppend(&text, argument.size(), ":", argument, "\n");
  }
  return cache::Sha256(text);
}

}  // namespace ingot::compiler
