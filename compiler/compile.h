// Compiles one source or one module of LLVM IR: the single entry of the compiler.
//
//   absl::StatusOr<Invocation> invocation = Resolve({.target = "nvptx64", .cpu = "sm_90",
//                                                    .inputs = {"src/saxpy.ll"}});
//   absl::StatusOr<CompileOutput> output =
//       Compile(*invocation, llvm::MemoryBufferRef(text, "src/saxpy.ll"));
//   // output->bytes is PTX
//
// The output depends on the invocation, the input's bytes and, for a source, the files that it
// includes, and on nothing else: not on the working directory, the environment, the folder of the
// input, or what was compiled before in the same process.
//
// LLVM can end the process (a crash, or an error that it calls fatal) on input that nobody has seen
// before. Whoever must survive that runs this in a process of its own, as the compile tool does.

#ifndef INGOT_COMPILER_COMPILE_H_
#define INGOT_COMPILER_COMPILE_H_

#include <functional>

#include "absl/status/statusor.h"
#include "compiler/diagnostics.h"
#include "compiler/frontend/input_file_system.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/invocation/invocation.h"
#include "compiler/stage.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace ingot::compiler {

struct CompileOutput {
  llvm::SmallVector<char, 0> bytes;
};

// Told about a compilation while it runs. Empty functions are not called.
struct CompileObserver {
  std::function<void(Stage)> enter_stage;
  WarningSink warning;
  // What a source was found to include, after the last of it was read; also if it has errors.
  std::function<void(const Dependencies&)> dependencies;
};

// How a source is compiled, besides what the invocation says; nothing here changes the output.
struct SourceSettings {
  FileSources files;   // where what it includes is
  bool color = false;  // in diagnostics
  bool scan = false;   // only find out what it includes: the output is empty
};

// Compiles `input`, whose identifier is its path for messages and whose bytes are followed by a
// zero byte. Errors: InvalidArgument where `invocation` is not resolved or the input cannot be
// compiled; its message is complete, one or more of "PATH:LINE:COLUMN: error: …" or "PATH: error:
// …". Internal where Ingot is at fault. Thread safe: calls share nothing.
absl::StatusOr<CompileOutput> Compile(const Invocation& invocation, llvm::MemoryBufferRef input,
                                      const CompileObserver& observer = {},
                                      const SourceSettings& settings = {});

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_COMPILE_H_
