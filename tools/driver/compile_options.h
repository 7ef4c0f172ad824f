// The command line of a compilation, for every command that takes one: `compile` itself, and those
// that ask what it would do.
//
//   CompileOptions options;
//   AddCompileOptions(command, options);
//   ...
//   absl::StatusOr<std::vector<compiler::Invocation>> invocations = Invocations(options);

#ifndef INGOT_TOOLS_DRIVER_COMPILE_OPTIONS_H_
#define INGOT_TOOLS_DRIVER_COMPILE_OPTIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/generations.h"
#include "compiler/invocation/invocation.h"
#include "tools/driver/compile_execution.h"
#include "tools/driver/environment.h"
#include "tools/driver/option_table.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {

// Must outlive the parsing of the command line they were added to.
struct CompileOptions {
  std::vector<std::string> inputs;
  std::vector<std::optional<std::string>> values;  // parallel to compiler::Options()
  std::vector<std::string> front_end_options;      // clang's, each as one argument
  StoreOptions store;
  std::optional<std::string> toolchain;
  std::optional<std::string> time_limit;
  unsigned jobs = 0;
};

// The inputs, called INPUT and described as `inputs_help`, and every option, as rows or as options
// of `command`.
void AppendCompileOptions(CompileOptions& options, std::string_view inputs_help,
                          std::vector<OptionRow>& rows);
void AddCompileOptions(CLI::App& command, CompileOptions& options, std::string_view inputs_help);

// Those of them that are not the compiler's: the stores, the toolchain, the time limit, the number
// of jobs.
void AppendRunOptions(CompileOptions& options, std::vector<OptionRow>& rows);

// One resolved invocation per input, each with its output. InvalidArgument where the options are
// wrong or the outputs cannot be told apart.
absl::StatusOr<std::vector<compiler::Invocation>> Invocations(const CompileOptions& options);

// --timeout, or the default.
absl::StatusOr<absl::Duration> TimeLimit(const CompileOptions& options);

// Where this process may compile.
ExecutionPlaces PlacesFor(const Environment& environment, const StorePaths& paths);

// LoadToolchain() with the memo of the state at `paths`.
absl::StatusOr<Toolchain> LoadToolchain(const Environment& environment,
                                        const CompileOptions& options, const StorePaths& paths);

// What was disowned, from the state at `paths`. An error means that no result may be asked for.
absl::StatusOr<cache::Generations> LoadGenerations(const StorePaths& paths);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_COMPILE_OPTIONS_H_
