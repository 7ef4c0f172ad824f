#include "tools/driver/diagnostics_report.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"

namespace ingot::driver {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 5> kSeverities = {"fatal error", "error", "warning",
                                                         "remark", "note"};

// Takes ":NUMBER" from the end of `text`.
bool TakeNumber(std::string_view& text, int& number) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !absl::SimpleAtoi(text.substr(colon + 1), &number) ||
      number <= 0) {
    return false;
  }
  text = text.substr(0, colon);
  return true;
}

// The place in "FILE:LINE:COLUMN", "FILE:LINE" or "FILE".
void ParsePlace(std::string_view place, Diagnostic& diagnostic) {
  int last = 0;
  int first = 0;
  if (TakeNumber(place, last)) {
    if (TakeNumber(place, first)) {
      diagnostic.line = first;
      diagnostic.column = last;
    } else {
      diagnostic.line = last;
    }
  }
  diagnostic.file = std::string(place);
}

// Where the first of " SEVERITY: " stands in `line`, or at its start without the blank.
struct SeverityPlace {
  std::size_t start;
  std::string_view severity;
};

std::optional<SeverityPlace> FindSeverity(std::string_view line) {
  std::optional<SeverityPlace> found;
  for (const std::string_view severity : kSeverities) {
    const std::string with_colon = absl::StrCat(severity, ": ");
    if (absl::StartsWith(line, with_colon)) return SeverityPlace{0, severity};
    const std::size_t place = line.find(absl::StrCat(": ", with_colon));
    if (place == std::string_view::npos || (found.has_value() && found->start <= place + 2)) {
      continue;
    }
    found = SeverityPlace{place + 2, severity};
  }
  return found;
}

// Whether `word` has the form of what a finding is called: "unresolved-function".
bool IsKind(std::string_view word) {
  return !word.empty() && absl::ascii_islower(word.front()) &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::optional<Diagnostic> ParseLine(std::string_view line) {
  // Lines of the source start with blanks.
  if (line.empty() || line.front() == ' ') return std::nullopt;
  const std::optional<SeverityPlace> place = FindSeverity(line);
  if (!place.has_value()) return std::nullopt;
  Diagnostic diagnostic;
  diagnostic.severity = std::string(place->severity);
  if (place->start > 0) ParsePlace(line.substr(0, place->start - 2), diagnostic);
  std::string_view message = line.substr(place->start + place->severity.size() + 2);
  const std::size_t bracket = message.rfind(" [");
  const std::string_view word = bracket == std::string_view::npos || !absl::EndsWith(message, "]")
                                    ? ""
                                    : message.substr(bracket + 2, message.size() - bracket - 3);
  const bool is_option = absl::StartsWith(word, "-");
  if (is_option || IsKind(word)) {
    (is_option ? diagnostic.option : diagnostic.kind) = std::string(word);
    message = message.substr(0, bracket);
  }
  diagnostic.message = std::string(message);
  return diagnostic;
}

// How SARIF calls a severity (3.27.10).
std::string_view SarifLevel(std::string_view severity) {
  if (absl::EndsWith(severity, "error")) return "error";
  return severity == "warning" ? "warning" : "note";
}

json SarifLocation(const Diagnostic& diagnostic) {
  json location = json::object();
  if (!diagnostic.file.empty()) {
    location["physicalLocation"]["artifactLocation"]["uri"] = diagnostic.file;
    if (diagnostic.line > 0) {
      location["physicalLocation"]["region"]["startLine"] = diagnostic.line;
      if (diagnostic.column > 0) {
        location["physicalLocation"]["region"]["startColumn"] = diagnostic.column;
      }
    }
  }
  return location;
}

}  // namespace

std::vector<Diagnostic> ParseDiagnostics(std::string_view text) {
  std::vector<Diagnostic> diagnostics;
  std::string before;  // "In file included from" comes before what it belongs to
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    if (std::optional<Diagnostic> next = ParseLine(line)) {
      next->rendered = absl::StrCat(before, line, "\n");
      before.clear();
      diagnostics.push_back(*std::move(next));
    } else if (absl::StartsWith(line, "In file included from ") || !before.empty()) {
      absl::StrAppend(&before, line, "\n");
    } else if (!diagnostics.empty() && absl::StartsWith(line, " ")) {
      absl::StrAppend(&diagnostics.back().rendered, line, "\n");
    }
  }
  return diagnostics;
}

std::optional<DiagnosticsFormat> DiagnosticsFormatFromName(std::string_view name) {
  if (name == "text") return DiagnosticsFormat::kText;
  if (name == "json") return DiagnosticsFormat::kJson;
  if (name == "sarif") return DiagnosticsFormat::kSarif;
  return std::nullopt;
}

std::string RenderDiagnostics(std::string_view text, DiagnosticsFormat format) {
  if (format == DiagnosticsFormat::kText) return std::string(text);
  const std::vector<Diagnostic> list = ParseDiagnostics(text);
  const json document = format == DiagnosticsFormat::kJson ? ToJson(list) : ToSarif(list);
  // Sources need not be UTF-8, and JSON must.
  return document.dump(2, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace) + "\n";
}

nlohmann::json ToJson(const std::vector<Diagnostic>& diagnostics) {
  json list = json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    json one = {{"severity", diagnostic.severity},
                {"message", diagnostic.message},
                {"rendered", diagnostic.rendered}};
    if (!diagnostic.file.empty()) one["file"] = diagnostic.file;
    if (diagnostic.line > 0) one["line"] = diagnostic.line;
    if (diagnostic.column > 0) one["column"] = diagnostic.column;
    if (!diagnostic.option.empty()) one["option"] = diagnostic.option;
    if (!diagnostic.kind.empty()) one["kind"] = diagnostic.kind;
    list.push_back(std::move(one));
  }
  return list;
}

nlohmann::json ToSarif(const std::vector<Diagnostic>& diagnostics) {
  json results = json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    json location = SarifLocation(diagnostic);
    if (diagnostic.severity == "note" && !results.empty()) {
      location["message"]["text"] = diagnostic.message;
      results.back()["relatedLocations"].push_back(std::move(location));
      continue;
    }
    json result = {{"level", SarifLevel(diagnostic.severity)},
                   {"message", {{"text", diagnostic.message}}}};
    if (!diagnostic.option.empty()) result["ruleId"] = diagnostic.option;
    if (!diagnostic.kind.empty()) result["ruleId"] = diagnostic.kind;
    if (!location.empty()) result["locations"] = json::array({std::move(location)});
    results.push_back(std::move(result));
  }
  return {{"$schema",
           "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/"
           "sarif-schema-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", json::array({{{"tool", {{"driver", {{"name", "ingot"}}}}},
                                 {"results", std::move(results)}}})}};
}

}  // namespace ingot::driver
