// The command line of `ingot cc`, which is clang's and gcc's: what Make and CMake call a C compiler
// with.
//
//   absl::StatusOr<CcArguments> arguments =
//       ParseCcArguments({"-mmcu=atmega328p", "-Os", "-MD", "-c", "blink.c", "-o", "blink.o"}, {});
//   arguments->mode;                       // CcMode::kObject
//   arguments->invocation.cpu;             // "atmega328p"
//   arguments->inputs.front().language;    // Language::kC
//
// An option means what clang says it means. One that is about linking is known, and of no use where
// nothing is linked; any other that Ingot does not have is an error that names it.

#ifndef INGOT_TOOLS_DRIVER_CC_ARGUMENTS_H_
#define INGOT_TOOLS_DRIVER_CC_ARGUMENTS_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "tools/driver/diagnostics_report.h"

namespace ingot::driver {

// What the name says that the compiler was called by: `avr-ingot-g++` compiles C++ for avr.
struct CcName {
  std::string target;  // empty: the name says none
  bool cxx = false;    // whether a .c file is C++
};

// What a program of this path is as a compiler, such as ingot-cc and avr-ingot-gcc; nothing for all
// other names.
std::optional<CcName> CompilerOfProgram(std::string_view path);

// How far to go with each input.
enum class CcMode {
  kLink,          // without any of the options below
  kObject,        // -c; for a target without object files, what it has instead
  kAssembly,      // -S
  kPreprocess,    // -E
  kDependencies,  // -M, -MM
  kCheck,         // -fsyntax-only
};

// What to print instead of compiling.
enum class CcQuery {
  kNone,
  kHelp,
  kVersion,
  kDumpMachine,
  kDumpVersion,
  kTargetTriple,
  kResourceDirectory,
  kSearchDirectories,
  kFileName,
  kProgramName,
  kLibgccFileName,
  kMultiDirectory,
  kMultiLib,
  kSysroot,
};

struct CcInput {
  std::string path;  // "-": standard input
  compiler::Language language = compiler::Language::kC;
};

// -MD and what goes with it.
struct CcDependencyOptions {
  bool wanted = false;
  bool leave_out_system = false;     // -MMD, -MM
  bool phony = false;                // -MP
  std::string file;                  // -MF
  std::vector<std::string> targets;  // -MT, -MQ, as they are to be written
};

struct CcArguments {
  compiler::Invocation invocation;  // what all inputs have in common; no emit kind, no output
  std::vector<CcInput> inputs;
  CcMode mode = CcMode::kLink;
  bool emit_llvm = false;
  std::string output;  // -o; empty: as clang names it
  CcDependencyOptions dependencies;
  std::string sysroot;
  CcQuery query = CcQuery::kNone;
  std::string query_value;    // of -print-file-name= and -print-prog-name=
  bool verbose = false;       // -v
  bool dry_run = false;       // -###: show the commands, run nothing
  std::optional<bool> color;  // of diagnostics; nothing: as the terminal is
  DiagnosticsFormat diagnostics_format = DiagnosticsFormat::kText;
  std::vector<std::string> for_linker;  // options and inputs, as they stood
  std::vector<std::string> warnings;    // in clang's words, without "warning: "
};

// Reads a command line without response files. InvalidArgument names the option.
absl::StatusOr<CcArguments> ParseCcArguments(std::span<const std::string> arguments,
                                             const CcName& name);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CC_ARGUMENTS_H_
