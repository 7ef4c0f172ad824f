// Clang in this process: from a source to a module, to preprocessed text, or just to the list of
// what it includes.
//
//   FrontEnd front_end(invocation, record, source, sources, /*color=*/false);
//   absl::StatusOr<SourceModule> module = front_end.Compile(context);
//   front_end.dependencies();   // also after an error
//
// Clang can end the process on input that nobody has seen before; see compiler/compile.h.

#ifndef INGOT_COMPILER_FRONTEND_FRONT_END_H_
#define INGOT_COMPILER_FRONTEND_FRONT_END_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "compiler/diagnostics.h"
#include "compiler/frontend/input_file_system.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/invocation/invocation.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Target/TargetOptions.h"
#include "targets/record.h"

namespace ingot::compiler {

// What the front end has to say of a module besides its contents: the options of the source that
// concern code generation and have no place in IR.
struct CodeGenerationOptions {
  bool function_sections = false;
  bool data_sections = false;
  bool unique_section_names = true;
  bool zeros_in_bss = true;
  bool use_init_array = true;
  bool verbose_assembly = true;
  llvm::FPOpFusion::FPOpFusionMode contraction = llvm::FPOpFusion::Standard;
};

struct SourceModule {
  std::unique_ptr<llvm::Module> module;
  CodeGenerationOptions options;
  SourceLines lines;  // of what Clang gave the code generator to refer to: inline assembly
};

// One run of Clang: create it, call one of the three functions once. Not thread safe.
class FrontEnd {
 public:
  // `invocation` must be resolved and `source` outlive this; its identifier is its path.
  FrontEnd(const Invocation& invocation, const targets::TargetRecord& target,
           llvm::MemoryBufferRef source, FileSources sources, bool color);
  ~FrontEnd();

  // Compiles without optimising. Errors are InvalidArgument with Clang's diagnostics, complete.
  absl::StatusOr<SourceModule> Compile(llvm::LLVMContext& context);

  // The text after preprocessing, as `clang -E` prints it.
  absl::StatusOr<std::string> Preprocess();

  // Only finds out what a compilation would read.
  absl::Status Scan();

  // What Clang said that is no error, as text; empty if nothing.
  const std::string& warnings() const { return text_; }

  // What a later stage may read, too.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files() const { return files_; }

  // What was read and what was not there, up to now.
  const Dependencies& dependencies() const { return files_->dependencies(); }

 private:
  // Runs `action` on a new instance of Clang. `after` sees it before it is gone.
  absl::Status Run(clang::FrontendAction& action,
                   const std::function<void(const clang::CompilerInstance&)>& after = {});

  const Invocation& invocation_;
  const targets::TargetRecord& target_;
  const llvm::MemoryBufferRef source_;
  const bool color_;
  const llvm::IntrusiveRefCntPtr<InputFileSystem> files_;
  std::string text_;
};

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_FRONTEND_FRONT_END_H_
