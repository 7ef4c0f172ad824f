#include "targets/nvptx/nvptx_backend.h"

#include "llvm/Support/TargetSelect.h"
#include "targets/nvptx/nvptx_record.h"

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
};

}  // namespace

const Backend& Nvptx64Backend() {
  static constexpr Nvptx64 kBackend;
  return kBackend;
}

}  // namespace ingot::targets
