// Makes a crash inside LLVM readable from outside.
//
//   InstallCrashReporting();
//   SetCrashStage(Stage::kCodegen);
//   … LLVM crashes: standard error gets
//       ingot-compile: crashed in stage 'codegen'
//       Stack dump:
//       0.  Running pass 'Function Pass Manager' on module 'kernel.ll'.
//       1.  Running pass 'NVPTX DAG->DAG Pattern Instruction Selection' on function '@f'
//   … and the process dies by the signal that it crashed with.
//
// The first line is for programs: there is exactly one, whatever the signal. No line holds an
// address, so that the same crash gives the same text.

#ifndef INGOT_TOOLS_COMPILE_TOOL_CRASH_REPORT_H_
#define INGOT_TOOLS_COMPILE_TOOL_CRASH_REPORT_H_

#include <string>

#include "compiler/stage.h"

namespace ingot::compile_tool {

// Exit code for what LLVM refuses in a way that leaves no return, though it is about the input:
// that the processor has no instruction for something, for one. The same as for any other wrong
// input.
inline constexpr int kFatalUsageErrorExitCode = 1;

// Reports SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE and SIGQUIT (which the driver sends at
// its time limit), and errors that LLVM calls fatal. Writes no core dumps. Once per process, before
// any other thread exists.
void InstallCrashReporting();

// What messages call the input of the compilation.
void SetCrashInput(std::string path);

// What a crash from here on is said to be in; "parse" at first.
void SetCrashStage(compiler::Stage stage);

}  // namespace ingot::compile_tool

#endif  // INGOT_TOOLS_COMPILE_TOOL_CRASH_REPORT_H_
