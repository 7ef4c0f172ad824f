#include "tools/driver/dependency_file.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ingot::driver {
namespace {

// Lines are broken where they would get longer.
constexpr std::size_t kLineLength = 75;
// " \" at the end of a line that goes on.
constexpr std::size_t kContinuation = 2;

// A backslash means itself unless it stands before something that is escaped.
void EscapeBackslashesBefore(std::string_view name, std::size_t end, std::string& escaped) {
  for (std::size_t i = end; i > 0 && name[i - 1] == '\\'; --i) escaped += '\\';
}

std::string QuoteFile(std::string_view name) {
  std::string quoted;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ' ') EscapeBackslashesBefore(name, i, quoted);
    if (name[i] == ' ' || name[i] == '#') quoted += '\\';
    if (name[i] == '$') quoted += '$';
    quoted += name[i];
  }
  return quoted;
}

std::string_view WithoutLeadingDot(std::string_view path) {
  while (path.size() > 2 && absl::StartsWith(path, "./")) {
    path.remove_prefix(2);
    while (path.size() > 1 && path.front() == '/') path.remove_prefix(1);
  }
  return path;
}

}  // namespace

std::string QuoteTarget(std::string_view name) {
  std::string quoted;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ' ' || name[i] == '\t') EscapeBackslashesBefore(name, i, quoted);
    if (name[i] == ' ' || name[i] == '\t' || name[i] == '#') quoted += '\\';
    if (name[i] == '$') quoted += '$';
    quoted += name[i];
  }
  return quoted;
}

std::string DependencyRule(const DependencyRuleParts& parts) {
  std::string rule;
  std::size_t column = 0;
  for (const std::string& target : parts.targets) {
    if (column == 0) {
      column = target.size();
    } else if (column + target.size() + kContinuation > kLineLength) {
      absl::StrAppend(&rule, " \\\n  ");
      column = target.size() + 2;
    } else {
      rule += ' ';
      column += target.size() + 1;
    }
    rule += target;
  }
  rule += ':';
  ++column;

  std::set<std::string_view> seen;
  std::string phony;
  for (std::size_t i = 0; i < parts.files.size(); ++i) {
    const std::string_view file = WithoutLeadingDot(parts.files[i]);
    if (file == "-" || file == "<stdin>" || !seen.insert(file).second) continue;
    if (column + file.size() + 1 + kContinuation > kLineLength) {
      absl::StrAppend(&rule, " \\\n ");
      column = 2;
    }
    const std::string quoted = QuoteFile(file);
    absl::StrAppend(&rule, " ", quoted);
    column += file.size() + 1;
    if (parts.phony && i > 0) absl::StrAppend(&phony, quoted, ":\n");
  }
  return absl::StrCat(rule, "\n", phony);
}

}  // namespace ingot::driver
