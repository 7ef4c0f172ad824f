#include "targets/nvptx/kernels.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/Module.h"
#include "targets/suggest.h"

namespace ingot::targets {
namespace {

// As the NVPTX code generator reads them (llvm/lib/Target/NVPTX/NVPTXUtilities.h).
constexpr llvm::StringRef kMaxThreads = "nvvm.maxntid";
constexpr llvm::StringRef kRequiredThreads = "nvvm.reqntid";
constexpr llvm::StringRef kMinBlocks = "nvvm.minctasm";
constexpr llvm::StringRef kMaxRegisters = "nvvm.maxnreg";
constexpr llvm::StringRef kClusterSize = "nvvm.cluster_dim";

// What Clang calls the body of an OpenCL kernel, which the kernel itself calls; it asks that the
// two stay apart so that a debugger on a host can tell them from each other.
constexpr llvm::StringRef kOpenClBody = "__clang_ocl_kern_imp_";

std::vector<llvm::Function*> KernelsOf(llvm::Module& module) {
  std::vector<llvm::Function*> kernels;
  for (llvm::Function& function : module) {
    if (IsKernel(function) && !function.isDeclaration()) kernels.push_back(&function);
  }
  return kernels;
}

std::string_view NameOf(const llvm::Function* function) { return function->getName(); }

// The kernels that `options` ask for.
std::vector<llvm::Function*> EntriesOf(const std::vector<llvm::Function*>& kernels,
                                       const KernelOptions& options, Findings& findings) {
  if (options.entries.empty()) return kernels;
  std::vector<std::string_view> names;
  for (const llvm::Function* kernel : kernels) names.push_back(NameOf(kernel));
  for (const std::string& entry : options.entries) {
    if (std::find(names.begin(), names.end(), entry) != names.end()) continue;
    const std::string did_you_mean = DidYouMean(entry, names);
    findings.push_back(
        {.kind = "unknown-entry",
         .message =
             absl::StrCat("there is no kernel '", entry, "', which --entry asks for", did_you_mean),
         .action = names.empty() ? "the module has no kernels"
                                 : absl::StrCat("its kernels are ", absl::StrJoin(names, ", "))});
  }
  std::vector<llvm::Function*> entries;
  std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(entries),
               [&](const llvm::Function* kernel) {
                 return std::find(options.entries.begin(), options.entries.end(), NameOf(kernel)) !=
                        options.entries.end();
               });
  return entries;
}

void SetLaunchBounds(llvm::Function& kernel, const KernelOptions& options) {
  const auto set = [&](llvm::StringRef attribute, const Dimensions& dimensions) {
    if (!dimensions.empty()) kernel.addFnAttr(attribute, absl::StrJoin(dimensions, ","));
  };
  // PTX has one of the two.
  if (!options.max_threads.empty()) kernel.removeFnAttr(kRequiredThreads);
  if (!options.required_threads.empty()) kernel.removeFnAttr(kMaxThreads);
  set(kMaxThreads, options.max_threads);
  set(kRequiredThreads, options.required_threads);
  set(kClusterSize, options.cluster_size);
  if (options.min_blocks != 0) kernel.addFnAttr(kMinBlocks, absl::StrCat(options.min_blocks));
  if (options.max_registers != 0) {
    kernel.addFnAttr(kMaxRegisters, absl::StrCat(options.max_registers));
  }
}

void Internalise(llvm::Function& function) {
  function.setComdat(nullptr);
  function.setVisibility(llvm::GlobalValue::DefaultVisibility);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  if (function.getName().starts_with(kOpenClBody) && !function.hasOptNone()) {
    function.removeFnAttr(llvm::Attribute::NoInline);
  }
}

// Hides every function but `entries` and what the module itself says is used; the optimiser removes
// what then has no use.
void Hide(llvm::Module& module, const std::vector<llvm::Function*>& entries) {
  llvm::SmallVector<llvm::GlobalValue*, 8> used;
  llvm::collectUsedGlobalVariables(module, used, /*CompilerUsed=*/false);
  llvm::collectUsedGlobalVariables(module, used, /*CompilerUsed=*/true);
  const auto contains = [](const auto& list, const llvm::GlobalValue& value) {
    return std::find(list.begin(), list.end(), &value) != list.end();
  };
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) continue;
    if (!contains(entries, function) && !contains(used, function)) Internalise(function);
  }
}

}  // namespace

bool IsKernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

void PrepareKernels(llvm::Module& module, const KernelOptions& options, Findings& findings) {
  const std::vector<llvm::Function*> kernels = KernelsOf(module);
  const std::vector<llvm::Function*> entries = EntriesOf(kernels, options, findings);
  for (llvm::Function* entry : entries) SetLaunchBounds(*entry, options);
  if (entries.empty() || options.relocatable) return;
  Hide(module, entries);
}

}  // namespace ingot::targets
