// The Action of one compilation: what the compile tool is asked to do, as the Remote Execution
// API's messages.
//
//   absl::StatusOr<CompileAction> plan = PlanCompile(invocation, Sha256(text), toolchain_digest,
//                                                    HostPlatform(), generations);
//   // plan->encoded.key names the result; plan->arguments run in a folder with the input at
//   plan->source_path
//
// The input root (DESIGN: "The Action of a compilation"):
//
//   toolchain/ingot-compile   the compile tool, by content
//   src/NAME                  the input; NAME is the last part of the user's path
//
// and the output is out/STEM.EXTENSION. No other part of a host path, and nothing of the
// environment, is in a key.

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
#include "compiler/invocation/invocation.h"

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

// The name under which the file at `user_path` stands in src/: its last part, "stdin" for "-".
// Bytes that a canonical path cannot hold (control characters, backslashes, bytes that are no
// UTF-8) are written as "%XX".
std::string CanonicalName(std::string_view user_path);

// Plans `invocation`, which must be resolved and have exactly one input: the user's path.
// `toolchain_digest` is the digest of the Directory of the toolchain. The key is one that
// `generations` does not disown. InvalidArgument if the invocation cannot be encoded.
absl::StatusOr<CompileAction> PlanCompile(const Invocation& invocation,
                                          const cache::Digest& input_digest,
                                          const cache::Digest& toolchain_digest,
                                          const cache::PlatformProperties& platform,
                                          const cache::Generations& generations);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_PLAN_COMPILE_ACTION_H_
