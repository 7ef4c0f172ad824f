// Which options stand among words of a command line or an rc file, as CLI11 will read them.
//
//   for (const OptionUse& use : ReadOptionUses({"--cpu=sm_90", "-j", "4", "a.ll"}, find)) …
//   // {--cpu, "sm_90"}, {-j, "4"}, {no option, "a.ll"}
//
// CLI11 itself cannot be asked before it runs, and then it runs the command.

#ifndef INGOT_TOOLS_DRIVER_OPTION_WORDS_H_
#define INGOT_TOOLS_DRIVER_OPTION_WORDS_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Option.hpp"
#include "absl/functional/function_ref.h"

namespace ingot::driver {

struct OptionUse {
  CLI::Option* option = nullptr;     // nothing where the word is no option that is known
  std::string name;                  // as written, "--cpu", "--nojson" or "-j"; else the whole word
  std::optional<std::string> value;  // nothing for a flag without one, or where it is missing
  std::vector<std::string> words;  // what it was written as; empty for all but the first of "-vj4"
};

// Guards arguments against CLI11's own ideas: it reads `--name= next` as `--name next`, so an empty
// value becomes an argument of its own, and `[a,b]` as a list, so a file of such a name is named
// with its folder.
std::vector<std::string> PrepareArguments(std::span<const std::string> arguments);

// The option of a name with its dashes, or nothing.
using FindOption = absl::FunctionRef<CLI::Option*(const std::string& name)>;

// All words in their order. "--" and what follows it is one use, without an option.
std::vector<OptionUse> ReadOptionUses(std::span<const std::string> words, FindOption find);

// Whether the option wants a value; a flag does not, though it may have one.
bool TakesValue(const CLI::Option& option);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_OPTION_WORDS_H_
