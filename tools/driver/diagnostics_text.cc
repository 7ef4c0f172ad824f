#include "tools/driver/diagnostics_text.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "compiler/plan/canonical_request.h"

namespace ingot::driver {
namespace {

// How many bytes of terminal control `text` starts with: ESC [ … m, as clang writes them.
std::size_t ControlLength(std::string_view text) {
  if (!absl::StartsWith(text, "\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end == std::string_view::npos || text[end] != 'm' ? 0 : end + 1;
}

std::string WithoutColor(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    if (const std::size_t length = ControlLength(text); length > 0) {
      text.remove_prefix(length);
    } else {
      plain += text.front();
      text.remove_prefix(1);
    }
  }
  return plain;
}

constexpr std::string_view kIncludedFrom = "In file included from ";
constexpr std::string_view kAndFrom = "                 from ";

// Whether `line` shows the source or points into it, and so may say anything.
bool IsOfSource(std::string_view line) {
  return absl::StartsWith(line, " ") && !absl::StartsWith(line, kAndFrom);
}

// Appends the part of `line` before its path to `result` and takes it away.
void SkipToPath(std::string_view& line, std::string& result) {
  std::size_t length = 0;
  for (const std::string_view words : {kIncludedFrom, kAndFrom}) {
    if (absl::StartsWith(line, words)) length = words.size();
  }
  while (const std::size_t control = ControlLength(line.substr(length))) length += control;
  result += line.substr(0, length);
  line.remove_prefix(length);
}

// Appends `message` to `result`, with the files by their user's names that Clang says it cannot
// use: in "cannot open file 'src/a.h': Permission denied", for one. Other names in quotes are the
// source's own.
void AppendMessage(std::string_view message, const compiler::CanonicalRequest& request,
                   std::string& result) {
  for (const std::string_view words : {"cannot open file '", "error reading '"}) {
    const std::size_t start = message.find(words);
    if (start == std::string_view::npos) continue;
    const std::size_t name = start + words.size();
    const std::size_t end = message.find('\'', name);
    if (end == std::string_view::npos) continue;
    absl::StrAppend(&result, message.substr(0, name),
                    UserPath(message.substr(name, end - name), request), message.substr(end));
    return;
  }
  result += message;
}

// The length of what a line marker, `# 12 "src/a.h" 2` or `#line 12 "src/a.h"`, has before the
// name; 0 if `line` is none.
std::size_t MarkerLength(std::string_view line) {
  std::string_view rest = line;
  if (!absl::ConsumePrefix(&rest, "# ") && !absl::ConsumePrefix(&rest, "#line ")) return 0;
  const std::size_t digits = rest.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return 0;
  rest.remove_prefix(digits);
  if (!absl::ConsumePrefix(&rest, " \"")) return 0;
  return line.size() - rest.size();
}

// The name that `line` has after its first `start` bytes, without the backslashes of a string
// literal; `end` is where the closing quote is, or the line's end if there is none.
std::string NameInMarker(std::string_view line, std::size_t start, std::size_t& end) {
  std::string name;
  for (end = start; end < line.size() && line[end] != '"'; ++end) {
    if (line[end] == '\\' && end + 1 < line.size()) ++end;
    name += line[end];
  }
  return name;
}

}  // namespace

std::string PreprocessedForUser(std::string_view text, const compiler::CanonicalRequest& request) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    const std::size_t start = MarkerLength(line);
    std::size_t end = 0;
    if (start > 0) {
      const std::string name = NameInMarker(line, start, end);
      absl::StrAppend(
          &result, line.substr(0, start),
          absl::StrReplaceAll(UserPath(name, request), {{"\\", "\\\\"}, {"\"", "\\\""}}));
    }
    absl::StrAppend(&result, line.substr(end), newline == std::string_view::npos ? "" : "\n");
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  return result;
}

std::string UserPath(std::string_view requested, const compiler::CanonicalRequest& request) {
  if (absl::StripPrefix(requested, "./") == request.source_path) {
    return request.user_source == "-" ? "<stdin>" : request.user_source;
  }
  const std::string path = compiler::HostPath(requested, request.roots);
  return path.empty() ? std::string(requested) : path;
}

std::string DiagnosticsForUser(std::string_view text, const compiler::CanonicalRequest& request,
                               bool color) {
  const std::string plain = color ? "" : WithoutColor(text);
  if (!color) text = plain;
  std::string result;
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    if (line.data() != text.data()) result += '\n';
    if (IsOfSource(line)) {
      result += line;
      continue;
    }
    SkipToPath(line, result);
    // The name of the source may have a colon in it. That of a header that has one is shown as it
    // is in the input root.
    const std::size_t end = absl::StartsWith(line, absl::StrCat(request.source_path, ":"))
                                ? request.source_path.size()
                                : line.find(':');
    if (end != std::string_view::npos) {
      result += UserPath(line.substr(0, end), request);
      line.remove_prefix(end);
    }
    AppendMessage(line, request, result);
  }
  return result;
}

}  // namespace ingot::driver
