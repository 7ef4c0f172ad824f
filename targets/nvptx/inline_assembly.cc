#include "targets/nvptx/inline_assembly.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Type.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

namespace ingot::targets {
namespace {

// The instructions of PTX 9.0 without their modifiers (PTX ISA, "Instruction Set"), sorted.
constexpr std::string_view kInstructions[] = {
    "abs",          "activemask",    "add",       "addc",       "alloca",
    "and",          "applypriority", "atom",      "bar",        "barrier",
    "bfe",          "bfi",           "bfind",     "bmsk",       "bra",
    "brev",         "brkpt",         "brx",       "call",       "clusterlaunchcontrol",
    "clz",          "cnot",          "copysign",  "cos",        "cp",
    "createpolicy", "cvt",           "cvta",      "discard",    "div",
    "dp2a",         "dp4a",          "elect",     "ex2",        "exit",
    "fence",        "fma",           "fns",       "getctarank", "griddepcontrol",
    "isspacep",     "istypep",       "ld",        "ldmatrix",   "ldu",
    "lg2",          "lop3",          "mad",       "mad24",      "madc",
    "mapa",         "match",         "max",       "mbarrier",   "membar",
    "min",          "mma",           "mov",       "movmatrix",  "mul",
    "mul24",        "multimem",      "nanosleep", "neg",        "not",
    "or",           "pmevent",       "popc",      "prefetch",   "prefetchu",
    "prmt",         "rcp",           "red",       "redux",      "rem",
    "ret",          "rsqrt",         "sad",       "selp",       "set",
    "setmaxnreg",   "setp",          "shf",       "shfl",       "shl",
    "shr",          "sin",           "slct",      "sqrt",       "st",
    "stackrestore", "stacksave",     "stmatrix",  "sub",        "subc",
    "suld",         "suq",           "sured",     "sust",       "szext",
    "tanh",         "tcgen05",       "tensormap", "testp",      "tex",
    "tld4",         "trap",          "txq",       "vabsdiff",   "vabsdiff2",
    "vabsdiff4",    "vadd",          "vadd2",     "vadd4",      "vavrg2",
    "vavrg4",       "vmad",          "vmax",      "vmax2",      "vmax4",
    "vmin",         "vmin2",         "vmin4",     "vote",       "vset",
    "vset2",        "vset4",         "vshl",      "vshr",       "vsub",
    "vsub2",        "vsub4",         "wgmma",     "wmma",       "xor",
};
static_assert(std::ranges::is_sorted(kInstructions));

// `text` with each comment replaced by a space.
std::string WithoutComments(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    std::size_t length = 0;
    if (absl::StartsWith(text, "//")) {
      length = std::min(text.find('\n'), text.size());
    } else if (absl::StartsWith(text, "/*")) {
      const std::size_t end = text.find("*/", 2);
      length = end == std::string_view::npos ? text.size() : end + 2;
    }
    plain += length > 0 ? ' ' : text.front();
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return plain;
}

bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '%'; }

std::string_view FirstWord(std::string_view text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), IsWord);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// Takes braces of a scope, labels and the predicate, `{ LOOP: @!p`, from the start of a statement.
void SkipToInstruction(std::string_view& statement) {
  while (true) {
    statement = absl::StripLeadingAsciiWhitespace(statement);
    if (absl::StartsWith(statement, "{") || absl::StartsWith(statement, "}")) {
      statement.remove_prefix(1);
      continue;
    }
    const std::string_view word = FirstWord(statement);
    const std::string_view rest = absl::StripLeadingAsciiWhitespace(statement.substr(word.size()));
    if (!word.empty() && absl::StartsWith(rest, ":")) {
      statement = rest.substr(1);
    } else if (absl::StartsWith(statement, "@")) {
      statement = absl::StripLeadingAsciiWhitespace(statement.substr(1));
      if (absl::StartsWith(statement, "!")) statement.remove_prefix(1);
      statement = absl::StripLeadingAsciiWhitespace(statement);
      statement.remove_prefix(FirstWord(statement).size());
    } else {
      return;
    }
  }
}

// How many bits a register of a constraint has; 0 for what is no register.
unsigned BitsOf(std::string_view code) {
  if (code == "b") return 1;
  if (code == "c") return 8;
  if (code == "h") return 16;
  if (code == "r" || code == "f") return 32;
  if (code == "l" || code == "d" || code == "N") return 64;
  return code == "q" ? 128 : 0;
}

std::string OperandFault(const llvm::InlineAsm::ConstraintInfo& constraint, llvm::Type* type) {
  if (type == nullptr || constraint.Codes.empty()) return {};
  const std::string& code = constraint.Codes.front();
  const unsigned bits = BitsOf(code);
  if (bits == 0) return {};
  // Larger integers are refused by LLVM itself.
  const auto* const vector = llvm::dyn_cast<llvm::VectorType>(type);
  if (vector == nullptr || type->getPrimitiveSizeInBits().getKnownMinValue() <= bits) return {};
  std::string name;
  llvm::raw_string_ostream(name) << *type;
  return absl::StrCat("an operand of type ", name, " does not fit a register of constraint '", code,
                      "', which has ", bits, " bits");
}

}  // namespace

std::string InlineAssemblyFault(std::string_view text) {
  const std::string plain = WithoutComments(text);
  for (std::string_view statement : absl::StrSplit(plain, ';')) {
    SkipToInstruction(statement);
    // Directives begin with a dot.
    if (statement.empty() || !absl::ascii_isalpha(statement.front())) continue;
    const std::string_view word = FirstWord(statement);
    if (absl::StrContains(word, '$') || absl::StrContains(word, '%')) continue;
    if (!std::ranges::binary_search(kInstructions, word)) {
      return absl::StrCat("'", word, "' is no instruction of PTX");
    }
  }
  return {};
}

std::string InlineAssemblyOperandFault(const llvm::CallBase& call) {
  const auto* const assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  llvm::Type* const result = call.getType();
  const auto* const results = llvm::dyn_cast<llvm::StructType>(result);
  unsigned outputs = 0;
  unsigned arguments = 0;
  for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly->ParseConstraints()) {
    llvm::Type* type = nullptr;
    if (constraint.Type == llvm::InlineAsm::isOutput && !constraint.isIndirect) {
      type = results != nullptr ? results->getElementType(outputs++) : result;
    } else if (constraint.hasArg()) {
      if (!constraint.isIndirect) type = call.getArgOperand(arguments)->getType();
      ++arguments;
    }
    std::string fault = OperandFault(constraint, type);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace ingot::targets
