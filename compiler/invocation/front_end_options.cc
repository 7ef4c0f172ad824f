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
#include "compiler/invocation/front_end_option_table.h"

namespace ingot::compiler {
namespace {

bool NamesFile(FrontEndRole role) {
  return role == FrontEndRole::kSearchFolder || role == FrontEndRole::kForcedFile;
}

// `next` is the argument after `argument`, if there is one.
absl::StatusOr<std::optional<FrontEndMatch>> Match(std::string_view argument,
                                                   const std::string* next) {
  const FrontEndRow* row = FindFrontEndRow(argument);
  if (row == nullptr) return std::nullopt;
  const bool negated = IsNegated(*row, argument);
  const bool is_off = negated && row->take == FrontEndTake::kRefusedUnlessOff;
  if (row->take != FrontEndTake::kTaken && !is_off) {
    return absl::InvalidArgumentError(
        absl::StrCat("option ", argument, " is not supported: ", row->note));
  }

  FrontEndMatch match{.spelling = row->note.empty() || is_off ? row->spelling : row->note,
                      .role = is_off ? FrontEndRole::kNoEffect : row->role};
  if (negated || row->form == FrontEndForm::kFlag) {
    match.canonical = argument;
    return match;
  }
  match.value = argument.substr(row->spelling.size());
  if (match.value.empty() && row->form == FrontEndForm::kJoinedOrSeparate && next != nullptr) {
    match.value = *next;
    match.arguments = 2;
  }
  if (match.value.empty() && row->form != FrontEndForm::kPrefix) {
    return absl::InvalidArgumentError(absl::StrCat("option ", row->spelling, " needs a value"));
  }
  // Joined to its option, "-pch" of `-include -pch` would make another option.
  if (NamesFile(row->role) && absl::StartsWith(match.value, "-")) {
    match.value.insert(0, "./");
  }
  match.canonical = absl::StrCat(match.spelling, match.value);
  return match;
}

}  // namespace

absl::StatusOr<std::optional<FrontEndMatch>> MatchFrontEndOption(
    std::span<const std::string> arguments) {
  return Match(arguments.front(), arguments.size() > 1 ? &arguments[1] : nullptr);
}

absl::StatusOr<std::optional<FrontEndMatch>> MatchFrontEndOption(std::string_view canonical) {
  return Match(canonical, nullptr);
}

}  // namespace ingot::compiler
