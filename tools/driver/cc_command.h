// `ingot cc`: a C and C++ compiler as Make and CMake call one, with clang's command line, its
// messages and its files, and with `ingot compile`'s cache behind it.
//
// Its arguments are read by cc_arguments.h, not by CLI11. What is Ingot's own - the stores, the
// toolchain - comes from rc files, variables and the options before the first of the compiler's:
//
//   ingot cc --disk_cache=/srv/cache -mmcu=atmega328p -Os -c blink.c
//
//   std::optional<CcCommandLine> line = FindCcCommand({"cc", "-c", "a.c"}, "/usr/bin/ingot");
//   // line->call.arguments: {"-c", "a.c"}

#ifndef INGOT_TOOLS_DRIVER_CC_COMMAND_H_
#define INGOT_TOOLS_DRIVER_CC_COMMAND_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/App.hpp"
#include "tools/driver/cc_arguments.h"
#include "tools/driver/collection_options.h"
#include "tools/driver/compile_options.h"
#include "tools/driver/environment.h"

namespace ingot::driver {

inline constexpr std::string_view kCcCommand = "cc";

// A call of the compiler.
struct CcCall {
  CcName name;
  std::vector<std::string> arguments;  // all the compiler's, response files as they are named
};

struct CcCommandLine {
  // What CLI11 reads: "cc" and Ingot's own options.
  std::vector<std::string> ingot_words;
  CcCall call;
};

// Nothing if `arguments`, without the program's name and without options before the command, do not
// call the compiler; they do if `program` is the name of one.
std::optional<CcCommandLine> FindCcCommand(std::span<const std::string> arguments,
                                           std::string_view program);

// Ingot's own options of the command. Must outlive the parsing of the command line.
struct CcFlags {
  CompileOptions options;  // of which the compiler's do not count
  CollectionOptions collection;
};

// What the environment says of them, if it has none but the variables that most use, and
// `ingot_words` no options; nothing if it takes CLI11 to tell. Setting that up costs about as much
// as all else in a hit.
std::optional<CcFlags> UsualCcFlags(const Environment& environment,
                                    std::span<const std::string> ingot_words);

// Adds the subcommand to `app`; its run does `call` and writes the process's exit code to
// `exit_code`. The references must outlive the parsing of the command line.
void AddCcCommand(CLI::App& app, const Environment& environment, const CcCall& call,
                  int& exit_code);

// Compiles, or answers, as `call` says; returns the exit code.
int RunCc(const Environment& environment, const CcCall& call, const CcFlags& flags);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CC_COMMAND_H_
