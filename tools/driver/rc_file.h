// Reads files in the syntax of Bazel's .bazelrc, which CONFIGURATION.md describes.
//
//   absl::StatusOr<std::vector<RcLine>> lines = ReadRcFile("/home/me/.ingotrc", read, workspace);
//   // {.command = "compile", .config = "ci", .words = {"--cpu=sm_90"}, .file = …, .line = 3}
//
// This is the syntax only: which commands and options there are is `settings`' matter, which files
// are read is `configuration`'s.

#ifndef INGOT_TOOLS_DRIVER_RC_FILE_H_
#define INGOT_TOOLS_DRIVER_RC_FILE_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace ingot::driver {

// One line of options: `command:config word word`.
struct RcLine {
  std::string command;
  std::string config;              // empty: the line always counts
  std::vector<std::string> words;  // without their quotes
  std::string file;
  int line = 0;  // from 1; of several joined by backslashes, the first

  // "FILE:LINE", for messages.
  std::string Place() const;
};

// Returns the text of the file at `path`; NotFound if there is none. `imported_at` is the
// "FILE:LINE" of the import, or empty.
using ReadRcText = absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path,
                                                                 const std::string& imported_at)>;

// Returns the workspace's folder, which %workspace% stands for; empty if there is none. Asked only
// where a file needs it.
using FindWorkspaceFolder = absl::FunctionRef<std::string()>;

// How many files one file may import, directly and through others.
inline constexpr int kMaximumImports = 100;

// The lines of the file at `path`, and in place of each import those of the imported file. NotFound
// as it comes from `read` if there is no such file; every other error is InvalidArgument and names
// the file and line that it is in.
absl::StatusOr<std::vector<RcLine>> ReadRcFile(const std::string& path, ReadRcText read,
                                               FindWorkspaceFolder workspace);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_RC_FILE_H_
