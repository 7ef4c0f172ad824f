// Assembly text to an object file, by LLVM's own assembler.
//
//   llvm::SmallVector<char, 0> object;
//   absl::Status status = Assemble(text, *machine, {files, {"inc/0"}}, warnings, object);

#ifndef INGOT_COMPILER_FRONTEND_ASSEMBLE_H_
#define INGOT_COMPILER_FRONTEND_ASSEMBLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Target/TargetMachine.h"

namespace ingot::compiler {

struct AssemblySettings {
  // What `.include` and `.incbin` may name.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files;
  std::vector<std::string> search_path;
  // Of the debug information that says where each instruction comes from; 0: there is none.
  unsigned dwarf_version = 0;
};

// What `options` of Clang's say of them, such as -Iinc/0 and -g. `files` is as above.
AssemblySettings AssemblySettingsOf(const std::vector<std::string>& options,
                                    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);

// Appends an object file to `object`. `source` may be what a preprocessor made: its line markers
// are followed. InvalidArgument with the assembler's diagnostics, complete; those that are no
// errors are appended to `warnings`. Internal if the target has no assembler.
absl::Status Assemble(llvm::MemoryBufferRef source, const llvm::TargetMachine& machine,
                      const AssemblySettings& settings, std::string& warnings,
                      llvm::SmallVectorImpl<char>& object);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_FRONTEND_ASSEMBLE_H_
