// Turns a finished module into the bytes of an output file.
//
//   llvm::SmallVector<char, 0> object;
//   absl::Status status = EmitMachineCode(*module, *machine, llvm::CodeGenFileType::ObjectFile,
//   object);

#ifndef INGOT_COMPILER_EMIT_EMIT_H_
#define INGOT_COMPILER_EMIT_EMIT_H_

#include "absl/status/status.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace ingot::compiler {

// Appends assembly text or an object file to `output`. `module` is used up: code generation
// rewrites it. Internal if the target cannot make that type of file. What code generation has to
// say about the module itself goes to the context's diagnostic handler, and code generation goes
// on: ask the handler before using `output`.
absl::Status EmitMachineCode(llvm::Module& module, llvm::TargetMachine& machine,
                             llvm::CodeGenFileType type, llvm::SmallVectorImpl<char>& output);

// Appends bitcode to `output`. Equal modules give equal bytes, whatever the order of their use
// lists in memory.
void EmitBitcode(const llvm::Module& module, llvm::SmallVectorImpl<char>& output);

// Appends the module as text.
void EmitIrText(const llvm::Module& module, llvm::SmallVectorImpl<char>& output);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_EMIT_EMIT_H_
