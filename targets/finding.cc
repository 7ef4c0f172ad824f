#include "targets/finding.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace ingot::targets {
namespace {

std::string Position(const SourcePlace& place, std::string_view path) {
  if (place.line == 0) return std::string(path);
  std::string position = absl::StrCat(place.file.empty() ? path : place.file, ":", place.line);
  if (place.column != 0) absl::StrAppend(&position, ":", place.column);
  return position;
}

void AppendFinding(const Finding& finding, std::string_view path, std::string& text) {
  const bool is_error = finding.severity == Finding::Severity::kError;
  absl::StrAppend(&text, Position(finding.place, path), ": ", is_error ? "error" : "warning", ": ",
                  finding.message, " [", finding.kind, "]\n");
  for (const CallSite& site : finding.chain) {
    const bool is_kernel = site.function == finding.kernel;
    absl::StrAppend(&text, Position(site.place, path), ": note: in ",
                    is_kernel ? "kernel" : "function", " '", site.function, "'\n");
  }
  if (!finding.action.empty()) {
    absl::StrAppend(&text, Position({}, path), ": note: ", finding.action, "\n");
  }
}

}  // namespace

std::string FormatFindings(const Findings& findings, std::string_view path) {
  std::string text;
  for (const Finding& finding : findings) AppendFinding(finding, path, text);
  return text;
}

absl::Status FindingsStatus(const Findings& findings, std::string_view path,
                            std::string& warnings) {
  std::string text = FormatFindings(findings, path);
  const bool has_errors = std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.severity == Finding::Severity::kError;
  });
  if (has_errors) return absl::InvalidArgumentError(absl::StripSuffix(text, "\n"));
  warnings = std::move(text);
  return absl::OkStatus();
}

}  // namespace ingot::targets
