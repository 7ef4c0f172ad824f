#include "tools/driver/cc_sysroot.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compiler/invocation/front_end_options.h"
#include "targets/record.h"
#include "targets/registry.h"
#include "tools/driver/cc_arguments.h"

namespace ingot::driver {
namespace {

// Of avr-libc as Debian, Arduino, Microchip and its own Makefile install it.
std::vector<std::string> AvrFolders(std::string_view sysroot,
                                    const std::function<bool(const std::string&)>& is_folder) {
  std::vector<std::string> found;
  for (const std::string_view place :
       {"avr/include", "lib/avr/include", "usr/lib/avr/include", "include", "usr/include"}) {
    const std::string folder = absl::StrCat(sysroot, "/", place);
    if (is_folder(folder)) found.push_back(absl::StrCat("-isystem", folder));
  }
  return found;
}

// Of the C++ and C libraries of a host, as Linux distributions install them, after everything that
// wraps them.
std::vector<std::string> HostFolders(std::string_view sysroot,
                                     const std::function<bool(const std::string&)>& is_folder) {
  // Clang 22 compiles libstdc++ since that of GCC 9; newer ones come first.
  constexpr int kOldest = 9;
  constexpr int kNewest = 30;
  constexpr std::string_view kMultiarch = "x86_64-linux-gnu";
  std::vector<std::string> places;
  for (int version = kNewest; version >= kOldest && places.empty(); --version) {
    const std::string folder = absl::StrCat("c++/", version);
    if (!is_folder(absl::StrCat(sysroot, "/usr/include/", folder))) continue;
    places = {folder, absl::StrCat(kMultiarch, "/", folder), absl::StrCat(folder, "/backward")};
  }
  places.insert(places.end(), {std::string(kMultiarch), "."});
  std::vector<std::string> found;
  for (const std::string& place : places) {
    const std::string folder =
        absl::StrCat(sysroot, "/usr/include", place == "." ? "" : "/", place == "." ? "" : place);
    if (is_folder(folder)) found.push_back(absl::StrCat("-idirafter", folder));
  }
  return found;
}

}  // namespace

absl::Status AddSysroot(const std::function<bool(const std::string&)>& is_folder,
                        CcArguments& arguments) {
  if (arguments.sysroot.empty()) return absl::OkStatus();
  const absl::StatusOr<const targets::TargetRecord*> target =
      targets::FindTarget(arguments.invocation.target);
  if (!target.ok()) return target.status();
  std::vector<std::string>& options = arguments.invocation.front_end_options;
  for (const std::string& option : options) {
    if (option == "-nostdinc" || option == "-nostdlibinc") return absl::OkStatus();
  }
  const bool is_avr = (*target)->name == "avr";
  const bool has_toolkit = std::any_of(options.begin(), options.end(), [](std::string_view option) {
    return absl::StartsWith(option, compiler::kCudaPathFlag);
  });
  if (!is_avr && !has_toolkit) {
    return absl::InvalidArgumentError(
        absl::StrCat("--sysroot: target ", (*target)->name,
                     " has no system headers; name folders with -I or -isystem (CUDA sources with "
                     "--cuda-path take those of a host)"));
  }
  const std::string_view sysroot = absl::StripSuffix(arguments.sysroot, "/");
  const std::vector<std::string> found =
      is_avr ? AvrFolders(sysroot, is_folder) : HostFolders(sysroot, is_folder);
  if (found.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--sysroot=", arguments.sysroot, ": no folder of headers is in it, such as ",
                     sysroot, is_avr ? "/lib/avr/include" : "/usr/include"));
  }
  // Before the user's options, of which -ffreestanding may be one, and after the user's folders.
  if (is_avr) options.insert(options.begin(), "-fhosted");
  options.insert(options.end(), found.begin(), found.end());
  return absl::OkStatus();
}

}  // namespace ingot::driver
