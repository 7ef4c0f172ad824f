// ingot-compile: one module of LLVM IR in, one file out. It is what an Action's Command runs,
// locally or on a remote worker: it reads no environment variable and no file but its input, uses
// no network and knows no cache.

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
#include "compiler/compile.h"
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
                   "\nCompiles LLVM IR, as text or bitcode, for a GPU or a microcontroller.\n"
                   "INPUT may be '-' for standard input, FILE '-' for standard output.\n\n",
                   compiler::OptionsHelp(),
                   "  --help\n      print this\n"
                   "  --version\n      print the version\n\n"
                   "Exit codes: 0 done; 1 the input cannot be compiled; 2 the command line is "
                   "wrong; 3 a fault of\ningot-compile itself; 4 a file cannot be read or written. "
                   "A crash inside LLVM ends the\nprogram by its signal, after a line "
                   "\"ingot-compile: crashed in stage 'STAGE'\".\n"));
}

// Does what `arguments` say; returns the exit code.
int Run(const std::vector<std::string>& arguments) {
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
  // Read, not mapped: a file that is cut short meanwhile must not be a crash.
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> input =
      path == "-" ? llvm::MemoryBuffer::getSTDIN()
                  : llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                                /*RequiresNullTerminator=*/true,
                                                /*IsVolatile=*/true);
  if (!input) {
    return Fail(kFileFault, absl::NotFoundError(absl::StrCat("cannot read '", path,
                                                             "': ", input.getError().message())));
  }
  absl::StatusOr<compiler::CompileOutput> output = compiler::Compile(
      *invocation,
      llvm::MemoryBufferRef((*input)->getBuffer(), path == "-" ? "<stdin>" : llvm::StringRef(path)),
      {.enter_stage = SetCrashStage,
       .warning = [](std::string_view text) { Print(stderr, absl::StrCat(text, "\n")); }});
  if (absl::IsInvalidArgument(output.status())) {
    // The message has its own "PATH: error:".
    Print(stderr, absl::StrCat(output.status().message(), "\n"));
    return kInputIsWrong;
  }
  if (!output.ok()) return Fail(kInternalError, output.status());

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
  ingot::compile_tool::InstallCrashReporting();
  const int code = ingot::compile_tool::Run(std::vector<std::string>(argv + 1, argv + argc));
  // LLVM's many static objects need no destruction at the end of a process.
  if (std::fflush(stdout) != 0) std::_Exit(ingot::compile_tool::kFileFault);
  std::_Exit(code);
}
