#include "tools/driver/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

namespace ingot::driver {

Environment ProcessEnvironment() {
  std::error_code error;
  return Environment{
      .variable = [](std::string_view name) -> std::optional<std::string> {
        const char* value = std::getenv(std::string(name).c_str());
        if (value == nullptr) return std::nullopt;
        return std::string(value);
      },
      .out = std::cout,
      .err = std::cerr,
      .err_is_terminal = isatty(STDERR_FILENO) == 1,
      .executable = std::filesystem::read_symlink("/proc/self/exe", error).string(),
  };
}

}  // namespace ingot::driver
