// Diagnostics for programs: what the compiler said as a list, as JSON or as SARIF.
//
//   std::vector<Diagnostic> list = ParseDiagnostics("k.c:1:2: error: no [-Wx]\n    1 | int\n");
//   // {file "k.c", line 1, column 2, severity "error", message "no", option "-Wx"}
//   nlohmann::json sarif = ToSarif(list);
//
// The list is read from the text, which is what is stored with a result; so a hit has it as well.
// The form of the text is that of clang and GCC: "FILE:LINE:COLUMN: SEVERITY: MESSAGE [OPTION]",
// followed by lines of the source.

#ifndef INGOT_TOOLS_DRIVER_DIAGNOSTICS_REPORT_H_
#define INGOT_TOOLS_DRIVER_DIAGNOSTICS_REPORT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

namespace ingot::driver {

struct Diagnostic {
  std::string file;      // empty if it is about no file
  int line = 0;          // from 1; 0 if it is about no line
  int column = 0;        // from 1, in bytes; 0 if it is about no column
  std::string severity;  // "fatal error", "error", "warning", "remark" or "note"
  std::string message;
  std::string option;    // that turns a warning off: "-Wunused-variable"; empty if there is none
  std::string kind;      // of what a target finds wrong: "unresolved-function"; else empty
  std::string rendered;  // as text, with the lines of the source
};

// The diagnostics in `text`, without colour. Lines that belong to none are left out.
std::vector<Diagnostic> ParseDiagnostics(std::string_view text);

// How diagnostics are shown.
enum class DiagnosticsFormat { kText, kJson, kSarif };

// "text", "json" or "sarif"; nothing for any other word.
std::optional<DiagnosticsFormat> DiagnosticsFormatFromName(std::string_view name);

// All of a command's diagnostics, `text`, in `format`, ending with a newline unless they are empty
// text.
std::string RenderDiagnostics(std::string_view text, DiagnosticsFormat format);

// A list of objects with the fields above; those that are empty are left out.
nlohmann::json ToJson(const std::vector<Diagnostic>& diagnostics);

// A log of the Static Analysis Results Interchange Format, 2.1.0 (OASIS). Notes are related
// locations of what they follow.
nlohmann::json ToSarif(const std::vector<Diagnostic>& diagnostics);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_DIAGNOSTICS_REPORT_H_
