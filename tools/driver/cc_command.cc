#include "tools/driver/cc_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
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
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "compiler/invocation/invocation.h"
#include "targets/record.h"
#include "targets/registry.h"
#include "tools/driver/cc_arguments.h"
#include "tools/driver/cc_jobs.h"
#include "tools/driver/cc_sysroot.h"
#include "tools/driver/collection_options.h"
#include "tools/driver/compile_execution.h"
#include "tools/driver/compile_job.h"
#include "tools/driver/compile_options.h"
#include "tools/driver/compile_run.h"
#include "tools/driver/dependency_file.h"
#include "tools/driver/diagnostics_report.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/files.h"
#include "tools/driver/local_execution.h"
#include "tools/driver/option_table.h"
#include "tools/driver/response_file.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"
#include "tools/driver/usual_command_line.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;

// Beside those with an underscore in their name, which no option of a compiler has.
constexpr std::array<std::string_view, 4> kIngotOptions = {"--toolchain", "--timeout", "--jobs",
                                                           "--config"};

std::vector<OptionRow> OptionRows(CcFlags& flags) {
  std::vector<OptionRow> rows;
  AppendRunOptions(flags.options, rows);
  AppendCollectionOptions(flags.collection, rows);
  return rows;
}

constexpr std::string_view kHelp =
    R"(Usage: ingot cc [INGOT OPTION...] [--] [OPTION | FILE]...

Compiles C, C++, OpenCL C, CUDA, assembly and LLVM IR for a device, with the command line of clang
and gcc, from the cache where it can be. The first of these that is there says for which target:
--target=, -mmcu=, the program's name.

How far to go:
  -c                    Make an object of each source (PTX for nvptx64).
  -S                    Make assembly; with -emit-llvm, LLVM IR as text.
  -E                    Preprocess only; without -o, to standard output.
  -M, -MM               Print what each source includes as a rule for Make; -MM without the system's.
  -fsyntax-only         Only check.
  -emit-llvm            Write LLVM IR: bitcode with -c, text with -S.
  -o FILE               Where to write.

What to compile:
  FILE...               - is standard input.
  -x LANG               The language of the files that follow: c, c++, cl, cuda, assembler,
                        assembler-with-cpp, cpp-output, c++-cpp-output, ir; none: by name again.
  --target=TRIPLE       What to compile for; `ingot targets` lists targets and CPUs.
  -mmcu=DEVICE          Which microcontroller; -mcpu= and -march= name any CPU.
  --features=LIST       Features to add or take away: +ptx87 or +mul,-lpmx.
  --sysroot=DIR         Use the headers of the C library in DIR (AVR), or with --cuda-path
                        those of a host's C++ library.
  --cuda-path=DIR       For CUDA: use the headers of the CUDA toolkit in DIR, not Ingot's own.
  -O0 to -O3, -Os, -Oz  How much to optimise; the default is -O0.
  -I, -isystem, -iquote, -idirafter, -include, -D, -U, -std=, -W..., -f..., -g...
                        As in clang. An option that is not supported is refused by name.

Files for Make and Ninja:
  -MD, -MMD             Also write what is included, to the output's name with .d.
  -MF FILE              Write it to FILE.
  -MT NAME, -MQ NAME    The target of that rule; -MQ escapes it.
  -MP                   Add an empty rule for each header.

Questions: --version -v -### -dumpmachine -dumpversion -print-target-triple -print-resource-dir
  -print-search-dirs -print-file-name=F -print-prog-name=P -print-libgcc-file-name
  -print-multi-directory -print-multi-lib -print-sysroot

@FILE stands for the arguments in FILE. Ingot's own options - where results are stored, and so on -
come from rc files and INGOT_ variables (`ingot config cc` shows them), or stand first, as in
  ingot cc --disk_cache=/srv/cache -mmcu=atmega328p -Os -c blink.c

The same program called ingot-cc, ingot-gcc, ingot-g++, ingot-clang or ingot-clang++ is this
command; avr-ingot-gcc, nvptx64-ingot-clang and so on also name the target.

Exit codes: 0 done; 1 the sources are wrong or a file cannot be read or written; 2 usage;
3 Ingot's own failure.
)";

bool IsIngotOption(std::string_view word) {
  if (!absl::StartsWith(word, "--")) return false;
  const std::string_view name = word.substr(0, word.find('='));
  return absl::StrContains(name, '_') ||
         std::ranges::find(kIngotOptions, name) != kIngotOptions.end();
}

bool IsFolder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Each in quotes, as clang shows the commands that it runs.
std::string Quoted(std::span<const std::string> words) {
  std::string quoted;
  for (const std::string& word : words) {
    absl::StrAppend(&quoted, " \"");
    for (const char c : word) {
      if (c == '"' || c == '\\' || c == '$') quoted += '\\';
      quoted += c;
    }
    quoted += '"';
  }
  return quoted;
}

