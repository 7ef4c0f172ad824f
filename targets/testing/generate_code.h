// For tests of backends: code for a module of LLVM IR, without the rest of the compiler.
//
//   std::string ptx = GenerateCode(Nvptx64Backend(), {.cpu = "sm_90"}, EmitKind::kAsm, "define …");

#ifndef INGOT_TARGETS_TESTING_GENERATE_CODE_H_
#define INGOT_TARGETS_TESTING_GENERATE_CODE_H_

#include <string>
#include <string_view>

#include "targets/backend.h"
#include "targets/record.h"

namespace ingot::targets {

// The assembly text or object file for `ir`, which is not optimised first. Adds a failure to the
// running test, and returns what there is, if something goes wrong.
std::string GenerateCode(const Backend& backend, const MachineOptions& options, EmitKind kind,
                         std::string_view ir);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_TESTING_GENERATE_CODE_H_
