#include "targets/nvptx/check_variables.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Casting.h"
#include "targets/nvptx/address_space.h"

namespace ingot::targets {
namespace {

std::string Quoted(const llvm::GlobalValue& value) {
  return absl::StrCat("'", std::string_view(value.getName()), "'");
}

// The first integer type in `type` that PTX has no directive for.
const llvm::IntegerType* OddInteger(llvm::Type* type) {
  if (const auto* const integer = llvm::dyn_cast<llvm::IntegerType>(type)) {
    const unsigned bits = integer->getBitWidth();
    // Those of 128 bits and more are written as bytes.
    const bool is_odd = (bits != 1 && bits < 64 && bits != 8 && bits != 16 && bits != 32) ||
                        (bits > 64 && bits < 128);
    return is_odd ? integer : nullptr;
  }
  // Those within aggregates are written as bytes, too.
  return nullptr;
}

// Looks through initialisers.
class InitialiserCheck {
 public:
  // Why `initialiser` cannot be written as PTX; empty if it can.
  std::string Fault(const llvm::Constant& initialiser) {
    if (!seen_.insert(&initialiser).second) return {};
    if (llvm::isa<llvm::BlockAddress>(initialiser)) return "the address of a label";
    if (llvm::isa<llvm::ConstantPtrAuth>(initialiser)) return "a signed pointer";
    // Another variable has an initialiser of its own.
    if (llvm::isa<llvm::GlobalValue>(initialiser)) return {};
    if (const auto* const expression = llvm::dyn_cast<llvm::ConstantExpr>(&initialiser)) {
      if (std::string fault = ExpressionFault(*expression); !fault.empty()) return fault;
    }
    for (const llvm::Use& operand : initialiser.operands()) {
      if (std::string fault = Fault(*llvm::cast<llvm::Constant>(operand)); !fault.empty()) {
        return fault;
      }
    }
    return {};
  }

 private:
  static std::string ExpressionFault(const llvm::ConstantExpr& expression) {
    switch (expression.getOpcode()) {
      case llvm::Instruction::GetElementPtr:
      case llvm::Instruction::AddrSpaceCast:
      case llvm::Instruction::BitCast:
      case llvm::Instruction::IntToPtr:
        return {};
      case llvm::Instruction::PtrToInt:
        return expression.getType()->getScalarSizeInBits() < 64
                   ? "an address as a number of less than 64 bits"
                   : "";
      default:
        return absl::StrCat("an expression with '", expression.getOpcodeName(),
                            "' that is known only when the program is loaded");
    }
  }

