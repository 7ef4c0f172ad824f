// Fences that keep only the order of one thread's own accesses, which a compiler keeps and no
// instruction does: they are gone once all passes that could change the order have run.

#ifndef INGOT_TARGETS_NVPTX_LOWER_FENCES_H_
#define INGOT_TARGETS_NVPTX_LOWER_FENCES_H_

#include "llvm/IR/Module.h"

namespace ingot::targets {

void RemoveFencesOfOneThread(llvm::Module& module);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_LOWER_FENCES_H_
