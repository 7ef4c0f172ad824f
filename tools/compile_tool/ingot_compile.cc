// ingot-compile: one source or one module of LLVM IR in, one file out. It is what an Action's
// Command runs, locally or on a remote worker: it reads no environment variable and no file but its
// input and what that includes, uses no network and knows no cache.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compiler/compile.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/invocation/invocation.h"
#include "compiler/stage.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tools/compile_tool/crash_report.h"
#include "tools/compile_tool/write_output.h"

namespace ingot::compile_tool {
namespace {

constexpr std::string_view kVersion = "0.1.0";

constexpr std::string_view kUsage =
    "usage: ingot-compile --target=TRIPLE [OPTION]... -o FILE INPUT\n";

enum ExitCode : int {
  kOk = 0,
  kInputIsWrong = 1,
  kUsageError = 2,
  kInternalError = 3,
  kFileFault = 4,  // the driver, which made the files, knows by it that the input is not to blame
};

void Print(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

int Fail(ExitCode code, const absl::Status& status) {
  Print(stderr, absl::StrCat("ingot-compile: error: ", status.message(), "\n"));
  return code;
}

void PrintHelp() {
  Print(
      stdout,
      absl::StrCat(kUsage,
                   "\nCompiles C, C++, OpenCL C, CUDA, assembly or LLVM IR for a GPU or a "
                   "microcontroller.\n"
                   "INPUT may be '-' for standard input, FILE '-' for standard output.\n\n",
                   compiler::OptionsHelp(),
                   "  --color\n      diagnostics in colour\n"
                   "  --host-roots=FILE\n      look for src/ and inc/N/ where FILE says; with "
                   "--canonical-paths\n"
                   "  --dependencies=FILE\n      write down what was read, and what was not "
                   "there\n"
                   "  --scan\n      only that: nothing is compiled\n"
                   "  --help\n      print this\n"
                   "  --version\n      print the version\n\n"
                   "Exit codes: 0 done; 1 the input cannot be compiled; 2 the command line is "
                   "wrong; 3 a fault of\ningot-compile itself; 4 a file cannot be read or written. "
                   "A crash inside LLVM ends the\nprogram by its signal, after a line "
                   "\"ingot-compile: crashed in stage 'STAGE'\".\n"));
}

// What the tool is told besides the invocation: nothing that changes the output.
struct ToolOptions {
  bool color = false;
  bool scan = false;
  std::string host_roots;
  std::string dependencies;
};

// Takes the tool's own options out of `arguments`.
ToolOptions TakeToolOptions(std::vector<std::string>& arguments) {
  ToolOptions options;
  std::vector<std::string> rest;
  bool options_ended = false;
  for (std::string& argument : arguments) {
    std::string_view value = argument;
    options_ended = options_ended || argument == "--";
    if (!options_ended && argument == "--color") {
      options.color = true;
    } else if (!options_ended && argument == "--scan") {
      options.scan = true;
    } else if (!options_ended && absl::ConsumePrefix(&value, "--host-roots=")) {
      options.host_roots = value;
    } else if (!options_ended && absl::ConsumePrefix(&value, "--dependencies=")) {
      options.dependencies = value;
    } else {
      rest.push_back(std::move(argument));
    }
  }
  arguments = std::move(rest);
  return options;
}

absl::StatusOr<std::unique_ptr<llvm::MemoryBuffer>> ReadFile(const std::string& path) {
  // Read, not mapped: a file that is cut short meanwhile must not be a crash.
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      path == "-" ? llvm::MemoryBuffer::getSTDIN()
                  : llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                                /*RequiresNullTerminator=*/true,
                                                /*IsVolatile=*/true);
  if (!file) {
    return absl::NotFoundError(
        absl::StrCat("cannot read '", path, "': ", file.getError().message()));
  }
  return std::move(file.get());
}

absl::StatusOr<compiler::SourceSettings> SettingsFor(const compiler::Invocation& invocation,
                                                     const ToolOptions& options) {
  compiler::SourceSettings settings{.files = {.canonical = invocation.canonical_paths},
                                    .color = options.color,
                                    .scan = options.scan};
  if (options.host_roots.empty()) return settings;
  absl::StatusOr<std::unique_ptr<llvm::MemoryBuffer>> file = ReadFile(options.host_roots);
  if (!file.ok()) return file.status();
  absl::StatusOr<std::vector<compiler::HostRoot>> roots =
      compiler::ParseHostRoots((*file)->getBuffer());
  if (!roots.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--host-roots=", options.host_roots, ": ", roots.status().message()));
  }
  settings.files.host_roots = *std::move(roots);
  return settings;
}

// Does what `arguments` say; returns the exit code.
int Run(std::vector<std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument == "--help") {
      PrintHelp();
      return kOk;
    }
    if (argument == "--version") {
      Print(stdout,
            absl::StrCat("ingot-compile ", kVersion, " (LLVM ", LLVM_VERSION_STRING, ")\n"));
      return kOk;
    }
  }
  const ToolOptions options = TakeToolOptions(arguments);
  absl::StatusOr<compiler::Invocation> invocation = compiler::ParseArguments(arguments);
  if (invocation.ok()) invocation = compiler::Resolve(*invocation);
  if (!invocation.ok()) return Fail(kUsageError, invocation.status());
  if (invocation->inputs.size() != 1) {
    return Fail(kUsageError, absl::InvalidArgumentError(absl::StrCat(
                                 "exactly one input can be compiled at a time, but ",
                                 invocation->inputs.size(), " are given; --help shows the usage")));
  }
  if (invocation->output.empty()) {
    return Fail(kUsageError, absl::InvalidArgumentError("no output was named: add -o FILE"));
  }

