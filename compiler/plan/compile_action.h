// The Action of one compilation: what the compile tool is asked to do, as the Remote Execution
// API's messages.
//
//   absl::StatusOr<CompileAction> plan =
//       PlanCompile(request, {Sha256(text), tree}, toolchain_digest, HostPlatform(), generations);
//   // plan->encoded.key names the result; plan->arguments run in a folder with the input at
//   // plan->source_path
//
// canonical_request.h says what is in the input root.

#ifndef INGOT_COMPILER_PLAN_COMPILE_ACTION_H_
#define INGOT_COMPILER_PLAN_COMPILE_ACTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/action.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/merkle_tree.h"
#include "compiler/plan/canonical_request.h"
#include "compiler/plan/source_tree.h"

namespace ingot::compiler {

// Where the compile tool stands in an input root, and the name of its folder.
inline constexpr std::string_view kToolchainDirectory = "toolchain";
inline constexpr std::string_view kCompileToolName = "ingot-compile";

// Separates Ingot's results from those of everybody else who asks the same cache. Frozen: another
// value makes every key new. What was disowned adds to it (cache/generations.h).
inline constexpr std::string_view kBaseSalt = "ingot.1";

struct CompileAction {
  std::vector<std::string> arguments;  // the Command's
  std::string source_path;             // in the input root
  std::string output_path;             // in the input root
  cache::EncodedTree input_root;
  cache::ActionSpec spec;  // what `encoded` is made of; for another salt of the same request
  cache::EncodedAction encoded;
  uint64_t hops = 0;  // how many keys of this request were disowned one by one
};

// The platform that this build of the driver executes on, in the API's lexicon: OSFamily and ISA.
cache::PlatformProperties HostPlatform();

// The Command's arguments: the compile tool's own path first.
std::vector<std::string> ToolArguments(const CanonicalRequest& request);

// What a compilation reads.
struct CompileInputs {
  const cache::Digest& source;           // of the main source
  const SourceTree* included = nullptr;  // null for LLVM IR, which includes nothing
};

// Plans `request`. `toolchain_digest` is the digest of the Directory of the toolchain. The key is
// one that `generations` does not disown. InvalidArgument if the request cannot be encoded.
absl::StatusOr<CompileAction> PlanCompile(const CanonicalRequest& request,
                                          const CompileInputs& inputs,
                                          const cache::Digest& toolchain_digest,
                                          const cache::PlatformProperties& platform,
                                          const cache::Generations& generations);

// What names the dependency sets of `request`: a digest of all that is known before anything is
// included. The same for a request with other host paths.
cache::Digest RequestDigest(const CanonicalRequest& request, const cache::Digest& source,
                            const cache::Digest& toolchain_digest);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_PLAN_COMPILE_ACTION_H_
