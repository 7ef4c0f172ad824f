#include "tools/driver/compile_options.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "cache/file_digest_memo.h"
#include "cache/generations.h"
#include "compiler/invocation/invocation.h"
#include "targets/record.h"
#include "targets/registry.h"
#include "tools/driver/compile_execution.h"
#include "tools/driver/environment.h"
#include "tools/driver/files.h"
#include "tools/driver/front_end_arguments.h"
#include "tools/driver/option_table.h"
#include "tools/driver/remote_flags.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefaultTimeLimit = "10m";

// The options of the compiler that name no file: a source tree's own rc file may set them.
bool IsHarmless(std::string_view flag) {
  constexpr std::string_view kHarmless[] = {"--target",
                                            "--cpu",
                                            "--features",
                                            "--ptx",
                                            "-O",
                                            "--emit",
                                            "-x",
                                            "--entry",
                                            "--max-threads",
                                            "--required-threads",
                                            "--min-blocks",
                                            "--max-registers",
                                            "--cluster-size",
                                            "--relocatable",
                                            "--forbid-f64",
                                            "--fast-math",
                                            "--denormals",
                                            "--debug-level"};
  return std::ranges::find(kHarmless, flag) != std::end(kHarmless);
}

// The CPUs that are asked for, each once; one that is empty where none is named.
std::vector<std::string> CpusOf(const compiler::Invocation& all) {
  std::vector<std::string> cpus;
  for (const std::string_view cpu : absl::StrSplit(all.cpu, ',')) {
    const bool is_new = std::find(cpus.begin(), cpus.end(), cpu) == cpus.end();
    if (is_new && (!cpu.empty() || all.cpu.empty())) cpus.emplace_back(cpu);
  }
  return cpus;
}

// "k.sm_80.ptx" for "k.ptx".
std::string WithCpu(const std::string& output, std::string_view cpu) {
  const fs::path path = output;
  return (path.parent_path() /
          absl::StrCat(path.stem().string(), ".", cpu, path.extension().string()))
      .string();
}

// The options as the compiler's own parser takes them, so that one parser judges values everywhere.
std::vector<std::string> CompilerArguments(const CompileOptions& options) {
  std::vector<std::string> arguments;
  const auto specs = compiler::Options();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!options.values[i].has_value()) continue;
    switch (specs[i].form) {
      case compiler::OptionForm::kEquals:
        arguments.push_back(absl::StrCat(specs[i].flag, "=", *options.values[i]));
        break;
      case compiler::OptionForm::kJoined:
        arguments.push_back(absl::StrCat(specs[i].flag, *options.values[i]));
        break;
      case compiler::OptionForm::kSeparate:
        arguments.emplace_back(specs[i].flag);
        arguments.push_back(*options.values[i]);
        break;
    }
  }
  arguments.insert(arguments.end(), options.front_end_options.begin(),
                   options.front_end_options.end());
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), options.inputs.begin(), options.inputs.end());
  return arguments;
}

std::string DefaultOutputName(const std::string& input, const compiler::Invocation& invocation) {
  const absl::StatusOr<const targets::TargetRecord*> target =
      targets::FindTarget(invocation.target);
  const targets::EmitRecord* emit = targets::FindEmit(**target, *invocation.emit);
  const std::string stem = input == "-" ? "stdin" : fs::path(input).stem().string();
  return absl::StrCat(stem, ".", emit->extension);
}

// One invocation for each input and CPU, each with its output. InvalidArgument where the outputs
// cannot be told apart.
absl::StatusOr<std::vector<compiler::Invocation>> SplitByInput(const compiler::Invocation& all) {
  if (all.inputs.empty()) {
    // What is wrong with the options is worth knowing first.
    if (absl::Status status = compiler::Resolve(all).status(); !status.ok()) return status;
    return absl::InvalidArgumentError(
        "no input; name one or more sources or LLVM IR files, or - for standard input");
  }
  std::error_code error;
  const bool into_folder = absl::EndsWith(all.output, "/") ||
                           (!all.output.empty() && fs::is_directory(all.output, error));
  if (all.inputs.size() > 1 && !all.output.empty() && !into_folder) {
    return absl::InvalidArgumentError(absl::StrCat("-o ", all.output, " names one file for ",
                                                   all.inputs.size(), " inputs; name a folder (",
                                                   all.output, "/)"));
  }
  const std::vector<std::string> cpus = CpusOf(all);
  if (cpus.size() > 1 && all.output == "-") {
    return absl::InvalidArgumentError(absl::StrCat("--cpu=", all.cpu, " makes ", cpus.size(),
                                                   " outputs; name a file or a folder with -o"));
  }
  std::vector<compiler::Invocation> invocations;
  std::set<std::string> outputs;
  for (const std::string& input : all.inputs) {
    for (const std::string& cpu : cpus) {
      compiler::Invocation named = all;
      named.inputs = {input};
      named.cpu = cpu;
      absl::StatusOr<compiler::Invocation> resolved = compiler::Resolve(named);
      if (!resolved.ok()) return resolved.status();
      compiler::Invocation& one = *resolved;
      if (all.output.empty()) {
        one.output = input == "-" && cpus.size() == 1 ? "-" : DefaultOutputName(input, one);
      } else if (into_folder) {
        one.output = (fs::path(all.output) / DefaultOutputName(input, one)).string();
      }
      if (cpus.size() > 1) one.output = WithCpu(one.output, one.cpu);
      if (!outputs.insert(one.output).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("two inputs would both be written to ", one.output,
                         "; compile them one by one, each with its own -o"));
      }
      if (IsSameFile(input, one.output)) {
        return absl::InvalidArgumentError(
            absl::StrCat("the output would overwrite the input ", input, "; name another with -o"));
      }
      invocations.push_back(std::move(one));
    }
  }
  return invocations;
}

}  // namespace

