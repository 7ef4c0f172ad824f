// Makes a module's symbols what PTX can have: aliases, copies and weak references resolved, names
// spelled with the letters that ptxas takes.

#ifndef INGOT_TARGETS_NVPTX_SYMBOLS_H_
#define INGOT_TARGETS_NVPTX_SYMBOLS_H_

#include "llvm/IR/Module.h"
#include "targets/finding.h"

namespace ingot::targets {

// For a module that is taken whole: what other modules could change is decided. A function of which
// this is a copy is this one; a weak reference to what is not here is null; an alias is what it
// stands for. Findings: an alias of a kernel.
void ResolveSymbols(llvm::Module& module, Findings& findings);

// Renames what has a character in its name that no identifier of PTX has (PTX ISA, "Identifiers"),
// in a way that depends on the names of the module alone. Findings: a warning for each visible one.
void RenameSymbols(llvm::Module& module, Findings& findings);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_SYMBOLS_H_
