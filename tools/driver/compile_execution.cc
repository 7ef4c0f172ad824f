#include "tools/driver/compile_execution.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "compiler/plan/compile_action.h"
#include "tools/driver/local_execution.h"
#include "tools/driver/toolchain.h"
#include "tools/driver/work_directory.h"

namespace ingot::driver {
namespace {

// The exit codes of the compile tool that say whose fault it was (tools/compile_tool).
constexpr int kInputIsWrong = 1;
constexpr int kFileFault = 4;

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

ExecutionRequest RequestFor(const Toolchain& toolchain, const compiler::CompileAction& plan,
                            std::string_view text, absl::Duration time_limit) {
  return {.program = toolchain.compile_tool,
          .arguments = plan.arguments,
          .inputs = {{plan.source_path, text}},
          .outputs = {plan.output_path},
          .time_limit = time_limit};
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

const std::string* OutputOf(const ExecutionResult& result, const compiler::CompileAction& plan) {
  const auto output = result.outputs.find(plan.output_path);
  const bool succeeded = result.signal == 0 && result.exit_code == 0 && !result.timed_out &&
                         output != result.outputs.end();
  return succeeded ? &output->second : nullptr;
}

bool InputWasRejected(const ExecutionResult& result) {
  return result.signal == 0 && result.exit_code == kInputIsWrong;
}

std::string ToUserPath(std::string_view text, std::string_view canonical, std::string_view user) {
  const std::string prefix = absl::StrCat(canonical, ":");
  std::string result;
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    if (!result.empty() || line.data() != text.data()) result += '\n';
    if (absl::StartsWith(line, prefix)) {
      absl::StrAppend(&result, user == "-" ? "<stdin>" : user);
      line.remove_prefix(canonical.size());
    }
    result += line;
  }
  return result;
}

}  // namespace ingot::driver
