#include "tools/driver/environment.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ingot::driver {

namespace {

// The kernel's note of what it was asked to execute needs no look into /proc, whose first use makes
// a process measurably slower. Where the path has gone since, /proc still knows.
std::string ExecutablePath() {
  std::error_code error;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface of getauxval
  const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (name != nullptr) {
    const std::filesystem::path path = std::filesystem::canonical(name, error);
    if (!error) return path.string();
  }
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace

Environment ProcessEnvironment(std::string program) {
  return Environment{
      .variable = [](std::string_view name) -> std::optional<std::string> {
        const char* value = std::getenv(std::string(name).c_str());
        if (value == nullptr) return std::nullopt;
        return std::string(value);
      },
      .ingot_variables =
          [] {
            std::vector<std::string_view> names;
            for (char** variable = environ; *variable != nullptr; ++variable) {
              const std::string_view text = *variable;
              if (text.starts_with("INGOT_")) names.push_back(text.substr(0, text.find('=')));
            }
            return names;
          },
      .out = std::cout,
      .err = std::cerr,
      .err_is_terminal = isatty(STDERR_FILENO) == 1,
      .program = std::move(program),
      .executable = ExecutablePath(),
  };
}

}  // namespace ingot::driver
