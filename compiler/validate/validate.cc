#include "compiler/validate/validate.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "llvm/IR/AutoUpgrade.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace ingot::compiler {
namespace {

std::string_view View(llvm::StringRef text) { return {text.data(), text.size()}; }

// The verifier's text about `module` does not say which function it is about, so each is asked
// again.
std::vector<std::string> FindingsByFunction(const llvm::Module& module, std::string_view path) {
  std::vector<std::string> findings;
  for (const llvm::Function& function : module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (llvm::verifyFunction(function, &stream)) {
      findings.push_back(absl::StrCat(path, ": error: in function '", View(function.getName()),
                                      "': ", absl::StripAsciiWhitespace(text)));
    }
  }
  return findings;
}

}  // namespace

absl::Status Validate(llvm::Module& module, std::string_view path) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool broken_debug_info = false;  // asking for it makes broken debug info no error
  if (llvm::verifyModule(module, &stream, &broken_debug_info)) {
    const std::vector<std::string> findings = FindingsByFunction(module, path);
    return absl::InvalidArgumentError(
        findings.empty() ? absl::StrCat(path, ": error: ", absl::StripAsciiWhitespace(text))
                         : absl::StrJoin(findings, "\n"));
  }
  llvm::UpgradeDebugInfo(module);
  return absl::OkStatus();
}

}  // namespace ingot::compiler
