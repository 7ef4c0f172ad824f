// Puts finished bytes into a file, all or nothing.
//
//   if (absl::Status status = WriteOutput("out/saxpy.ptx", bytes); !status.ok()) …

#ifndef INGOT_TOOLS_COMPILE_TOOL_WRITE_OUTPUT_H_
#define INGOT_TOOLS_COMPILE_TOOL_WRITE_OUTPUT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace ingot::compile_tool {

// Writes `bytes` to a temporary file beside `path` and renames it to `path`, so that a reader sees
// the old file or the whole new one. "-" is standard output; what exists and is not a regular file
// (a pipe, /dev/null) is written to as it is. Errors name the path, and leave no temporary file.
absl::Status WriteOutput(const std::string& path, std::string_view bytes);

}  // namespace ingot::compile_tool

#endif  // INGOT_TOOLS_COMPILE_TOOL_WRITE_OUTPUT_H_
