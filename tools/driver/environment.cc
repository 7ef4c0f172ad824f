#include "tools/driver/environment.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

namespace ingot::driver {

namespace {

// The kernel's note of what it was asked to execute needs no look into /proc, whose first use makes
// a process measurably slower. Where the path has gone since, /proc still knows.
std::string ExecutablePath() {
  std::error_code error;
  if (const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN)); name != nullptr) {
    const std::filesystem::path path = std::filesystem::canonical(name, error);
    if (!error) return path.string();
  }
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace

Environment ProcessEnvironment() {
  return Environment{
      .variable = [](std::string_view name) -> std::optional<std::string> {
        const char* value = std::getenv(std::string(name).c_str());
        if (value == nullptr) return std::nullopt;
        return std::string(value);
      },
      .out = std::cout,
      .err = std::cerr,
      .err_is_terminal = isatty(STDERR_FILENO) == 1,
      .executable = ExecutablePath(),
  };
}

}  // namespace ingot::driver
