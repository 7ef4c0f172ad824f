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

namespace {

// The functions with a body that `caller` calls by name.
std::vector<const llvm::CallBase*> DirectCalls(const llvm::Function& caller) {
  std::vector<const llvm::CallBase*> calls;
  for (const llvm::Instruction& instruction : llvm::instructions(caller)) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (!call->getCalledFunction()->isDeclaration()) calls.push_back(call);
  }
  return calls;
}

using Callees = std::map<const llvm::Function*, std::vector<const llvm::Function*>>;

// The functions that may be part of a cycle: what is left when functions that call none of the rest
// are taken away again and again. In time that grows with the calls.
std::vector<const llvm::Function*> MayBeRecursive(const Callees& callees) {
  std::map<const llvm::Function*, std::size_t> left;  // calls of functions that are not taken away
  std::map<const llvm::Function*, std::vector<const llvm::Function*>> callers;
  std::vector<const llvm::Function*> away;
  for (const auto& [function, called] : callees) {
    left[function] = called.size();
    if (called.empty()) away.push_back(function);
    for (const llvm::Function* callee : called) callers[callee].push_back(function);
  }
  while (!away.empty()) {
    const llvm::Function* const function = away.back();
    away.pop_back();
    for (const llvm::Function* caller : callers[function]) {
      if (--left[caller] == 0) away.push_back(caller);
    }
  }
  std::vector<const llvm::Function*> rest;
  for (const auto& [function, calls] : left) {
    if (calls > 0) rest.push_back(function);
  }
  return rest;
}

bool ReachesItself(const llvm::Function* function, const Callees& callees) {
  std::set<const llvm::Function*> seen;
  std::vector<const llvm::Function*> left = callees.at(function);
  while (!left.empty()) {
    const llvm::Function* const at = left.back();
    left.pop_back();
    if (at == function) return true;
    if (!seen.insert(at).second) continue;
    const std::vector<const llvm::Function*>& next = callees.at(at);
    left.insert(left.end(), next.begin(), next.end());
  }
  return false;
}

}  // namespace

SourcePlace PlaceOf(const llvm::Instruction& instruction) {
  const llvm::DILocation* const location = instruction.getDebugLoc();
  if (location == nullptr || location->getLine() == 0) return {};
  return {.file = location->getFilename().str(),
          .line = static_cast<int>(location->getLine()),
          .column = static_cast<int>(location->getColumn())};
}

CallChains::CallChains(const llvm::Module& module) {
  std::map<const llvm::Function*, std::vector<const llvm::CallBase*>> calls;
  Callees callees;
  std::deque<const llvm::Function*> left;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    std::vector<const llvm::Function*>& called = callees[&function];
    for (const llvm::CallBase* call : calls[&function] = DirectCalls(function)) {
      called.push_back(call->getCalledFunction());
    }
    if (!IsKernel(function)) continue;
    reached_[&function] = {.kernel = &function};
    left.push_back(&function);
  }
  while (!left.empty()) {
    const llvm::Function* const caller = left.front();
    left.pop_front();
    for (const llvm::CallBase* call : calls[caller]) {
      const Reached reached{.kernel = reached_.at(caller).kernel, .call = call};
      const llvm::Function* const callee = call->getCalledFunction();
      if (reached_.try_emplace(callee, reached).second) left.push_back(callee);
    }
  }
  for (const llvm::Function* function : MayBeRecursive(callees)) {
    if (ReachesItself(function, callees)) recursive_.insert(function);
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
