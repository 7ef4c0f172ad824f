#include "tools/driver/diagnostics_text.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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

// Appends the part of `line` before its path to `result` and takes it away.
void SkipToPath(std::string_view& line, std::string& result) {
  std::size_t length = 0;
  for (const std::string_view words : {"In file included from ", "                 from "}) {
    if (absl::StartsWith(line, words)) length = words.size();
  }
  while (const std::size_t control = ControlLength(line.substr(length))) length += control;
  result += line.substr(0, length);
  line.remove_prefix(length);
}

}  // namespace

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
    result += line;
  }
  return result;
}

}  // namespace ingot::driver