  const std::string& path = invocation->inputs.front();
  const absl::StatusOr<compiler::SourceSettings> settings = SettingsFor(*invocation, options);
  if (!settings.ok()) return Fail(kFileFault, settings.status());
  absl::StatusOr<std::unique_ptr<llvm::MemoryBuffer>> input = ReadFile(path);
  if (!input.ok()) return Fail(kFileFault, input.status());
  SetCrashInput(path == "-" ? "<stdin>" : path);
  absl::Status recorded;
  absl::StatusOr<compiler::CompileOutput> output = compiler::Compile(
      *invocation,
      llvm::MemoryBufferRef((*input)->getBuffer(), path == "-" ? "<stdin>" : llvm::StringRef(path)),
      {.enter_stage = SetCrashStage,
       .warning = [](std::string_view text) { Print(stderr, absl::StrCat(text, "\n")); },
       .dependencies =
           [&](const compiler::Dependencies& dependencies) {
             if (options.dependencies.empty()) return;
             recorded =
                 WriteOutput(options.dependencies, compiler::FormatDependencies(dependencies));
           }},
      *settings);
  if (!recorded.ok()) return Fail(kFileFault, recorded);
  if (absl::IsInvalidArgument(output.status())) {
    // The message has its own "PATH: error:".
    Print(stderr, absl::StrCat(absl::StripSuffix(output.status().message(), "\n"), "\n"));
    return kInputIsWrong;
  }
  if (!output.ok()) return Fail(kInternalError, output.status());
  if (options.scan) return kOk;

  SetCrashStage(compiler::Stage::kWrite);
  if (absl::Status status =
          WriteOutput(invocation->output, {output->bytes.data(), output->bytes.size()});
      !status.ok()) {
    return Fail(kFileFault, status);
  }
  return kOk;
}

}  // namespace
}  // namespace ingot::compile_tool

int main(int argc, char** argv) {
  // Clang takes search paths from CPATH and its like, and a time from SOURCE_DATE_EPOCH.
  clearenv();
  ingot::compile_tool::InstallCrashReporting();
  const int code = ingot::compile_tool::Run(std::vector<std::string>(argv + 1, argv + argc));
  // LLVM's many static objects need no destruction at the end of a process.
  if (std::fflush(stdout) != 0) std::_Exit(ingot::compile_tool::kFileFault);
  std::_Exit(code);
}
