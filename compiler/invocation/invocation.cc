#include "compiler/invocation/invocation.h"

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
#include "absl/strings/str_join.h"
#include "compiler/invocation/front_end_options.h"
#include "targets/suggest.h"

namespace ingot::compiler {
namespace {

constexpr std::string_view kCanonicalPathsFlag = "--canonical-paths";

// The words that start an option, for suggestions.
std::vector<std::string_view> OptionFlags() {
  std::vector<std::string_view> flags;
  for (const OptionSpec& spec : Options()) flags.push_back(spec.flag);
  return flags;
}

// How a message calls an option: "--cpu", "-O", "-o".
absl::Status MissingValue(const OptionSpec& spec) {
  return absl::InvalidArgumentError(
      absl::StrCat("option ", spec.flag, " needs a value: ", spec.flag,
                   spec.form == OptionForm::kEquals ? "=" : "",
                   spec.form == OptionForm::kSeparate ? " " : "", spec.value_name));
}

absl::Status Set(const OptionSpec& spec, std::string_view value, Invocation& invocation) {
  const bool may_be_empty = spec.get(Invocation()).empty();
  const bool allowed = spec.allowed_values.empty() ||
                       std::ranges::find(spec.allowed_values, value) != spec.allowed_values.end();
  if (value.empty() ? !may_be_empty : !allowed) {
    return absl::InvalidArgumentError(
        absl::StrCat("option ", spec.flag, " cannot be '", value, "'",
                     targets::DidYouMean(value, spec.allowed_values).empty()
                         ? "; "
                         : targets::DidYouMean(value, spec.allowed_values) + " ",
                     "allowed: ", absl::StrJoin(spec.allowed_values, ", ")));
  }
  if (spec.objection != nullptr && !value.empty()) {
    const std::string objection = spec.objection(value);
    if (!objection.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("option ", spec.flag, " cannot be '", value, "': ", objection));
    }
  }
  spec.set(invocation, value);
  return absl::OkStatus();
}

// The option that `argument` is, and its value where it stands in the same argument.
struct Match {
  const OptionSpec* spec = nullptr;
  std::optional<std::string_view> value;
};

Match MatchOption(std::string_view argument) {
  for (const OptionSpec& spec : Options()) {
    if (!absl::StartsWith(argument, spec.flag)) continue;
    const std::string_view rest = argument.substr(spec.flag.size());
    switch (spec.form) {
      case OptionForm::kEquals:
        if (rest.empty()) return {&spec, std::nullopt};
        if (rest.front() == '=') return {&spec, rest.substr(1)};
        break;
      case OptionForm::kJoined:
        return {&spec, rest};
      case OptionForm::kSeparate:
        if (rest.empty()) return {&spec, std::nullopt};
        return {&spec, rest};
    }
  }
  return {};
}

bool LooksLikeOption(std::string_view argument) {
  return argument.size() > 1 && argument.front() == '-';
}

}  // namespace

absl::StatusOr<Invocation> ParseArguments(std::span<const std::string> arguments) {
  Invocation invocation;
  bool options_ended = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (options_ended || !LooksLikeOption(argument)) {
      if (argument.empty()) {
        return absl::InvalidArgumentError("an input is named by an empty argument");
      }
      invocation.inputs.push_back(argument);
      continue;
    }
    if (argument == "--") {
      options_ended = true;
      continue;
    }
    if (argument == kCanonicalPathsFlag) {
      invocation.canonical_paths = true;
      continue;
    }
    Match match = MatchOption(argument);
    if (match.spec == nullptr) {
      absl::StatusOr<std::optional<FrontEndMatch>> option =
          MatchFrontEndOption(arguments.subspan(i));
      if (!option.ok()) return option.status();
      if (option->has_value()) {
        if ((*option)->role != FrontEndRole::kNoEffect) {
          invocation.front_end_options.push_back(std::move((*option)->canonical));
        }
        i += (*option)->arguments - 1;
        continue;
      }
      const std::string_view flag = std::string_view(argument).substr(0, argument.find('='));
      const std::string did_you_mean = targets::DidYouMean(flag, OptionFlags());
      return absl::InvalidArgumentError(
          absl::StrCat("unknown option '", flag, "'",
                       did_you_mean.empty() ? "; --help lists the options" : did_you_mean));
    }
    if (!match.value) {
      if (i + 1 == arguments.size()) return MissingValue(*match.spec);
      match.value = arguments[++i];
    }
    if (absl::Status status = Set(*match.spec, *match.value, invocation); !status.ok()) {
      return status;
    }
  }
  return invocation;
}

std::vector<std::string> CanonicalArguments(const Invocation& invocation) {
  std::vector<std::string> arguments;
  for (const OptionSpec& spec : Options()) {
    std::string value = spec.get(invocation);
    if (spec.is_request && value.empty()) continue;
    switch (spec.form) {
      case OptionForm::kEquals:
        arguments.push_back(absl::StrCat(spec.flag, "=", value));
        break;
      case OptionForm::kJoined:
        arguments.push_back(absl::StrCat(spec.flag, value));
        break;
      case OptionForm::kSeparate:
        arguments.emplace_back(spec.flag);
        arguments.push_back(std::move(value));
        break;
    }
  }
  arguments.insert(arguments.end(), invocation.front_end_options.begin(),
                   invocation.front_end_options.end());
  if (invocation.canonical_paths) arguments.emplace_back(kCanonicalPathsFlag);
  if (std::ranges::any_of(invocation.inputs, LooksLikeOption)) arguments.emplace_back("--");
  arguments.insert(arguments.end(), invocation.inputs.begin(), invocation.inputs.end());
  return arguments;
}

std::string OptionsHelp() {
  std::string help;
  for (const OptionSpec& spec : Options()) {
    absl::StrAppend(&help, "  ", spec.flag, spec.form == OptionForm::kEquals ? "=" : "",
                    spec.form == OptionForm::kSeparate ? " " : "", spec.value_name, "\n      ",
                    spec.help, "\n");
  }
  return help;
}

}  // namespace ingot::compiler