void AppendCompileOptions(CompileOptions& options, std::string_view inputs_help,
                          std::vector<OptionRow>& rows) {
  const auto specs = compiler::Options();
  options.values.resize(specs.size());
  rows.push_back({.names = "INPUT", .value = &options.inputs, .help = inputs_help});
  for (std::size_t i = 0; i < specs.size(); ++i) {
    rows.push_back({.names = specs[i].flag,
                    .value = &options.values[i],
                    .value_name = specs[i].value_name,
                    .help = specs[i].help,
                    .harmless = IsHarmless(specs[i].flag)});
  }
  rows.push_back({.names = kFrontEndFlag,
                  .value = &options.front_end_options,
                  .value_name = "OPTION",
                  .help =
                      "An option of clang for sources, such as -Iinclude, -DN=2 or -std=c17; it "
                      "may also be given as it is",
                  .harmless = true});
  AppendRunOptions(options, rows);
}

void AppendRunOptions(CompileOptions& options, std::vector<OptionRow>& rows) {
  AppendStoreOptions(options.store, rows);
  AppendRemoteFlags(options.store.remote, rows);
  rows.push_back({.names = "--toolchain",
                  .value = &options.toolchain,
                  .value_name = "DIR",
                  .help = "The folder of the compile tool (INGOT_TOOLCHAIN; default: beside ingot)",
                  .default_text = "beside ingot"});
  rows.push_back({.names = "--timeout",
                  .value = &options.time_limit,
                  .value_name = "TIME",
                  .help = "Stop a compilation after this time (INGOT_TIMEOUT; default 10m)",
                  .default_text = kDefaultTimeLimit,
                  .harmless = true});
  rows.push_back({.names = "-j,--jobs",
                  .value = &options.jobs,
                  .value_name = "N",
                  .help = "Inputs compiled at once (default: all cores)",
                  .default_text = "all cores",
                  .harmless = true});
}

void AddCompileOptions(CLI::App& command, CompileOptions& options, std::string_view inputs_help) {
  std::vector<OptionRow> rows;
  AppendCompileOptions(options, inputs_help, rows);
  AddOptions(command, rows);
}

absl::StatusOr<std::vector<compiler::Invocation>> Invocations(const CompileOptions& options) {
  const absl::StatusOr<compiler::Invocation> invocation =
      compiler::ParseArguments(CompilerArguments(options));
  if (!invocation.ok()) return invocation.status();
  return SplitByInput(*invocation);
}

absl::StatusOr<absl::Duration> TimeLimit(const CompileOptions& options) {
  std::string text = options.time_limit.value_or("");
  if (text.empty()) text = kDefaultTimeLimit;
  absl::Duration limit;
  if (!absl::ParseDuration(text, &limit) || limit <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--timeout: '", text, "' is no time limit; write it with its unit, like 90s or 10m"));
  }
  return limit;
}

ExecutionPlaces PlacesFor(const Environment& environment, const StorePaths& paths) {
  const std::optional<std::string> temporary = environment.variable("TMPDIR");
  return {
      .state = paths.state,
      .temporary_directory = temporary.has_value() && !temporary->empty() ? *temporary : "/tmp"};
}

absl::StatusOr<Toolchain> LoadToolchain(const Environment& environment,
                                        const CompileOptions& options, const StorePaths& paths) {
  cache::FileDigestMemo memo(paths.state.empty() ? "" : paths.state + "/file_digests");
  return LoadToolchain(environment, options.toolchain.value_or(""), memo);
}

absl::StatusOr<cache::Generations> LoadGenerations(const StorePaths& paths) {
  if (paths.state.empty()) return cache::Generations();
  return cache::ReadGenerations(cache::GenerationsFile(paths.state));
}

}  // namespace ingot::driver