class CcObserver final : public CompileObserver {
 public:
  void Warn(const std::string& warning) override { warnings_.push_back(warning); }
  void Started(const std::string&) override {}
  void Finished(const CompileOutcome&) override {}

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> warnings_;  // only the thread that runs all adds to it
};

class CcRun {
 public:
  CcRun(const Environment& environment, const CcCall& call, const CcFlags& flags)
      : environment_(environment), call_(call), flags_(flags) {}

  int Run() {
    absl::StatusOr<std::vector<std::string>> expanded =
        ExpandResponseFiles(call_.arguments, ReadInput);
    if (!expanded.ok()) return Fail(expanded.status());
    absl::StatusOr<CcArguments> arguments = ParseCcArguments(*expanded, call_.name);
    if (!arguments.ok()) return Fail(arguments.status());
    arguments_ = *std::move(arguments);
    if (arguments_.query != CcQuery::kNone) return Answer();
    if (arguments_.verbose || arguments_.dry_run) {
      const absl::StatusOr<std::string> version = VersionText();
      if (!version.ok()) return Fail(version.status());
      environment_.err << *version;
      if (arguments_.inputs.empty() && arguments_.for_linker.empty() && !arguments_.dry_run) {
        return kSuccess;
      }
    }
    if (absl::Status status = AddSysroot(IsFolder, arguments_); !status.ok()) return Fail(status);
    absl::StatusOr<std::vector<CcJob>> jobs = PlanCcJobs(arguments_);
    if (!jobs.ok()) return Fail(jobs.status());
    for (const std::string& warning : arguments_.warnings) Warn(warning);
    if (arguments_.verbose || arguments_.dry_run) {
      if (absl::Status status = ShowCommands(*jobs); !status.ok()) return Fail(status);
    }
    if (arguments_.dry_run || jobs->empty()) return kSuccess;
    return Compile(*jobs);
  }

 private:
  void Error(std::string_view message) {
    environment_.err << "ingot cc: error: " << message << "\n";
  }

  void Warn(std::string_view message) {
    environment_.err << "ingot cc: warning: " << message << "\n";
  }

  int Fail(const absl::Status& status) {
    Error(status.message());
    return ExitCodeFor(status);
  }

  absl::StatusOr<Toolchain> FindToolchain() const {
    return LoadToolchain(environment_, flags_.options,
                         FindStore(environment_, flags_.options.store));
  }

  int Compile(const std::vector<CcJob>& jobs) {
    std::vector<compiler::Invocation> invocations;
    for (const CcJob& job : jobs) invocations.push_back(job.invocation);
    CcObserver observer;
    CompileOptions one_by_one;
    const CompileOptions* options = &flags_.options;
    if (jobs.size() > 1 && jobs.front().invocation.output == "-") {
      // Several to one stream: in order.
      one_by_one = flags_.options;
      one_by_one.jobs = 1;
      options = &one_by_one;
    }
    const absl::StatusOr<CompileRunResult> run =
        RunCompilations({.environment = environment_,
                         .options = *options,
                         .collection = flags_.collection,
                         .color = arguments_.diagnostics_format == DiagnosticsFormat::kText &&
                                  arguments_.color.value_or(environment_.err_is_terminal)},
                        invocations, observer);
    if (!run.ok()) return Fail(run.status());
    int exit_code = kSuccess;
    std::vector<std::string> warnings = observer.warnings();
    std::string diagnostics;
    for (const CompileOutcome& outcome : run->outcomes) diagnostics += outcome.diagnostics;
    environment_.err << RenderDiagnostics(diagnostics, arguments_.diagnostics_format);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const CompileOutcome& outcome = run->outcomes[i];
      exit_code = std::max<int>(exit_code, Deliver(jobs[i], outcome));
      warnings.insert(warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
    }
    // One store has one fault however many inputs meet it.
    if (!warnings.empty()) Warn(warnings.front());
    if (warnings.size() > 1) {
      Warn(absl::StrCat("and ", warnings.size() - 1, " more about the cache"));
    }
    return exit_code;
  }

  // Tells about the outcome of `job` and writes what goes with the output.
  int Deliver(const CcJob& job, const CompileOutcome& outcome) {
    if (arguments_.verbose) environment_.err << DescribeOutcome(outcome, /*verbose=*/true);
    absl::Status status = outcome.status;
    if (status.ok()) status = WriteDependencies(job, outcome);
    if (!status.ok() && !status.message().empty()) Error(status.message());
    return ExitCodeFor(status);
  }

