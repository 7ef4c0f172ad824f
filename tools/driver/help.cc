#include "tools/driver/help.h"

#include <memory>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Formatter.hpp"
#include "CLI/Option.hpp"

namespace ingot::driver {
namespace {

// CLI11 would lay out examples as if they were prose.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { enable_footer_formatting(false); }

  // "--[no]home_rc", as Bazel writes it.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    const std::vector<std::string>& names = option->get_lnames();
    if (!is_positional && names.size() == 2 && names[1] == "no" + names[0]) {
      return "--[no]" + names[0];
    }
    return CLI::Formatter::make_option_name(option, is_positional);
  }
};

}  // namespace

std::string CommandLine(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : CommandLine(*app.get_parent()) + " " + app.get_name();
}

void SetUpHelp(CLI::App& app) {
  if (app.get_parent() == nullptr) {
    app.usage("Usage: ingot [OPTION...] COMMAND [OPTION...]");
    app.formatter(std::make_shared<HelpFormatter>());
  }
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    const CLI::Option* key = command->get_option_no_throw("KEY");
    command->usage("Usage: " + CommandLine(*command) +
                   (command->get_subcommands(nullptr).empty() ? " [OPTION...]" : " COMMAND") +
                   (command->get_option_no_throw("INPUT") != nullptr      ? " INPUT..."
                    : command->get_option_no_throw("TARGET") != nullptr   ? " [TARGET]"
                    : key != nullptr && key->get_items_expected_max() > 1 ? " KEY..."
                    : key != nullptr                                      ? " KEY"
                    : command->get_option_no_throw("COMMAND") != nullptr  ? " [COMMAND]"
                                                                          : ""));
    command->formatter(app.get_formatter());
    SetUpHelp(*command);
  }
}

}  // namespace ingot::driver