  std::set<const llvm::Constant*> seen_;
};

// Whether a variable's initialiser leads to its own address, by way of other variables: PTX has no
// declaration before a definition of variables.
bool IsCircular(const llvm::GlobalVariable& start) {
  std::set<const llvm::Constant*> seen;
  std::vector<const llvm::Constant*> left = {start.getInitializer()};
  while (!left.empty()) {
    const llvm::Constant* const constant = left.back();
    left.pop_back();
    if (constant == &start) return true;
    if (!seen.insert(constant).second) continue;
    if (const auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
      if (variable->hasInitializer()) left.push_back(variable->getInitializer());
      continue;
    }
    if (llvm::isa<llvm::GlobalValue>(constant)) continue;
    for (const llvm::Use& operand : constant->operands()) {
      if (const auto* const other = llvm::dyn_cast<llvm::Constant>(operand)) left.push_back(other);
    }
  }
  return false;
}

// Whether there is a pointer in a structure that has no space between its members.
bool HasPackedPointer(llvm::Type& type) {
  if (const auto* const array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    return HasPackedPointer(*array->getElementType());
  }
  const auto* const structure = llvm::dyn_cast<llvm::StructType>(&type);
  if (structure == nullptr) return false;
  return std::any_of(structure->element_begin(), structure->element_end(), [&](llvm::Type* member) {
    return (structure->isPacked() && member->isPointerTy()) || HasPackedPointer(*member);
  });
}

// PTX has had a mask for parts of an address since 7.1 (PTX ISA, "Initializers").
constexpr int kPtxOfPackedPointers = 71;

void CheckInitialiser(const llvm::GlobalVariable& variable, const Gpu& gpu, Findings& findings) {
  const llvm::Constant& initialiser = *variable.getInitializer();
  if (variable.getAddressSpace() == kSharedSpace && !llvm::isa<llvm::UndefValue>(initialiser) &&
      !initialiser.isNullValue()) {
    findings.push_back({.kind = "shared-initializer",
                        .message = absl::StrCat("shared variable ", Quoted(variable),
                                                " has an initial value, which shared memory cannot "
                                                "have"),
                        .action = "set it in the kernel, before a barrier"});
    return;
  }
  if (const std::string fault = InitialiserCheck().Fault(initialiser); !fault.empty()) {
    findings.push_back(
        {.kind = "initializer",
         .message = absl::StrCat("variable ", Quoted(variable), " is initialised with ", fault,
                                 ", which PTX cannot express"),
         .action = "set it in a kernel, or from the host"});
    return;
  }
  if (gpu.ptx < kPtxOfPackedPointers && !initialiser.isNullValue() &&
      HasPackedPointer(*variable.getValueType())) {
    findings.push_back({.kind = "initializer",
                        .message = absl::StrCat("variable ", Quoted(variable),
                                                " is initialised with an address in a packed "
                                                "structure, which PTX cannot express before 7.1"),
                        .action = "use --ptx=7.1 or later, or leave the structure unpacked"});
    return;
  }
  if (IsCircular(variable)) {
    findings.push_back({.kind = "circular-initializer",
                        .message = absl::StrCat("the initial value of variable ", Quoted(variable),
                                                " contains its own address, which PTX cannot "
                                                "express"),
                        .action = "set one of the addresses in a kernel, or from the host"});
  }
}

bool MayBeInSpace(unsigned space) {
  return space == kGenericSpace || space == kGlobalSpace || space == kSharedSpace ||
         space == kConstantSpace;
}

void CheckVariable(const llvm::GlobalVariable& variable, const Gpu& gpu, Findings& findings) {
  if (variable.isThreadLocal()) {
    findings.push_back({.kind = "thread-local",
                        .message = absl::StrCat("variable ", Quoted(variable),
                                                " is thread-local, which GPUs do not have"),
                        .action = "use a variable of a function, or index an array by the thread"});
    return;
  }
  if (variable.getAddressSpace() == kLocalSpace) {
    findings.push_back({.kind = "local-variable",
                        .message = absl::StrCat("variable ", Quoted(variable),
                                                " of the module is in local memory (address space "
                                                "5), which only variables of functions can be in"),
                        .action = "put it into a function, or into another address space"});
    return;
  }
  if (!MayBeInSpace(variable.getAddressSpace())) {
    findings.push_back(
        {.kind = "address-space",
         .message = absl::StrCat("variable ", Quoted(variable), " is in address space ",
                                 variable.getAddressSpace(), ", which holds no variables"),
         .action = "use 1 (global), 3 (shared) or 4 (constant)"});
    return;
  }
  if (const llvm::IntegerType* const odd = OddInteger(variable.getValueType())) {
    findings.push_back(
        {.kind = "integer-width",
         .message = absl::StrCat("variable ", Quoted(variable), " is an integer of ",
                                 odd->getBitWidth(), " bits, which PTX cannot declare"),
         .action = "use 8, 16, 32, 64 or 128 bits"});
    return;
  }
  if (variable.hasInitializer()) CheckInitialiser(variable, gpu, findings);
}

}  // namespace

void CheckVariables(const llvm::Module& module, const Gpu& gpu, Findings& findings) {
  for (const llvm::GlobalVariable& variable : module.globals()) {
    // LLVM's own lists, such as llvm.used.
    if (variable.getName().starts_with("llvm.")) continue;
    CheckVariable(variable, gpu, findings);
  }
  for (const llvm::GlobalIFunc& ifunc : module.ifuncs()) {
    findings.push_back({.kind = "ifunc",
                        .message = absl::StrCat("function ", Quoted(ifunc),
                                                " is chosen when the program is loaded, which GPUs "
                                                "do not have"),
                        .action = "choose it when compiling, or call by a pointer"});
  }
}

}  // namespace ingot::targets
