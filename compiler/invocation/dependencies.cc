#include "compiler/invocation/dependencies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace ingot::compiler {
namespace {

constexpr std::string_view kVersionLine = "ingot dependencies 1";
constexpr std::string_view kEndLine = "end";

// A path as one word without spaces. An empty path cannot occur.
std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f || byte == '%') {
      absl::StrAppendFormat(&escaped, "%%%02X", byte);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

bool Unescape(std::string_view text, std::string& unescaped) {
  if (!absl::StrContains(text, '%')) {
    unescaped = text;
    return true;
  }
  unescaped.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      unescaped += text[i];
      continue;
    }
    uint32_t byte = 0;
    if (i + 3 > text.size() || !absl::SimpleHexAtoi(text.substr(i + 1, 2), &byte)) return false;
    unescaped += static_cast<char>(byte);
    i += 2;
  }
  return true;
}

// Whether the byte must not be in a path of an input root, or may be no UTF-8.
bool IsWrittenAsNumber(unsigned char byte) {
  return byte < 0x20 || byte >= 0x7f || byte == '\\' || byte == '%';
}

// `part` with such bytes written as "%XX".
std::string CanonicalComponent(std::string_view part) {
  std::string canonical;
  for (const char c : part) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsWrittenAsNumber(byte)) {
      absl::StrAppendFormat(&canonical, "%%%02X", byte);
    } else {
      canonical += c;
    }
  }
  return canonical;
}

// Whether CanonicalPath() of a path below a root changes nothing in what follows the root: as of
// nearly every file, and a hit asks for thousands.
bool IsCanonical(std::string_view rest) {
  char before = '/';
  for (const char c : rest) {
    const bool starts_component = before == '/';
    if (starts_component && (c == '/' || c == '.')) return false;
    if (IsWrittenAsNumber(static_cast<unsigned char>(c))) return false;
    before = c;
  }
  return before != '/';
}

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isdigit(c); });
}

bool ParseFile(const std::vector<std::string_view>& words, ReadFile& file) {
  return words.size() == 9 && Unescape(words[1], file.requested) &&
         (file.sha256 = std::string(words[2])).size() == 64 &&
         absl::SimpleAtoi(words[3], &file.identity.size) &&
         absl::SimpleAtoi(words[4], &file.identity.device) &&
         absl::SimpleAtoi(words[5], &file.identity.inode) &&
         absl::SimpleAtoi(words[6], &file.identity.mtime_ns) &&
         absl::SimpleAtoi(words[7], &file.identity.ctime_ns) &&
         absl::SimpleAtob(words[8], &file.system);
}

}  // namespace

RootedPath SplitRoot(std::string_view requested) {
  if (absl::StartsWith(requested, "/")) return {requested.substr(0, 1), requested.substr(1)};
  while (absl::ConsumePrefix(&requested, "./")) {
  }
  std::size_t end = requested.find('/');
  if (requested.substr(0, end) == "inc" && end != std::string_view::npos) {
    const std::size_t number = end + 1;
    end = requested.find('/', number);
    if (!IsNumber(requested.substr(number, end == std::string_view::npos ? end : end - number))) {
      return {};
    }
  } else if (requested.substr(0, end) != "src") {
    return {};
  }
  if (end == std::string_view::npos) return {requested, {}};
  return {requested.substr(0, end), requested.substr(end + 1)};
}

std::string CanonicalPath(std::string_view requested) {
  const RootedPath path = SplitRoot(requested);
  if (!path.root.empty() && path.root != "/" && IsCanonical(path.rest)) {
    return absl::StrCat(path.root, "/", path.rest);
  }
  std::vector<std::string_view> parts;
  int levels_up = 0;
  for (const std::string_view part :
       absl::StrSplit(path.root.empty() ? requested : path.rest, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    } else {
      ++levels_up;
    }
  }
  std::string canonical;
  if (path.root == "/") {
    canonical = "abs";  // "/.." is "/"
  } else if (levels_up > 0) {
    canonical = absl::StrCat("up/", path.root.empty() ? "." : path.root, "/", levels_up);
  } else {
    canonical = std::string(path.root);
  }
  for (const std::string_view part : parts) {
    absl::StrAppend(&canonical, canonical.empty() ? "" : "/", CanonicalComponent(part));
  }
  return canonical;
}

std::string FormatDependencies(const Dependencies& dependencies) {
  std::string text = absl::StrCat(kVersionLine, "\n");
  for (const ReadFile& file : dependencies.files) {
    absl::StrAppend(&text, "file ", Escape(file.requested), " ", file.sha256, " ",
                    file.identity.size, " ", file.identity.device, " ", file.identity.inode, " ",
                    file.identity.mtime_ns, " ", file.identity.ctime_ns, " ",
                    file.system ? "1" : "0", "\n");
  }
  for (const Absence& absence : dependencies.absences) {
    absl::StrAppend(&text, absence.directory ? "directory " : "none ", Escape(absence.requested),
                    "\n");
  }
  if (!dependencies.conflict.empty()) {
    absl::StrAppend(&text, "conflict ", Escape(dependencies.conflict), "\n");
  }
  absl::StrAppend(&text, kEndLine, "\n");
  return text;
}

absl::StatusOr<Dependencies> ParseDependencies(std::string_view text) {
  Dependencies dependencies;
  std::size_t number = 0;
  bool ended = false;
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    bool good = false;
    if (number == 1) {
      good = line == kVersionLine;
    } else if (ended) {
      good = line.empty();
    } else if (line == kEndLine) {
      good = ended = true;
    } else {
      const std::vector<std::string_view> words = absl::StrSplit(line, ' ');
      if (words[0] == "file") {
        good = ParseFile(words, dependencies.files.emplace_back());
      } else if (words[0] == "none" || words[0] == "directory") {
        Absence& absence = dependencies.absences.emplace_back();
        absence.directory = words[0] == "directory";
        good = words.size() == 2 && Unescape(words[1], absence.requested);
      } else if (words[0] == "conflict") {
        good = words.size() == 2 && Unescape(words[1], dependencies.conflict);
      }
    }
    if (!good) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, " is not of a record of dependencies"));
    }
  }
  if (!ended) return absl::InvalidArgumentError("the record of dependencies was cut short");
  return dependencies;
}

std::string FormatAbsences(const std::vector<Absence>& absences) {
  std::vector<std::string> lines;
  lines.reserve(absences.size());
  for (const Absence& absence : absences) {
    lines.push_back(absl::StrCat(absence.directory ? "directory " : "none ",
                                 CanonicalPath(absence.requested), "\n"));
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return absl::StrJoin(lines, "");
}

std::string FormatHostRoots(const std::vector<HostRoot>& roots) {
  std::string text;
  for (const HostRoot& root : roots) {
    absl::StrAppend(&text, root.root, "\t", Escape(root.folder), "\n");
  }
  return text;
}

absl::StatusOr<std::vector<HostRoot>> ParseHostRoots(std::string_view text) {
  std::vector<HostRoot> roots;
  for (const std::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string_view> words = absl::StrSplit(line, '\t');
    HostRoot root;
    if (words.size() != 2 || SplitRoot(words[0]).root != words[0] ||
        !Unescape(words[1], root.folder)) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", roots.size() + 1, " names no root and its folder"));
    }
    root.root = std::string(words[0]);
    roots.push_back(std::move(root));
  }
  return roots;
}

}  // namespace ingot::compiler
