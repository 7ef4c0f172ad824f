#include "tools/compile_tool/crash_report.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compiler/diagnostics.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"

namespace ingot::compile_tool {
namespace {

using compiler::Stage;

std::atomic<Stage> g_stage = Stage::kParse;
static_assert(std::atomic<Stage>::is_always_lock_free, "read in a signal handler");

void WriteToStandardError(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;  // nobody is left to tell
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Runs in a signal handler: no allocation, nothing but write(2).
void PrintStage(void*) {
  char line[80];
  std::size_t size = 0;
  for (const std::string_view part : {std::string_view("ingot-compile: crashed in stage '"),
                                      StageName(g_stage.load()), std::string_view("'\n")}) {
    size += part.copy(line + size, sizeof(line) - size);
  }
  WriteToStandardError({line, size});
}

constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP,
                                 SIGABRT, SIGFPE, SIGSYS, SIGQUIT};

// LLVM's own handler returns to the program after a signal that another process sent, and a loop
// without end goes on.
void OnCrash(int signal_number) {
  signal(signal_number, SIG_DFL);
  llvm::sys::RunInterruptHandlers();  // removes the temporary file
  llvm::sys::RunSignalHandlers();
  // Blocked until this handler returns; a fault would come again by itself, a signal from outside
  // would not.
  raise(signal_number);
}

std::string g_input;  // of the compilation that runs, for messages

// What to tell the user of an error that is about the input, though LLVM calls it one of its own:
// there is no instruction for something. Empty for any other error.
//
//   Cannot select: t0: f32 = fcos t1      becomes   in function 'wave': this processor has no
//     t1: f32,ch = CopyFromReg t2 …                 instruction for: f32 = fcos t1
//   In function: wave                               [no-instruction]
std::string AboutTheInput(std::string_view text) {
  // What LLVM's code generators say of orders, scopes and arguments that they do not have.
  for (const std::string_view start :
       {"__nvvm_reflect argument must be", "NVPTX SM architecture",
        "NVPTX AtomicCode Printer does not support", "Unsupported scope"}) {
    if (absl::StartsWith(text, start)) return absl::StrCat(text, " [unsupported]");
  }
  if (!absl::ConsumePrefix(&text, "Cannot select: ")) return {};
  constexpr std::string_view kFunction = "\nIn function: ";
  std::string message;
  if (const std::size_t at = text.find(kFunction); at != std::string_view::npos) {
    const std::string_view function = text.substr(at + kFunction.size());
    message = absl::StrCat("in function '", function.substr(0, function.find('\n')), "': ");
  }
  std::string_view node = text.substr(0, text.find('\n'));
  // The number of the node in LLVM's graph, "t0: ".
  if (const std::size_t colon = node.find(": "); absl::StartsWith(node, "t") && colon < 8) {
    node.remove_prefix(colon + 2);
  }
  return absl::StrCat(message, "this processor has no instruction for: ", node,
                      " [no-instruction]\n", g_input,
                      ": note: a newer one (--cpu), or more of its features (--features), may "
                      "have it");
}

// LLVM calls this for an error that it cannot return from, and exits or aborts where it returns.
void OnFatalError(void*, const char* reason, bool is_internal) {
  const std::string text = compiler::ScrubAddresses(reason);
  const std::string about_input = is_internal ? AboutTheInput(text) : text;
  if (!about_input.empty()) {
    WriteToStandardError(
        absl::StrCat(g_input.empty() ? "ingot-compile" : g_input, ": error: ", about_input, "\n"));
    llvm::sys::RunInterruptHandlers();  // removes the temporary file
    _exit(kFatalUsageErrorExitCode);
  }
  WriteToStandardError(absl::StrCat("LLVM ERROR: ", text, "\n"));
  std::abort();  // reported like any other signal
}

}  // namespace

void InstallCrashReporting() {
  const rlimit no_core_dumps = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core_dumps);
  // Handlers run in the order in which they were added.
  llvm::sys::AddSignalHandler(PrintStage, nullptr);
  llvm::setBugReportMsg("");  // the driver says where to report and what
  llvm::EnablePrettyStackTrace();
  llvm::install_fatal_error_handler(OnFatalError);
  // Now that LLVM has made the alternative stack, which a stack overflow needs, and its own
  // handlers.
  struct sigaction action = {};
  action.sa_handler = OnCrash;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal_number : kCrashSignals) sigaction(signal_number, &action, nullptr);
}

void SetCrashInput(std::string path) { g_input = std::move(path); }

void SetCrashStage(Stage stage) { g_stage.store(stage); }

}  // namespace ingot::compile_tool
