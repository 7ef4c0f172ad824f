#include "tools/driver/crash_report.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "tools/driver/files.h"
#include "tools/driver/local_execution.h"
#include "tools/driver/work_directory.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;

// A crash is worth an investigation, a hundred of them are one bug: more would only fill the disk.
constexpr std::size_t kKeptReproducers = 16;
constexpr std::string_view kScriptName = "reproduce.sh";

constexpr std::size_t kLongestPassName = 80;

// The text between the first `before` and the next `after`, or nothing.
std::string Between(std::string_view line, std::string_view before, std::string_view after) {
  const std::size_t start = line.find(before);
  if (start == std::string_view::npos) return {};
  line.remove_prefix(start + before.size());
  const std::size_t end = line.find(after);
  if (end == std::string_view::npos) return {};
  return std::string(line.substr(0, end));
}

std::string SignalName(int signal) {
  const char* abbreviation = sigabbrev_np(signal);
  return abbreviation == nullptr ? absl::StrCat("signal ", signal)
                                 : absl::StrCat("SIG", abbreviation);
}

std::string ShellQuoted(std::string_view word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

// Reproducers alone, which have a digest's digits for a name: a folder that somebody named with
// --state_dir may have other people's `crashes` in it.
bool IsReproducer(const fs::path& path) {
  const std::string name = path.filename().string();
  std::error_code error;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return absl::ascii_isxdigit(c); }) &&
         fs::is_regular_file(path / kScriptName, error);
}

void RemoveOldest(const std::string& directory) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (!IsReproducer(entry.path())) continue;
    const fs::file_time_type time = entry.last_write_time(error);
    if (!error) kept.emplace_back(time, entry.path());
  }
  if (kept.size() < kKeptReproducers) return;
  std::sort(kept.begin(), kept.end());
  kept.resize(kept.size() - kKeptReproducers + 1);
  for (const auto& [time, path] : kept) fs::remove_all(path, error);
}

}  // namespace

CrashFacts ParseCrash(std::string_view stderr_text) {
  CrashFacts facts;
  for (const std::string_view line : absl::StrSplit(stderr_text, '\n')) {
    constexpr std::string_view kFatal = "LLVM ERROR: ";
    if (absl::StartsWith(line, kFatal)) facts.message = line.substr(kFatal.size());
    if (absl::StrContains(line, "crashed in stage '")) {
      facts.stage = Between(line, "crashed in stage '", "'");
    }
    // LLVM lists what it was running, the innermost last: code generation as 'PASS' on function
    // '@F', optimisation as "PASS" on function "F".
    for (const std::string_view quote : {"'", "\""}) {
      const std::string start = absl::StrCat("Running pass ", quote);
      if (!absl::StrContains(line, start)) continue;
      facts.pass = Between(line, start, quote);
      facts.function = Between(line, absl::StrCat(" on function ", quote), quote);
      // The outermost pass of an optimisation is its whole pipeline.
      if (facts.pass.size() > kLongestPassName) facts.pass.clear();
    }
  }
  return facts;
}

std::string DescribeCrash(const ExecutionResult& result, absl::Duration time_limit) {
  const CrashFacts facts = ParseCrash(result.stderr_text);
  std::string text = "the compile tool ";
  if (result.timed_out) {
    absl::StrAppend(&text, "was stopped at its time limit of ", absl::FormatDuration(time_limit));
  } else if (result.signal != 0) {
    absl::StrAppend(&text, "crashed with ", SignalName(result.signal));
  } else if (result.exit_code == 0) {
    absl::StrAppend(&text, "ended as if it had succeeded, and wrote no output");
  } else {
    absl::StrAppend(&text, "failed with exit code ", result.exit_code);
  }
  if (!facts.stage.empty()) absl::StrAppend(&text, " in stage '", facts.stage, "'");
  if (!facts.pass.empty()) absl::StrAppend(&text, ", pass '", facts.pass, "'");
  if (!facts.function.empty()) absl::StrAppend(&text, ", function '", facts.function, "'");
  if (!facts.message.empty()) absl::StrAppend(&text, "\n  LLVM says: ", facts.message);
  if (result.signal == 0 && !result.stderr_text.empty()) {
    absl::StrAppend(&text, "\n  it says: ", absl::StripAsciiWhitespace(result.stderr_text));
  }
  return text;
}

absl::StatusOr<std::string> KeepReproducer(WorkDirectory work, const ExecutionRequest& request,
                                           const std::string& directory, const std::string& name) {
  std::string script = absl::StrCat(
      "#!/bin/bash\n"
      "# Runs the compilation that failed, on the inputs beside this file.\n"
      "cd \"$(dirname \"$0\")\" || exit\n"
      "exec -c -a ",
      ShellQuoted(request.arguments.front()), " ", ShellQuoted(request.program));
  for (std::size_t i = 1; i < request.arguments.size(); ++i) {
    absl::StrAppend(&script, " \\\n  ", ShellQuoted(request.arguments[i]));
  }
  script += "\n";
  const std::string script_path = absl::StrCat(work.path(), "/", kScriptName);
  if (absl::Status status = WriteOutput(script_path, script); !status.ok()) return status;
  if (chmod(script_path.c_str(), 0755) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", script_path, " executable"));
  }
  RemoveOldest(directory);
  const std::string destination = absl::StrCat(directory, "/", name);
  if (absl::Status status = std::move(work).KeepAs(destination); !status.ok()) return status;
  return absl::StrCat(destination, "/", kScriptName);
}

}  // namespace ingot::driver
