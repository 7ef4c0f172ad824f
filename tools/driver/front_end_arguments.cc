#include "tools/driver/front_end_arguments.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/invocation/front_end_options.h"
#include "compiler/invocation/invocation.h"

namespace ingot::driver {
namespace {

// Ingot's own options whose value is the next argument, which may look like one of clang's.
bool TakesNext(std::string_view argument) {
  const std::span<const compiler::OptionSpec> options = compiler::Options();
  return argument == "-j" || std::ranges::any_of(options, [&](const compiler::OptionSpec& option) {
           return option.flag == argument && option.form != compiler::OptionForm::kJoined;
         });
}

}  // namespace

absl::Status GuardFrontEndArguments(std::vector<std::string>& arguments, std::size_t first) {
  std::vector<std::string> guarded(arguments.begin(),
                                   arguments.begin() + static_cast<std::ptrdiff_t>(first));
  std::size_t i = first;
  while (i < arguments.size() && arguments[i] != "--") {
    if (TakesNext(arguments[i]) && i + 1 < arguments.size()) {
      guarded.push_back(arguments[i]);
      guarded.push_back(arguments[i + 1]);
      i += 2;
      continue;
    }
    if (absl::StartsWith(arguments[i], "--")) {
      // Of these, some are clang's; what clang has and Ingot refuses may be Ingot's own.
      const absl::StatusOr<std::optional<compiler::FrontEndMatch>> match =
          compiler::MatchFrontEndOption(std::string_view(arguments[i]));
      if (match.ok() && match->has_value()) {
        guarded.push_back(absl::StrCat(kFrontEndFlag, "=", (*match)->canonical));
        ++i;
        continue;
      }
    }
    if (!absl::StartsWith(arguments[i], "-") || absl::StartsWith(arguments[i], "--")) {
      guarded.push_back(arguments[i]);
      if (arguments[i] == kFrontEndFlag && i + 1 < arguments.size()) {
        guarded.back() = absl::StrCat(kFrontEndFlag, "=", arguments[++i]);
      }
      ++i;
      continue;
    }
    absl::StatusOr<std::optional<compiler::FrontEndMatch>> match =
        compiler::MatchFrontEndOption(std::span<const std::string>(arguments).subspan(i));
    if (!match.ok()) return match.status();
    if (match->has_value()) {
      guarded.push_back(absl::StrCat(kFrontEndFlag, "=", (*match)->canonical));
      i += (*match)->arguments;
    } else {
      guarded.push_back(arguments[i++]);
    }
  }
  guarded.insert(guarded.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                 arguments.end());
  arguments = std::move(guarded);
  return absl::OkStatus();
}

}  // namespace ingot::driver
