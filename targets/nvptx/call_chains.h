// Which kernel reaches a function, and by which calls.
//
//   const CallChains chains(module);
//   chains.KernelOf(function);                   // the first kernel that reaches it, or null
//   chains.ChainTo(function);                    // the calls from there
//   PlaceOf(instruction);                        // of its debug location

#ifndef INGOT_TARGETS_NVPTX_CALL_CHAINS_H_
#define INGOT_TARGETS_NVPTX_CALL_CHAINS_H_

#include <map>
#include <set>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"
#include "targets/finding.h"

namespace ingot::targets {

// Where `instruction` comes from, of the function that was inlined last; line 0 if nothing says it.
SourcePlace PlaceOf(const llvm::Instruction& instruction);

// Refers to the module, which must not change meanwhile.
class CallChains {
 public:
  explicit CallChains(const llvm::Module& module);

  // Null for what no kernel reaches by direct calls.
  const llvm::Function* KernelOf(const llvm::Function& function) const;

  // The call sites from the kernel to `function`, those of inlined calls among them; empty for a
  // kernel and for what none reaches.
  std::vector<CallSite> ChainTo(const llvm::Function& function) const;

  // Whether `function` reaches itself by direct calls.
  bool IsRecursive(const llvm::Function& function) const { return recursive_.contains(&function); }

 private:
  struct Reached {
    const llvm::Function* kernel = nullptr;
    const llvm::Instruction* call = nullptr;  // null for a kernel
  };

  std::map<const llvm::Function*, Reached> reached_;
  std::set<const llvm::Function*> recursive_;
};

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_CALL_CHAINS_H_
