// Options as rows of a table, for commands whose options must cost nothing to describe.
//
//   std::vector<OptionRow> rows = {
//       {.names = "--cpu", .value = &cpu, .value_name = "CPU", .help = "…", .harmless = true}};
//   AddOptions(command, rows);                             // CLI11: help, errors, rc files
//   ReadUsualCommandLine(rows, words, variables, lookup);  // or without it (usual_command_line.h)
//
// Setting up an option of CLI11 takes memory and compares its names with those of all others: for
// `compile` a third of the time of a cache hit, which is about as long as starting a process. A row
// takes neither. Both readers of a command line work from the same rows, so an option that is added
// here is known to both.

#ifndef INGOT_TOOLS_DRIVER_OPTION_TABLE_H_
#define INGOT_TOOLS_DRIVER_OPTION_TABLE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Option.hpp"
#include "tools/driver/text_option.h"

namespace ingot::driver {

// Where the value goes; it must outlive the reading. The type says what kind of option it is:
using OptionValue = std::variant<std::optional<std::string>*,  // a text; the last of several wins
                                 std::vector<std::string>*,  // a list, or words that are no option
                                 bool*,                      // a flag
                                 unsigned*>;                 // a number; the last wins

// The views must outlive the command that the row is added to.
struct OptionRow {
  std::string_view names;  // "--cpu", "-j,--jobs"; without dashes: the words that are no option
  OptionValue value;
  std::string_view value_name;    // in help text: "CPU"
  std::string_view help;          // a sentence for people
  std::string_view default_text;  // for people: what counts if nobody sets it; may be empty
  bool harmless = false;          // an rc file that is not trusted may set it; see text_option.h
  bool can_be_negated = false;    // a flag: --noNAME is there too
  ListPlaces places = ListPlaces::kAddUp;  // of a list
};

// Adds an option of CLI11 for each row.
void AddOptions(CLI::App& command, std::span<const OptionRow> rows);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_OPTION_TABLE_H_
