// Reads LLVM IR, as text or bitcode, into a module for one target.
//
//   llvm::LLVMContext context;
//   absl::StatusOr<std::unique_ptr<llvm::Module>> module =
//       ReadModule(llvm::MemoryBufferRef(text, "src/saxpy.ll"), record, context);
//
// The module has the target's triple and data layout afterwards. One that names neither gets them
// while it is parsed, since parsing depends on them: on AVR a function lives in address space 1.
// One that names another architecture or another data layout is refused.

#ifndef INGOT_COMPILER_FRONTEND_READ_MODULE_H_
#define INGOT_COMPILER_FRONTEND_READ_MODULE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "targets/record.h"

namespace ingot::compiler {

// Reads `input`, whose identifier is the path for messages; its text must be followed by a zero
// byte. Bitcode is known by its first bytes, whatever the path says. A module that does not name
// its source gets the last part of the path, so that no folder gets into the output. Errors are
// InvalidArgument, in the form "PATH:LINE:COLUMN: error: …" with the line itself and a caret, or
// "PATH: error: …". Does not verify the module. `context` must outlive the result.
absl::StatusOr<std::unique_ptr<llvm::Module>> ReadModule(llvm::MemoryBufferRef input,
                                                         const targets::TargetRecord& target,
                                                         llvm::LLVMContext& context);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_FRONTEND_READ_MODULE_H_
