#include "targets/nvptx/symbols.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/Casting.h"
#include "targets/nvptx/kernels.h"

namespace ingot::targets {
namespace {

bool MayBeInName(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '$'; }

// LLVM's code generator replaces dots by itself, but only in names that are not visible.
std::string PtxName(std::string_view name) {
  std::string spelled;
  for (const char c : name) {
    if (MayBeInName(c)) {
      spelled += c;
    } else {
      absl::StrAppend(&spelled, "_$", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2),
                      "_");
    }
  }
  // An identifier does not begin with a digit, and "_" and "$" alone are none.
  if (absl::ascii_isdigit(spelled.front()) || spelled == "_" || spelled == "$") {
    spelled.insert(0, "_$");
  }
  return spelled;
}

void Rename(llvm::GlobalValue& value, Findings& findings) {
  const std::string before = value.getName().str();
  if (before.empty() || value.getName().starts_with("llvm.")) return;
  const std::string spelled = PtxName(before);
  if (spelled == before) return;
  std::string name = spelled;
  for (int number = 1; value.getParent()->getNamedValue(name) != nullptr; ++number) {
    name = absl::StrCat(spelled, "_", number);
  }
  value.setName(name);
  if (value.hasLocalLinkage()) return;
  findings.push_back({.severity = Finding::Severity::kWarning,
                      .kind = "renamed",
                      .message = absl::StrCat("'", before, "' is called '", name,
                                              "' in the output, since PTX has no such names"),
                      .action = {}});
}

}  // namespace

void ResolveSymbols(llvm::Module& module, Findings& findings) {
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(module.aliases())) {
    llvm::GlobalObject* const object = alias.getAliaseeObject();
    const auto* const function = llvm::dyn_cast_or_null<llvm::Function>(object);
    if (function != nullptr && IsKernel(*function) && !alias.hasLocalLinkage()) {
      findings.push_back({.kind = "kernel-alias",
                          .message = absl::StrCat("'", std::string_view(alias.getName()),
                                                  "' is another name of kernel '",
                                                  std::string_view(function->getName()),
                                                  "', and PTX has one name for each"),
                          .action = "define a kernel of its own, and let both call a function"});
      continue;
    }
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.hasAvailableExternallyLinkage()) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    } else if (function.hasExternalWeakLinkage() && !function.isIntrinsic()) {
      function.replaceAllUsesWith(llvm::ConstantPointerNull::get(function.getType()));
      function.eraseFromParent();
    }
  }
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (variable.hasAvailableExternallyLinkage()) {
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    } else if (variable.hasExternalWeakLinkage()) {
      variable.replaceAllUsesWith(llvm::ConstantPointerNull::get(variable.getType()));
      variable.eraseFromParent();
    }
  }
}

void RenameSymbols(llvm::Module& module, Findings& findings) {
  for (llvm::GlobalVariable& variable : module.globals()) Rename(variable, findings);
  for (llvm::Function& function : module) {
    if (!function.isIntrinsic()) Rename(function, findings);
  }
}

}  // namespace ingot::targets
