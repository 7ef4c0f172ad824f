#include "compiler/diagnostics.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace ingot::compiler {
namespace {

// Shorter ones are offsets and constants. Addresses are printed in lower case, LLVM's own constants
// in upper case.
constexpr std::size_t kMinAddressDigits = 6;

bool IsAddressDigit(char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); }

bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// The message of `info` without a severity word: "in function f: …".
std::string Message(const llvm::DiagnosticInfo& info) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info.print(printer);
  // What LLVM prints for code without debug locations.
  std::string_view message = text;
  absl::ConsumePrefix(&message, "<unknown>:0:0: ");
  return ScrubAddresses(absl::StripAsciiWhitespace(message));
}

// As Clang shows a line: its number, and a caret below the column.
std::string Shown(const SourceLine& line) {
  std::string below;
  for (const char c : std::string_view(line.text).substr(0, line.column - 1)) {
    below += c == '\t' ? '\t' : ' ';
  }
  return absl::StrFormat("%5u | %s\n      | %s^", line.number, line.text, below);
}

}  // namespace

DiagnosticCollector& DiagnosticCollector::InstallIn(llvm::LLVMContext& context,
                                                    std::string input_name, WarningSink warnings) {
  std::unique_ptr<DiagnosticCollector> collector(
      new DiagnosticCollector(std::move(input_name), std::move(warnings)));
  DiagnosticCollector& reference = *collector;
  context.setDiagnosticHandler(std::move(collector));
  return reference;
}

DiagnosticCollector::DiagnosticCollector(std::string input_name, WarningSink warnings)
    : input_name_(std::move(input_name)), warnings_(std::move(warnings)) {}

absl::Status DiagnosticCollector::TakeErrors() {
  if (errors_.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(std::exchange(errors_, {}));
}

std::string DiagnosticCollector::AssemblyText(const llvm::DiagnosticInfoSrcMgr& info,
                                              std::string_view severity) const {
  const llvm::SMDiagnostic& diagnostic = info.getSMDiag();
  const std::string_view message = diagnostic.getMessage();
  std::string assembly;
  if (diagnostic.getLineNo() > 0) {
    const SourceLine line{.number = static_cast<unsigned>(diagnostic.getLineNo()),
                          .column = static_cast<unsigned>(diagnostic.getColumnNo() + 1),
                          .text = diagnostic.getLineContents().str()};
    assembly = absl::StrCat(std::string_view(diagnostic.getFilename()), ":", line.number, ":",
                            line.column, ": note: instantiated into assembly here\n", Shown(line));
  }
  const auto source = lines_.find(info.getLocCookie());
  if (source == lines_.end()) {
    return absl::StrCat(input_name_, ": ", severity, ": ", message, assembly.empty() ? "" : "\n",
                        assembly);
  }
  return absl::StrCat(source->second.place, ": ", severity, ": ", message, "\n",
                      Shown(source->second), assembly.empty() ? "" : "\n", assembly);
}

std::string DiagnosticCollector::Text(const llvm::DiagnosticInfo& info,
                                      std::string_view severity) const {
  if (info.getKind() == llvm::DK_SrcMgr) {
    return AssemblyText(static_cast<const llvm::DiagnosticInfoSrcMgr&>(info), severity);
  }
  if (info.getKind() == llvm::DK_InlineAsm) {
    const auto& assembly = static_cast<const llvm::DiagnosticInfoInlineAsm&>(info);
    const auto source = lines_.find(assembly.getLocCookie());
    if (source != lines_.end()) {
      return absl::StrCat(source->second.place, ": ", severity, ": ",
                          ScrubAddresses(assembly.getMsgStr().str()), "\n", Shown(source->second));
    }
  }
  return absl::StrCat(input_name_, ": ", severity, ": ", Message(info));
}

bool DiagnosticCollector::handleDiagnostics(const llvm::DiagnosticInfo& info) {
  const bool is_error = info.getSeverity() == llvm::DS_Error;
  if (!is_error && info.getSeverity() != llvm::DS_Warning) return true;  // remarks, notes
  const std::string line = Text(info, is_error ? "error" : "warning");
  if (is_error) {
    absl::StrAppend(&errors_, errors_.empty() ? "" : "\n", line);
  } else if (warnings_) {
    warnings_(line);
  }
  return true;
}

std::string ScrubAddresses(std::string_view text) {
  std::vector<std::string_view> seen;
  std::string result;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text.substr(i, 2) == "0x" && (i == 0 || !IsWord(text[i - 1]))) {
      std::size_t end = i + 2;
      while (end < text.size() && IsAddressDigit(text[end])) ++end;
      const std::string_view address = text.substr(i, end - i);
      if (address.size() - 2 >= kMinAddressDigits && (end == text.size() || !IsWord(text[end]))) {
        auto known = absl::c_find(seen, address);
        const std::ptrdiff_t number = known - seen.begin();
        if (known == seen.end()) seen.push_back(address);
        absl::StrAppend(&result, "t", number);
        i = end;
        continue;
      }
    }
    result.push_back(text[i++]);
  }
  return result;
}

}  // namespace ingot::compiler
