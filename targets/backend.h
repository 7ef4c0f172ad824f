// What a target does, with LLVM: the half of a target that only the compile tool links.
//
//   absl::StatusOr<const Backend*> backend = FindBackend("nvptx64-nvidia-cuda");
//   absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> machine =
//       (*backend)->CreateTargetMachine({.cpu = "sm_90", .level = llvm::CodeGenOptLevel::Default});
//
// A compilation asks a backend, in this order: InitialiseLlvm(), CodeGenLevel() and the
// TargetMachine made with it; then, of the module, Prepare() before it is optimised, Lower() and
// Check() after; FileType() for what is to be emitted. Backends are constants without state; all
// their functions are thread safe.

#ifndef INGOT_TARGETS_BACKEND_H_
#define INGOT_TARGETS_BACKEND_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "targets/finding.h"
#include "targets/kernel_options.h"
#include "targets/record.h"

namespace ingot::targets {

// What a TargetMachine depends on. All of it must be part of an Invocation, so that it is part of
// every cache key.
struct MachineOptions {
  std::string cpu;       // a name in the target's record
  std::string features;  // "+a,-b"; names in the target's record
  llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Default;  // as asked; see CodeGenLevel()
};

class Backend {
 public:
  virtual ~Backend() = default;

  // The data half of the same target.
  virtual const TargetRecord& record() const = 0;

  // Registers the LLVM target, and nothing but this one, with LLVM. May be called any number of
  // times.
  virtual void InitialiseLlvm() const = 0;

  // The code generator's level for a requested one; a target overrides it where LLVM's code
  // generator is wrong at some level. Which IR pipeline runs is not affected.
  virtual llvm::CodeGenOptLevel CodeGenLevel(llvm::CodeGenOptLevel requested) const {
    return requested;
  }

  // Gives `module`, which LLVM's verifier accepted, the form that the rest expects: which functions
  // are entries, and what the options say about them.
  virtual void Prepare(llvm::Module& module, const KernelOptions& options,
                       Findings& findings) const;

  // Replaces what the code generator cannot do by what it can, in an optimised module.
  virtual void Lower(llvm::Module& module) const;

  // Finds what code generation would abort on, or do wrong without a word. Code that was optimised
  // away is no more there to be found.
  virtual void Check(const llvm::Module& module, const llvm::TargetMachine& machine,
                     const KernelOptions& options, Findings& findings) const;

  // What the code generator makes for `kind`; nothing where no code generator runs (bitcode) or the
  // target cannot.
  virtual std::optional<llvm::CodeGenFileType> FileType(EmitKind kind) const;

  // A TargetMachine for `options`, owned by the caller, its level from CodeGenLevel().
  // InvalidArgument for a CPU that the record does not have: LLVM itself only warns, and then
  // generates code for some other CPU. Calls InitialiseLlvm().
  absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(
      const MachineOptions& options) const;

 protected:
  constexpr Backend() = default;
};

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_BACKEND_H_
