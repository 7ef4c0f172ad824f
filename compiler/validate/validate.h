// Decides whether a module may be compiled, before anything else looks at it.
//
//   if (absl::Status status = Validate(*module, "src/saxpy.ll"); !status.ok()) return status;

#ifndef INGOT_COMPILER_VALIDATE_VALIDATE_H_
#define INGOT_COMPILER_VALIDATE_VALIDATE_H_

#include <string_view>

#include "absl/status/status.h"
#include "llvm/IR/Module.h"

namespace ingot::compiler {

// OK if `module` is well formed LLVM IR. Otherwise InvalidArgument, "PATH: error: in function 'f':
// …", with one paragraph for each function that is not, and what LLVM's verifier says about it.
// Debug info that is out of date or malformed is no error: it is dropped, and the context's
// diagnostic handler gets a warning.
absl::Status Validate(llvm::Module& module, std::string_view path);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_VALIDATE_VALIDATE_H_
