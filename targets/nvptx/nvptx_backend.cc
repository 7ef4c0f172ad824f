#include "targets/nvptx/nvptx_backend.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "targets/finding.h"
#include "targets/kernel_options.h"
#include "targets/nvptx/check_module.h"
#include "targets/nvptx/gpu.h"
#include "targets/nvptx/host_functions.h"
#include "targets/nvptx/kernels.h"
#include "targets/nvptx/lower_fences.h"
#include "targets/nvptx/lower_math.h"
#include "targets/nvptx/modes.h"
#include "targets/nvptx/nvptx_record.h"
#include "targets/nvptx/symbols.h"

namespace ingot::targets {
namespace {

class Nvptx64 final : public Backend {
 public:
  constexpr Nvptx64() = default;

  const TargetRecord& record() const override { return kNvptx64Target; }

  void InitialiseLlvm() const override {
    // LLVM's registry is not thread safe; a function's static variable is initialised once.
    [[maybe_unused]] static const bool initialised = [] {
      LLVMInitializeNVPTXTargetInfo();
      LLVMInitializeNVPTXTarget();
      LLVMInitializeNVPTXTargetMC();
      LLVMInitializeNVPTXAsmPrinter();
      return true;
    }();
  }

  void Prepare(llvm::Module& module, const KernelOptions& options,
               Findings& findings) const override {
    if (!options.relocatable) {
      ResolveSymbols(module, findings);
      DefineHostFunctions(module);
    }
    PrepareKernels(module, options, findings);
    SetModes(module, options);
    RenameSymbols(module, findings);
  }

  void Lower(llvm::Module& module) const override {
    LowerMath(module);
    RemoveFencesOfOneThread(module);
  }

  void Check(const llvm::Module& module, const llvm::TargetMachine& machine,
             const KernelOptions& options, Findings& findings) const override {
    CheckModule(module, GpuOf(machine, record()), options, findings);
  }
};

}  // namespace

const Backend& Nvptx64Backend() {
  static constexpr Nvptx64 kBackend;
  return kBackend;
}

}  // namespace ingot::targets