  absl::Status WriteDependencies(const CcJob& job, const CompileOutcome& outcome) const {
    if (job.dependency_file.empty()) return absl::OkStatus();
    if (!outcome.included_is_known) {
      return absl::InternalError(absl::StrCat(outcome.input, ": cannot tell what it includes, so ",
                                              job.dependency_file, " was not written"));
    }
    DependencyRuleParts rule{.targets = job.dependency_targets,
                             .files = {outcome.input},
                             .phony = arguments_.dependencies.phony};
    for (const IncludedFile& file : outcome.included) {
      if (file.system && arguments_.dependencies.leave_out_system) continue;
      rule.files.push_back(file.path);
    }
    return WriteOutput(job.dependency_file, DependencyRule(rule));
  }

  // As clang shows what it would run; the paths are the user's, where the tool gets canonical ones.
  absl::Status ShowCommands(const std::vector<CcJob>& jobs) const {
    const absl::StatusOr<Toolchain> toolchain = FindToolchain();
    if (!toolchain.ok()) return toolchain.status();
    for (const CcJob& job : jobs) {
      std::vector<std::string> words = compiler::CanonicalArguments(job.invocation);
      words.insert(words.begin(), toolchain->compile_tool);
      environment_.err << Quoted(words) << "\n";
    }
    return absl::OkStatus();
  }

  // What the compile tool says of itself: "ingot-compile 0.1.0 (LLVM 22.1.8)".
  absl::StatusOr<std::string> ToolVersion() const {
    const StorePaths paths = FindStore(environment_, flags_.options.store);
    const absl::StatusOr<Toolchain> toolchain = LoadToolchain(environment_, flags_.options, paths);
    if (!toolchain.ok()) return toolchain.status();
    const absl::StatusOr<Executed> executed = ExecuteSomewhere(
        PlacesFor(environment_, paths), {.program = toolchain->compile_tool,
                                         .arguments = {toolchain->compile_tool, "--version"},
                                         .inputs = {},
                                         .outputs = {},
                                         .time_limit = absl::Minutes(1)});
    if (!executed.ok()) return executed.status();
    const std::string& text = executed->result.stdout_text;
    if (executed->result.signal != 0 || executed->result.exit_code != 0 || text.empty()) {
      return absl::InternalError(
          absl::StrCat(toolchain->compile_tool, " does not say which version it is"));
    }
    return std::string(absl::StripSuffix(text, "\n"));
  }

  absl::StatusOr<std::string> LlvmVersion() const {
    const absl::StatusOr<std::string> tool = ToolVersion();
    if (!tool.ok()) return tool.status();
    constexpr std::string_view kLlvm = "(LLVM ";
    const std::size_t begin = tool->find(kLlvm);
    if (begin == std::string::npos) return absl::InternalError("unknown compile tool: " + *tool);
    return tool->substr(begin + kLlvm.size(), tool->find(')', begin) - begin - kLlvm.size());
  }

  // In clang's layout, since programs look for "clang version".
  absl::StatusOr<std::string> VersionText() const {
    const absl::StatusOr<std::string> llvm = LlvmVersion();
    if (!llvm.ok()) return llvm.status();
    std::string target = "none; name one with --target= or -mmcu=";
    if (!arguments_.invocation.target.empty()) {
      const absl::StatusOr<const targets::TargetRecord*> record = Target();
      if (!record.ok()) return record.status();
      target = (*record)->triple;
    }
    return absl::StrCat("ingot clang version ", *llvm, "\nTarget: ", target,
                        "\nThread model: single\nInstalledDir: ", InstalledDirectory(), "\n");
  }

  std::string InstalledDirectory() const {
    return fs::path(environment_.executable).parent_path().string();
  }

  absl::StatusOr<const targets::TargetRecord*> Target() const {
    if (arguments_.invocation.target.empty()) {
      return absl::InvalidArgumentError("no target was named: add --target=TRIPLE or -mmcu=DEVICE");
    }
    return targets::FindTarget(arguments_.invocation.target);
  }

  int Answer() {
    const absl::StatusOr<std::string> answer = AnswerText();
    if (!answer.ok()) return Fail(answer.status());
    environment_.out << *answer;
    return kSuccess;
  }

