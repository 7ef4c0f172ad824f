#include "targets/nvptx/call_chains.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Casting.h"
#include "targets/nvptx/kernels.h"

namespace ingot::targets {

SourcePlace PlaceOf(const llvm::Instruction& instruction) {
  const llvm::DILocation* const location = instruction.getDebugLoc();
  if (location == nullptr || location->getLine() == 0) return {};
  return {.file = location->getFilename().str(),
          .line = static_cast<int>(location->getLine()),
          .column = static_cast<int>(location->getColumn())};
}

CallChains::CallChains(const llvm::Module& module) {
  std::deque<const llvm::Function*> left;
  for (const llvm::Function& function : module) {
    if (!IsKernel(function) || function.isDeclaration()) continue;
    reached_[&function] = {.kernel = &function};
    left.push_back(&function);
  }
  while (!left.empty()) {
    const llvm::Function* const caller = left.front();
    left.pop_front();
    for (const llvm::Instruction& instruction : llvm::instructions(*caller)) {
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || callee->isDeclaration()) continue;
      const Reached reached{.kernel = reached_.at(caller).kernel, .call = call};
      if (reached_.try_emplace(callee, reached).second) left.push_back(callee);
    }
  }
}

const llvm::Function* CallChains::KernelOf(const llvm::Function& function) const {
  const auto found = reached_.find(&function);
  return found == reached_.end() ? nullptr : found->second.kernel;
}

std::vector<CallSite> CallChains::ChainTo(const llvm::Function& function) const {
  std::vector<CallSite> chain;
  const llvm::Function* at = &function;
  for (auto found = reached_.find(at); found != reached_.end() && found->second.call != nullptr;
       found = reached_.find(at)) {
    at = found->second.call->getFunction();
    chain.push_back({at->getName().str(), PlaceOf(*found->second.call)});
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace ingot::targets
