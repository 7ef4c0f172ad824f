#include "compiler/invocation/front_end_options.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ingot::compiler {
namespace {

enum class Form {
  kFlag,              // -pedantic
  kJoined,            // -std=c11
  kJoinedOrSeparate,  // -Iinclude, -I include
};

struct Row {
  std::string_view spelling;
  Form form;
  FrontEndRole role = FrontEndRole::kPlain;
};

// A longer spelling stands before one that it begins with.
constexpr Row kRows[] = {
    {"-D", Form::kJoinedOrSeparate},
    {"-U", Form::kJoinedOrSeparate},
    {"-I", Form::kJoinedOrSeparate, FrontEndRole::kSearchFolder},
    {"-iquote", Form::kJoinedOrSeparate, FrontEndRole::kSearchFolder},
    {"-isystem", Form::kJoinedOrSeparate, FrontEndRole::kSearchFolder},
    {"-idirafter", Form::kJoinedOrSeparate, FrontEndRole::kSearchFolder},
    {"-include", Form::kJoinedOrSeparate, FrontEndRole::kForcedFile},
    {"-imacros", Form::kJoinedOrSeparate, FrontEndRole::kForcedFile},
    {"-std=", Form::kJoined},
    {"-W", Form::kJoined},
    {"-g", Form::kFlag},
};

}  // namespace

absl::StatusOr<std::optional<FrontEndMatch>> MatchFrontEndOption(
    std::span<const std::string> arguments) {
  const std::string_view argument = arguments.front();
  for (const Row& row : kRows) {
    if (!absl::StartsWith(argument, row.spelling)) continue;
    const std::string_view rest = argument.substr(row.spelling.size());
    if (row.form == Form::kFlag && !rest.empty()) continue;
    FrontEndMatch match{.spelling = row.spelling, .value = std::string(rest), .role = row.role};
    if (row.form == Form::kJoinedOrSeparate && rest.empty()) {
      if (arguments.size() < 2) {
        return absl::InvalidArgumentError(absl::StrCat("option ", row.spelling, " needs a value"));
      }
      match.value = arguments[1];
      match.arguments = 2;
    }
    match.canonical = absl::StrCat(row.spelling, match.value);
    return match;
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<FrontEndMatch>> MatchFrontEndOption(std::string_view canonical) {
  const std::string argument(canonical);
  return MatchFrontEndOption(std::span<const std::string>(&argument, 1));
}

}  // namespace ingot::compiler
