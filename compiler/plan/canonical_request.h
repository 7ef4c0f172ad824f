// What a compilation is asked to do in the words of an Action: canonical paths in place of the
// user's.
//
//   absl::StatusOr<CanonicalRequest> request = Canonicalise(invocation, file_exists);
//   // invocation: {"-I../include", "-o", "build/k.ptx", "lib/k.cl"}
//   // request->invocation: {"-Iinc/0", "-o", "out/k.ptx", "--canonical-paths", "src/k.cl"}
//   // request->roots: {{"src", "lib"}, {"inc/0", "../include"}}
//
// The input root that these paths are in (DESIGN: "The Action of a compilation"):
//
//   toolchain/ingot-compile   the compile tool, by content
//   src/NAME                  the input; NAME is the last part of the user's path
//   src/…, inc/N/…, up/…, abs/…, absent     see source_tree.h; not for LLVM IR
//
// and the output is out/STEM.EXTENSION. No other part of a host path is in a key.

#ifndef INGOT_COMPILER_PLAN_CANONICAL_REQUEST_H_
#define INGOT_COMPILER_PLAN_CANONICAL_REQUEST_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/invocation/invocation.h"

namespace ingot::compiler {

struct CanonicalRequest {
  Invocation invocation;        // with canonical paths throughout
  std::string source_path;      // of the input, in the input root
  std::string output_path;      // in the input root
  std::string user_source;      // the input as the user named it
  std::vector<HostRoot> roots;  // where the folders are on this machine; none for LLVM IR
};

// Rewrites `invocation`, which must be resolved and have exactly one input. `is_file` says whether
// a path of the user's names a file: what -include names is looked for as clang would, in the
// working directory and then along the search path. Reads nothing else. Internal if `invocation` is
// not resolved.
absl::StatusOr<CanonicalRequest> Canonicalise(
    const Invocation& invocation, const std::function<bool(const std::string&)>& is_file);

// The name under which the file at `user_path` stands in src/: its last part, "stdin" for "-".
// Bytes that a canonical path cannot hold (control characters, backslashes, bytes that are no
// UTF-8) are written as "%XX".
std::string CanonicalName(std::string_view user_path);

// Where a requested path (dependencies.h) leads on this machine; empty for one below no root of
// `roots`.
std::string HostPath(std::string_view requested, const std::vector<HostRoot>& roots);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_PLAN_CANONICAL_REQUEST_H_
