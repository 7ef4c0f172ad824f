// Which of LLVM's intrinsics NVPTX's code generator cannot do.
//
//   if (NeedsMathLibrary(call)) …            // llvm.sin.f64: a runtime library has it
//   std::string_view why = WhyUnsupported(call);  // llvm.init.trampoline: nobody has it

#ifndef INGOT_TARGETS_NVPTX_UNSUPPORTED_INTRINSICS_H_
#define INGOT_TARGETS_NVPTX_UNSUPPORTED_INTRINSICS_H_

#include <string_view>

#include "llvm/IR/IntrinsicInst.h"

namespace ingot::targets {

// Whether `call` is a mathematical function that is no instruction of a GPU, for its type and as
// exactly as it is asked for.
bool NeedsMathLibrary(const llvm::IntrinsicInst& call);

// Why there can be no such intrinsic on a GPU, to follow its name; empty if nothing is known
// against it.
std::string_view WhyUnsupported(const llvm::IntrinsicInst& call);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_UNSUPPORTED_INTRINSICS_H_
