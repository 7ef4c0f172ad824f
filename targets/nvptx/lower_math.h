// Mathematical intrinsics that NVPTX's code generator aborts on but whose meaning instructions
// have: rounding to an integer, splitting at the point, canonical values.

#ifndef INGOT_TARGETS_NVPTX_LOWER_MATH_H_
#define INGOT_TARGETS_NVPTX_LOWER_MATH_H_

#include "llvm/IR/Module.h"

namespace ingot::targets {

void LowerMath(llvm::Module& module);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_LOWER_MATH_H_