  absl::StatusOr<std::string> AnswerText() const {
    switch (arguments_.query) {
      case CcQuery::kNone:
        break;
      case CcQuery::kHelp:
        return std::string(kHelp);
      case CcQuery::kVersion:
        return VersionText();
      case CcQuery::kDumpMachine:
      case CcQuery::kTargetTriple: {
        const absl::StatusOr<const targets::TargetRecord*> target = Target();
        if (!target.ok()) return target.status();
        return absl::StrCat((*target)->triple, "\n");
      }
      case CcQuery::kDumpVersion: {
        const absl::StatusOr<std::string> version = LlvmVersion();
        if (!version.ok()) return version.status();
        return absl::StrCat(*version, "\n");
      }
      case CcQuery::kResourceDirectory: {
        // The headers are inside the compile tool.
        const absl::StatusOr<Toolchain> toolchain = FindToolchain();
        if (!toolchain.ok()) return toolchain.status();
        return absl::StrCat(fs::path(toolchain->compile_tool).parent_path().string(), "\n");
      }
      case CcQuery::kSearchDirectories:
        return absl::StrCat("programs: =", InstalledDirectory(),
                            "\nlibraries: =", absl::StrJoin(LibraryFolders(), ":"), "\n");
      case CcQuery::kFileName:
        return absl::StrCat(FindFile(arguments_.query_value), "\n");
      case CcQuery::kLibgccFileName:
        return absl::StrCat(FindFile("libgcc.a"), "\n");
      case CcQuery::kProgramName:
        return absl::StrCat(FindProgram(arguments_.query_value), "\n");
      case CcQuery::kMultiDirectory:
        return std::string(".\n");
      case CcQuery::kMultiLib:
        return std::string(".;\n");
      case CcQuery::kSysroot:
        return absl::StrCat(arguments_.sysroot, arguments_.sysroot.empty() ? "" : "\n");
    }
    return std::string();
  }

  std::vector<std::string> LibraryFolders() const {
    std::vector<std::string> folders;
    if (arguments_.sysroot.empty()) return folders;
    for (const std::string_view place : {"avr/lib", "lib/avr/lib", "usr/lib/avr/lib", "lib"}) {
      std::string folder = absl::StrCat(absl::StripSuffix(arguments_.sysroot, "/"), "/", place);
      if (IsFolder(folder)) folders.push_back(std::move(folder));
    }
    return folders;
  }

  // As clang and gcc answer: the name itself where there is no such file.
  std::string FindFile(const std::string& name) const {
    for (const std::string& folder : LibraryFolders()) {
      std::string path = absl::StrCat(folder, "/", name);
      if (access(path.c_str(), R_OK) == 0) return path;
    }
    return name;
  }

  std::string FindProgram(const std::string& name) const {
    std::vector<std::string> folders = {InstalledDirectory()};
    for (const std::string_view folder :
         absl::StrSplit(environment_.variable("PATH").value_or(""), ':', absl::SkipEmpty())) {
      folders.emplace_back(folder);
    }
    std::vector<std::string> names = {name};
    if (const auto target = Target(); target.ok()) {
      names.insert(names.begin(), absl::StrCat((*target)->name, "-", name));
    }
    for (const std::string& candidate : names) {
      for (const std::string& folder : folders) {
        std::string path = absl::StrCat(folder, "/", candidate);
        if (access(path.c_str(), X_OK) == 0 && !IsFolder(path)) return path;
      }
    }
    return name;
  }

  const Environment& environment_;
  const CcCall& call_;
  const CcFlags& flags_;
  CcArguments arguments_;
};

}  // namespace

std::optional<CcCommandLine> FindCcCommand(std::span<const std::string> arguments,
                                           std::string_view program) {
  CcCommandLine line;
  line.ingot_words.emplace_back(kCcCommand);
  if (std::optional<CcName> name = CompilerOfProgram(program); name.has_value()) {
    line.call.name = *std::move(name);
  } else if (!arguments.empty() && arguments.front() == kCcCommand) {
    arguments = arguments.subspan(1);
  } else {
    return std::nullopt;
  }
  while (!arguments.empty() && IsIngotOption(arguments.front())) {
    line.ingot_words.push_back(arguments.front());
    arguments = arguments.subspan(1);
  }
  // What ends Ingot's options does not end the compiler's.
  if (line.ingot_words.size() > 1 && !arguments.empty() && arguments.front() == "--") {
    arguments = arguments.subspan(1);
  }
  line.call.arguments.assign(arguments.begin(), arguments.end());
  return line;
}

std::optional<CcFlags> UsualCcFlags(const Environment& environment,
                                    std::span<const std::string> ingot_words) {
  if (ingot_words.empty() || !environment.ingot_variables) return std::nullopt;
  CcFlags flags;
  if (!ReadUsualCommandLine(OptionRows(flags), ingot_words.subspan(1),
                            environment.ingot_variables(), environment.variable)
           .has_value()) {
    return std::nullopt;
  }
  return flags;
}

void AddCcCommand(CLI::App& app, const Environment& environment, const CcCall& call,
                  int& exit_code) {
  CLI::App* command = app.add_subcommand(
      std::string(kCcCommand), "Compile C, C++ and so on, called as clang or gcc would be");
  auto flags = std::make_shared<CcFlags>();
  AddOptions(*command, OptionRows(*flags));
  command->callback(
      [&environment, &call, &exit_code, flags] { exit_code = RunCc(environment, call, *flags); });
}

int RunCc(const Environment& environment, const CcCall& call, const CcFlags& flags) {
  return CcRun(environment, call, flags).Run();
}

}  // namespace ingot::driver
