// Response files: an argument `@FILE` stands for the arguments that FILE holds, which a build
// system writes where a command line would be too long.
//
//   absl::StatusOr<std::vector<std::string>> arguments =
//       ExpandResponseFiles({"-c", "@objects.rsp"}, read_file);
//   SplitCommandLine("-DX='a b' \"c\\\"d\" e\\ f");  // {"-DX=a b", "c\"d", "e f"}

#ifndef INGOT_TOOLS_DRIVER_RESPONSE_FILE_H_
#define INGOT_TOOLS_DRIVER_RESPONSE_FILE_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ingot::driver {

// The contents of a file, or an error that names it.
using ReadFileFunction = std::function<absl::StatusOr<std::string>(const std::string& path)>;

// `arguments` with each `@FILE` replaced by the arguments in that file, which may name further
// ones. A path in a file begins where the command was started, as one on the command line does.
// Errors are those of `read`, and InvalidArgument for files that name each other without end.
absl::StatusOr<std::vector<std::string>> ExpandResponseFiles(std::span<const std::string> arguments,
                                                             const ReadFileFunction& read);

// The arguments in `text`, quoted the GNU way: space separates; '…' and "…" keep together; a
// backslash takes its meaning from the next character, except between single quotes.
std::vector<std::string> SplitCommandLine(std::string_view text);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_RESPONSE_FILE_H_
