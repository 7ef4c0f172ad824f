// What is wrong with inline assembly, as far as its text and its operands tell. LLVM passes the
// text on without a look at it.
//
//   InlineAssemblyFault("mov.b32 $0, 1;");      // ""
//   InlineAssemblyFault("this is not ptx $0;");  // "'this' is no instruction of PTX"

#ifndef INGOT_TARGETS_NVPTX_INLINE_ASSEMBLY_H_
#define INGOT_TARGETS_NVPTX_INLINE_ASSEMBLY_H_

#include <string>
#include <string_view>

#include "llvm/IR/InstrTypes.h"

namespace ingot::targets {

// Why `text`, with LLVM's placeholders in it, cannot be PTX; empty if nothing is known against it.
std::string InlineAssemblyFault(std::string_view text);

// Why the operands of `call`, which calls inline assembly, do not fit their constraints; empty if
// they do.
std::string InlineAssemblyOperandFault(const llvm::CallBase& call);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_INLINE_ASSEMBLY_H_
