// The kinds of options that CLI11 has no function for, and the properties of options that it does
// not know of. Rc files and the environment can set every option (settings.h); four properties say
// how:
//
// * Harmless options only may a workspace's rc file set that is not trusted. None is unless marked:
//     AddTextOption(command, "--cpu", cpu, "…")->configurable();
//   Mark what cannot name a program, a place to write or read, a store, a remote or a credential,
//   and cannot make a command do something else than it was asked for.
// * The last of several counts: all but lists.
// * Of a list, the values of all places add up, or the last place to name it replaces the others.
// * What says what a command is to do, rather than how, only its own arguments may say:
//     OnlyAsArgument(command.add_flag("--all", flags.all, "…"));

#ifndef INGOT_TOOLS_DRIVER_TEXT_OPTION_H_
#define INGOT_TOOLS_DRIVER_TEXT_OPTION_H_

#include <optional>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Option.hpp"

namespace ingot::driver {

// Adds `--name VALUE`; the last of several wins. `value`, which must outlive the parsing, stays
// empty if there is none. (CLI11's own std::optional support turns an empty value into none.)
inline CLI::Option* AddTextOption(CLI::App& command, const std::string& name,
                                  std::optional<std::string>& value,
                                  const std::string& description) {
  return command
      .add_option_function<std::string>(
          name, [&value](const std::string& text) { value = text; }, description)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

// Adds the flags `--name` and `--noname`, as Bazel has them; also --name=1, 0, true, false. The
// last wins. `name` has its dashes; `value` must outlive the parsing.
inline CLI::Option* AddBooleanFlag(CLI::App& command, const std::string& name, bool& value,
                                   const std::string& description) {
  const char* const initial = value ? "true" : "false";
  return command.add_flag(name + ",!--no" + name.substr(2), value, description)
      ->default_function([initial] { return std::string(initial); });
}

// What becomes of a list that several places name: system's, workspace's and user's rc file, each
// file of --ingotrc, each --config, the environment, the command line.
enum class ListPlaces {
  kAddUp,         // headers: each place adds its own
  kReplaceWhole,  // layers of stores: the last place says which there are
};

// Adds `--name VALUE`, which may be repeated. `values`, which must outlive the parsing, gets all.
inline CLI::Option* AddListOption(CLI::App& command, const std::string& name,
                                  std::vector<std::string>& values, ListPlaces places,
                                  const std::string& description) {
  // CLI11 keeps no properties of ours. That the values arrive one by one is the same to them, and
  // tells the second kind of list from the first.
  return command
      .add_option_function<std::vector<std::string>>(
          name,
          [&values](const std::vector<std::string>& given) {
            values.insert(values.end(), given.begin(), given.end());
          },
          description)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->trigger_on_parse(places == ListPlaces::kReplaceWhole);
}

// Whether the option is a list.
inline bool IsList(const CLI::Option& option) {
  return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
}

// Whether the option was added with ListPlaces::kReplaceWhole.
inline bool IsReplacedAsAWhole(const CLI::Option& option) {
  return IsList(option) && option.get_trigger_on_parse();
}

// Makes `option` one that neither rc files nor the environment set, and returns it. CLI11 has no
// such property, so it is the heading under which the help shows the option.
inline constexpr const char* kOnlyAsArgument = "Only as arguments";
inline CLI::Option* OnlyAsArgument(CLI::Option* option) { return option->group(kOnlyAsArgument); }
inline bool IsOnlyAsArgument(const CLI::Option& option) {
  return option.get_group() == kOnlyAsArgument;
}

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_TEXT_OPTION_H_
