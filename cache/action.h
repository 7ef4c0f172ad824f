// The one place where keys are built: what is asked for becomes an encoded Command and an encoded
// Action, and the Action's digest is the key.
//
//   ActionSpec spec;
//   spec.arguments = {"toolchain/ingot-compile", "--target=nvptx64-nvidia-cuda", "-o", "out.ptx",
//   "src/k.ll"}; spec.output_paths = {"out.ptx"}; spec.input_root_digest = tree.root_digest;
//   spec.platform = PlatformProperties{{"ISA", "x86-64"}, {"OSFamily", "linux"}};
//   ABSL_ASSIGN_OR_RETURN(EncodedAction action, EncodeAction(spec));
//   // action.key names the result in the action cache
//
// Equal specs give equal bytes whatever order they were filled in, on every machine and in every
// locale.

#ifndef INGOT_CACHE_ACTION_H_
#define INGOT_CACHE_ACTION_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/digest.h"

namespace ingot::cache {

// Property name and value. A name may be repeated; the order does not matter.
using PlatformProperties = std::vector<std::pair<std::string, std::string>>;

// Everything that decides a result. What cannot change the result's bytes has no field here.
//
// There is no working directory (the Command runs in the input root, so "relative to what" has one
// answer), no timeout (a result is the same however long it was allowed to take) and no
// do_not_cache.
struct ActionSpec {
  // argv; the first is the program's path, relative to the input root or absolute. Not empty.
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment_variables;
  // Where the outputs appear, relative to the input root. None may lie below another.
  std::vector<std::string> output_paths;
  Digest input_root_digest;
  // What a machine must be to execute this. Set but empty is not the same as not set: it is another
  // key.
  std::optional<PlatformProperties> platform;
  // Separates namespaces: any bytes; the empty salt is the same as none.
  std::string salt;
};

// A spec's canonical bytes. `key.digest()` is the digest of `action`, and `action` names
// `command_digest`.
struct EncodedAction {
  ActionKey key;
  std::string action;
  Digest command_digest;
  std::string command;
};

// Encodes `spec`. InvalidArgument, naming the field and the value, if `spec` cannot be what the
// protocol demands: no arguments, a text that is not UTF-8 or holds a NUL byte, an environment
// variable without a name or with `=` in it, an output path that ValidateRelativePath() rejects or
// that lies below another, an input root that is not a digest.
absl::StatusOr<EncodedAction> EncodeAction(const ActionSpec& spec);

// The bytes of an Action message. EncodeAction() is made of this; apart from it, only tests that
// reproduce the vectors of others, whose Command has no platform where their Action has one, have a
// use for it.
std::string EncodeActionMessage(const Digest& command_digest, const Digest& input_root_digest,
                                const std::optional<PlatformProperties>& platform,
                                std::string_view salt);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_ACTION_H_
