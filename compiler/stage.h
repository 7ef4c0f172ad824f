// The stages of a compilation, in order. Their names are what a crash report says, so they never
// change meaning.

#ifndef INGOT_COMPILER_STAGE_H_
#define INGOT_COMPILER_STAGE_H_

#include <string_view>

namespace ingot::compiler {

enum class Stage {
  kParse,     // input bytes to a module
  kVerify,    // is the module well formed, and something that the target can do?
  kOptimize,  // IR to better IR
  kLower,     // IR to what the code generator can do, and is it all there?
  kCodegen,   // IR to the bytes of the output
  kWrite,     // bytes to a file
};

// "parse", "verify", "optimize", "lower", "codegen" or "write". Refers to a constant; safe in a
// signal handler.
constexpr std::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kParse:
      return "parse";
    case Stage::kVerify:
      return "verify";
    case Stage::kOptimize:
      return "optimize";
    case Stage::kLower:
      return "lower";
    case Stage::kCodegen:
      return "codegen";
    case Stage::kWrite:
      return "write";
  }
  return "";
}

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_STAGE_H_
