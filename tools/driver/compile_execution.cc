#include "tools/driver/compile_execution.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/plan/compile_action.h"
#include "tools/driver/input_request.h"
#include "tools/driver/local_execution.h"
#include "tools/driver/toolchain.h"
#include "tools/driver/work_directory.h"

namespace ingot::driver {
namespace {

// The exit codes of the compile tool that say whose fault it was (tools/compile_tool).
constexpr int kInputIsWrong = 1;
constexpr int kFileFault = 4;

// Beside the folders of the input root.
constexpr std::string_view kHostRootsFile = "host_roots";
constexpr std::string_view kDependenciesFile = "dependencies";

// A folder for work below the system's temporary one: for when the state's cannot be used.
absl::StatusOr<WorkDirectory> MakeTemporaryWorkDirectory(const ExecutionPlaces& places) {
  // A name that others can guess, in a folder that all may write: it must be a folder of ours
  // alone.
  const std::string parent = absl::StrCat(places.temporary_directory, "/ingot-work-", geteuid());
  mkdir(parent.c_str(), 0700);
  struct stat info = {};
  if (lstat(parent.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::InternalError(absl::StrCat(
        "no folder to compile in: neither ", places.state.empty() ? "(no HOME)" : places.state,
        " nor ", parent, " is a folder that only this user can write; name one with --state_dir"));
  }
  return WorkDirectory::Create(parent);
}

absl::StatusOr<Executed> ExecuteIn(absl::StatusOr<WorkDirectory> work,
                                   const ExecutionRequest& request) {
  if (!work.ok()) return work.status();
  const absl::Time start = absl::Now();
  absl::StatusOr<ExecutionResult> result = Execute(request, work->path());
  if (!result.ok()) return result.status();
  return Executed{*std::move(work), *std::move(result), start, absl::Now()};
}

// Whether the compile tool could not read its staged input or write its staged output, which is
// never the user's fault: the folder was full, or somebody deleted it meanwhile.
bool LostItsFiles(const ExecutionResult& result) {
  return result.signal == 0 && result.exit_code == kFileFault;
}

}  // namespace

absl::StatusOr<ExecutionRequest> RequestFor(const Toolchain& toolchain, const InputRequest& input,
                                            absl::Duration time_limit, ToolRun run) {
  ExecutionRequest request{.program = toolchain.compile_tool,
                           .arguments = compiler::ToolArguments(input.canonical),
                           .inputs = {{input.canonical.source_path, input.text}},
                           .outputs = {input.canonical.output_path},
                           .time_limit = time_limit};
  if (!input.may_include) return request;
  // The tool runs in another directory than the user.
  std::vector<compiler::HostRoot> roots = input.canonical.roots;
  for (compiler::HostRoot& root : roots) {
    std::error_code error;
    root.folder = std::filesystem::absolute(root.folder, error).string();
    if (error) {
      return absl::InternalError(
          absl::StrCat("the current directory cannot be found: ", error.message()));
    }
  }
  request.inputs[std::string(kHostRootsFile)] = compiler::FormatHostRoots(roots);
  request.outputs.emplace_back(kDependenciesFile);
  std::vector<std::string> local = {absl::StrCat("--host-roots=", kHostRootsFile),
                                    absl::StrCat("--dependencies=", kDependenciesFile)};
  if (run == ToolRun::kScan) local.emplace_back("--scan");
  request.arguments.insert(request.arguments.begin() + 1, local.begin(), local.end());
  return request;
}

absl::StatusOr<Executed> ExecuteSomewhere(const ExecutionPlaces& places,
                                          const ExecutionRequest& request) {
  if (!places.state.empty()) {
    absl::StatusOr<Executed> executed =
        ExecuteIn(WorkDirectory::Create(places.state + "/work"), request);
    if (executed.ok() && !LostItsFiles(executed->result)) return executed;
  }
  return ExecuteIn(MakeTemporaryWorkDirectory(places), request);
}

const std::string* OutputOf(const ExecutionResult& result, const std::string& output_path) {
  const auto output = result.outputs.find(output_path);
  const bool succeeded = result.signal == 0 && result.exit_code == 0 && !result.timed_out &&
                         output != result.outputs.end();
  return succeeded ? &output->second : nullptr;
}

absl::StatusOr<compiler::Dependencies> DependenciesOf(const ExecutionResult& result) {
  const auto record = result.outputs.find(std::string(kDependenciesFile));
  if (record == result.outputs.end()) {
    return absl::InternalError("the compile tool left no record of what it read");
  }
  return compiler::ParseDependencies(record->second);
}

bool InputWasRejected(const ExecutionResult& result) {
  return result.signal == 0 && result.exit_code == kInputIsWrong;
}

}  // namespace ingot::driver
