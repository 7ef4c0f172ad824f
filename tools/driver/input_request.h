// One input of a command: read, and asked about in canonical words.
//
//   absl::StatusOr<InputRequest> request = ReadRequest(invocation, toolchain);
//   // request->canonical.source_path is where request->text stands in the input root

#ifndef INGOT_TOOLS_DRIVER_INPUT_REQUEST_H_
#define INGOT_TOOLS_DRIVER_INPUT_REQUEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "compiler/invocation/invocation.h"
#include "compiler/plan/canonical_request.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {

struct InputRequest {
  std::string text;      // of the input
  cache::Digest source;  // of `text`
  compiler::CanonicalRequest canonical;
  bool may_include = false;  // whether more files may be read: false for LLVM IR
  cache::Digest digest;      // names its dependency sets; empty if it may not include
};

// Reads the input of `invocation`, which must be resolved and have one.
absl::StatusOr<InputRequest> ReadRequest(const compiler::Invocation& invocation,
                                         const Toolchain& toolchain);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_INPUT_REQUEST_H_
