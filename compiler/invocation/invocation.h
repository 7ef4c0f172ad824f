// What one run of the compile tool is asked to do, as a value.
//
// An Invocation is the contract between the driver and the compile tool: the driver makes one,
// resolves it, and puts its canonical arguments into an Action's Command; the tool parses the same
// arguments back. Both use this library, which links no LLVM.
//
//   absl::StatusOr<Invocation> asked = ParseArguments({"--target=nvptx64", "-o", "k.ptx", "k.ll"});
//   absl::StatusOr<Invocation> resolved = Resolve(*asked);
//   std::vector<std::string> arguments = CanonicalArguments(*resolved);
//   // {"--target=nvptx64-nvidia-cuda", "--cpu=sm_75", "--features=", "-O2", "--emit=asm", "-xir",
//   // "-o", "k.ptx", "k.ll"}
//
// One table, Options(), describes every option; parsing, canonical arguments and help text are all
// made from it, so an option cannot be known to one of them and missing from another.

#ifndef INGOT_COMPILER_INVOCATION_INVOCATION_H_
#define INGOT_COMPILER_INVOCATION_INVOCATION_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/invocation/language.h"
#include "targets/kernel_options.h"
#include "targets/record.h"

namespace ingot::compiler {

// How much to optimise. kOs prefers size, kOz prefers it at any cost in speed.
enum class OptLevel { kO0, kO1, kO2, kO3, kOs, kOz };

// "0", "1", "2", "3", "s" or "z".
std::string_view OptLevelName(OptLevel level);

// One compilation. A plain value: copyable, comparable, no invariants of its own. Empty strings and
// empty optionals mean "the target's default" until Resolve() fills them in.
struct Invocation {
  std::string target;              // a name, triple or alias; after Resolve() the canonical triple
  std::string cpu;                 // after Resolve() never empty
  std::string features;            // "+ptx87,-foo": each with its sign, in the order given
  std::string ptx;                 // a version of PTX, "8.7"; Resolve() makes a feature of it
  targets::KernelOptions kernels;  // of targets that run kernels
  OptLevel opt = OptLevel::kO2;
  std::optional<targets::EmitKind> emit;  // after Resolve() never empty
  std::optional<Language> language;       // after Resolve() never empty
  std::string output;
  // Options of clang, each as one argument, in the order given ("-DN=2", "-Iinc/0"): those that
  // front_end_options.h knows. Only for languages that clang compiles.
  std::vector<std::string> front_end_options;
  // The input and the folders of the search path stand for roots of an Action's input root
  // (dependencies.h): they always exist, and what is reached by `..` out of one is in `up/`.
  bool canonical_paths = false;
  std::vector<std::string> inputs;

  friend bool operator==(const Invocation&, const Invocation&) = default;
};

// How an option and its value stand on a command line.
enum class OptionForm {
  kEquals,    // --cpu=sm_90; also accepted: --cpu sm_90
  kJoined,    // -O2
  kSeparate,  // -o FILE; also accepted: -oFILE
};

// One row of the schema. Views refer to constants.
struct OptionSpec {
  std::string_view flag;
  OptionForm form;
  std::string_view value_name;                       // in help text: "CPU"
  std::span<const std::string_view> allowed_values;  // empty: any value
  std::string_view help;
  // The value to print for an invocation. Always prints, even a default, so that a later change of
  // a default cannot give an old key a new meaning; unless `is_request`.
  std::string (*get)(const Invocation& invocation);
  // Stores a value; `value` is one of `allowed_values` where there are any, or empty where `get`
  // may be.
  void (*set)(Invocation& invocation, std::string_view value);
  // Why a value that `set` takes is none, for people; empty if it is one. Null: any value is.
  std::string (*objection)(std::string_view value) = nullptr;
  // It asks for something or is not there: where nothing is asked, it is not printed.
  bool is_request = false;
};

// Every option, in the order of the canonical arguments.
std::span<const OptionSpec> Options();

// Reads a command line without the program's name. Later options override earlier ones, except
// those of the front end, which are kept in their order; what is not an option is an input; "-" is
// an input (standard input) and "--" ends the options. Errors are InvalidArgument: an unknown
// option (with a suggestion), one that is refused, a missing or impossible value. Does not look at
// the target: Resolve() does.
absl::StatusOr<Invocation> ParseArguments(std::span<const std::string> arguments);

// The one spelling of `invocation` as arguments: every option, in a fixed order, then those of the
// front end and the inputs in theirs. ParseArguments() of the result is `invocation` again.
std::vector<std::string> CanonicalArguments(const Invocation& invocation);

// The invocation with nothing left open: the target's canonical triple, a CPU, an emit kind,
// normalised features, a language; each checked against the target's record. The language, where
// none is named, is that of the first input's name, or LLVM IR. How many inputs and outputs there
// may be is the caller's matter. Errors are InvalidArgument. Resolving twice changes nothing.
absl::StatusOr<Invocation> Resolve(const Invocation& invocation);

// The options as help text, one paragraph each, indented by two spaces.
std::string OptionsHelp();

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_INVOCATION_INVOCATION_H_
