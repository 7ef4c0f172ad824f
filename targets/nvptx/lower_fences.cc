#include "targets/nvptx/lower_fences.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Casting.h"

namespace ingot::targets {

void RemoveFencesOfOneThread(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      const auto* const fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
      if (fence == nullptr || fence->getSyncScopeID() != llvm::SyncScope::SingleThread) continue;
      instruction.eraseFromParent();
    }
  }
}

}  // namespace ingot::targets
