// The files besides the main source in the input root of a compilation, made from a record of what
// the compiler read.
//
//   absl::StatusOr<SourceTree> tree = BuildSourceTree(dependencies);
//   // tree->files: {"inc/0/a.h", digest}, {"inc/1/b.h" -> "../0/b.h"}, ...
//
// Each file stands at its canonical path (compiler/invocation/dependencies.h). A file that was read
// by two names is a file at the first and a symlink at the others, since `#pragma once` asks
// whether two names are one file. What must not be there is in the tree too, as the contents of the
// file `absent`: without it a header that appears earlier in the search path would not change the
// key.

#ifndef INGOT_COMPILER_PLAN_SOURCE_TREE_H_
#define INGOT_COMPILER_PLAN_SOURCE_TREE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "compiler/invocation/dependencies.h"

namespace ingot::compiler {

inline constexpr std::string_view kAbsencesPath = "absent";

struct SourceTree {
  struct Node {
    std::string path;            // canonical
    cache::Digest digest;        // of a file
    std::string symlink_target;  // of a symlink, relative to its folder; empty for a file
  };
  std::vector<Node> nodes;
};

// The tree that `dependencies` describe. FailedPrecondition, saying what is wrong in a sentence for
// people, for a record with a conflict: one canonical path for two files, or for a file and its
// absence.
absl::StatusOr<SourceTree> BuildSourceTree(const Dependencies& dependencies);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_PLAN_SOURCE_TREE_H_
