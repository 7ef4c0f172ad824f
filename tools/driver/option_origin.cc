#include "tools/driver/option_origin.h"

#include <span>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace ingot::driver {

std::string NoteOfOtherPlaces(std::span<const OptionOrigin> options, std::string_view command) {
  if (options.empty()) return "";
  std::string list;
  for (const OptionOrigin& one : options) {
    absl::StrAppend(&list, list.empty() ? "" : ", ", one.option, " (", one.origin, ")");
  }
  return absl::StrCat("ingot: note: options from elsewhere than the command line: ", list,
                      "; `ingot config ", command, "` shows them\n");
}

}  // namespace ingot::driver
