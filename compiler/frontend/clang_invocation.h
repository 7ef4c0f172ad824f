// An Invocation as Clang's own: what `clang` with the same options would do, without what it would
// look for on this machine.
//
//   absl::StatusOr<ClangInvocation> clang = MakeClangInvocation(invocation, record, color);
//
// Clang's driver does the translation, so an option means what Clang says that it means. The driver
// gets an empty file system: it finds no toolchain, library or configuration of the machine.

#ifndef INGOT_COMPILER_FRONTEND_CLANG_INVOCATION_H_
#define INGOT_COMPILER_FRONTEND_CLANG_INVOCATION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "compiler/invocation/invocation.h"
#include "targets/record.h"

namespace ingot::compiler {

struct ClangInvocation {
  std::shared_ptr<clang::CompilerInvocation> invocation;
  std::string warnings;  // about the options, as text
};

// `invocation` must be resolved, have one input and a language that the front end takes; `path` is
// how Clang calls the input. InvalidArgument, with Clang's own words, for options that contradict
// each other or the target.
absl::StatusOr<ClangInvocation> MakeClangInvocation(const Invocation& invocation,
                                                    const targets::TargetRecord& target,
                                                    const std::string& path, bool color);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_FRONTEND_CLANG_INVOCATION_H_
