#include "targets/avr/avr_backend.h"

#include "llvm/Support/TargetSelect.h"
#include "targets/avr/avr_record.h"

namespace ingot::targets {
namespace {

class Avr final : public Backend {
 public:
  constexpr Avr() = default;

  const TargetRecord& record() const override { return kAvrTarget; }

  void InitialiseLlvm() const override {
    // LLVM's registry is not thread safe; a function's static variable is initialised once.
    [[maybe_unused]] static const bool initialised = [] {
      LLVMInitializeAVRTargetInfo();
      LLVMInitializeAVRTarget();
      LLVMInitializeAVRTargetMC();
      LLVMInitializeAVRAsmPrinter();
      LLVMInitializeAVRAsmParser();  // for inline assembly
      return true;
    }();
  }

  // At level None, LLVM 22 silently generates wrong code for a sign extension from 32 to 64 bits
  // and runs out of registers on half of all larger programs. The next level is right on the same
  // unoptimised IR, so that is what -O0 means for AVR.
  llvm::CodeGenOptLevel CodeGenLevel(llvm::CodeGenOptLevel requested) const override {
    return requested == llvm::CodeGenOptLevel::None ? llvm::CodeGenOptLevel::Less : requested;
  }
};

}  // namespace

const Backend& AvrBackend() {
  static constexpr Avr kBackend;
  return kBackend;
}

}  // namespace ingot::targets
