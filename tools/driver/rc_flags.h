// The options that stand before the command: which rc files to read.
//
//   const std::size_t count = CountRcWords(arguments);
//   if (const std::optional<RcFlags> flags = ReadRcFlags({words, words + count})) {
//     LoadConfiguration(RequestFor(*flags, environment, the words after the command));
//   }
//
// They are read before anything else, since what they name decides how the rest is read.

#ifndef INGOT_TOOLS_DRIVER_RC_FLAGS_H_
#define INGOT_TOOLS_DRIVER_RC_FLAGS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "tools/driver/configuration.h"
#include "tools/driver/environment.h"

namespace ingot::driver {

struct RcFlags {
  bool system_rc = true;
  bool workspace_rc = true;
  bool home_rc = true;
  std::vector<std::string> files;
};

// Adds the options to `app`. `flags` must outlive the parsing.
void AddRcOptions(CLI::App& app, RcFlags& flags);

// How many of `arguments` stand before the command's name.
std::size_t CountRcWords(std::span<const std::string> arguments);

// What `words`, those before the command, say; nothing where they are wrong, which the parsing of
// the whole command line will report.
std::optional<RcFlags> ReadRcFlags(std::vector<std::string> words);

// Which files to read, and which workspaces the user trusts in variables and in `arguments`, the
// words after the command's name.
ConfigurationRequest RequestFor(const RcFlags& flags, const Environment& environment,
                                std::span<const std::string> arguments);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_RC_FLAGS_H_
