#include "tools/driver/option_table.h"

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Option.hpp"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

CLI::Option* AddOption(CLI::App& command, const OptionRow& row) {
  const std::string names(row.names);
  const std::string help(row.help);
  if (auto* const* text = std::get_if<std::optional<std::string>*>(&row.value)) {
    return AddTextOption(command, names, **text, help);
  }
  if (auto* const* list = std::get_if<std::vector<std::string>*>(&row.value)) {
    return row.names.starts_with("-") ? AddListOption(command, names, **list, row.places, help)
                                      : command.add_option(names, **list, help);
  }
  if (auto* const* flag = std::get_if<bool*>(&row.value)) {
    return row.can_be_negated ? AddBooleanFlag(command, names, **flag, help)
                              : command.add_flag(names, **flag, help);
  }
  return command.add_option(names, *std::get<unsigned*>(row.value), help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace

void AddOptions(CLI::App& command, std::span<const OptionRow> rows) {
  for (const OptionRow& row : rows) {
    CLI::Option* const option = AddOption(command, row);
    option->configurable(row.harmless);
    if (!std::holds_alternative<bool*>(row.value)) option->type_name(std::string(row.value_name));
    if (!row.default_text.empty()) {
      option->default_function([text = std::string(row.default_text)] { return text; });
    }
  }
}

}  // namespace ingot::driver
