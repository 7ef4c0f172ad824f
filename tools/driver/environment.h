// What a subcommand may know of the process it runs in.
//
// Subcommands get an Environment in place of globals, so a test can run one with its own variables
// and streams:
//
//   std::ostringstream out, err;
//   Environment environment{.variable = [](std::string_view) { return std::nullopt; }, .out = out,
//   .err = err}; int exit_code = RunDriver({"targets"}, environment);

#ifndef INGOT_TOOLS_DRIVER_ENVIRONMENT_H_
#define INGOT_TOOLS_DRIVER_ENVIRONMENT_H_

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::driver {

struct Environment {
  // The value of an environment variable, or nothing where it is unset.
  std::function<std::optional<std::string>(std::string_view)> variable;
  // The names of all variables that start with "INGOT_". Empty: nobody knows.
  std::function<std::vector<std::string_view>()> ingot_variables;
  std::ostream& out;  // results
  std::ostream& err;  // diagnostics and progress
  bool err_is_terminal = false;
  std::string program;     // the name that it was called by, with or without a path
  std::string executable;  // real path of the running `ingot`; the toolchain is found beside it
};

// Returns the Environment of this process: getenv, the standard streams, its program, which was
// called by the name `program`.
Environment ProcessEnvironment(std::string program);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_ENVIRONMENT_H_
