#include "targets/nvptx/check_module.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "targets/nvptx/address_space.h"
#include "targets/nvptx/call_chains.h"
#include "targets/nvptx/check_variables.h"
#include "targets/nvptx/inline_assembly.h"
#include "targets/nvptx/kernel_parameters.h"
#include "targets/nvptx/kernels.h"
#include "targets/nvptx/unsupported_intrinsics.h"

namespace ingot::targets {
namespace {

// What ptxas has definitions of (CUDA C++ Programming Guide, "Formatted Output", "Assertion",
// "Dynamic Global Memory Allocation").
constexpr std::string_view kProvided[] = {"vprintf", "__assertfail", "malloc", "free"};

constexpr char kUnresolved[] = "unresolved-function";
constexpr char kResolve[] =
    "define it in this module, or make output to be linked with --relocatable=true";

std::string TypeText(const llvm::Type& type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string_view NameOf(const llvm::Value& value) { return value.getName(); }

// Since when there are registers of 128 bits (PTX ISA, "Fundamental Types").
constexpr int kSmOf128Bits = 70;
constexpr int kPtxOf128Bits = 83;

// LLVM passes those in one register, and wider ones in several.
bool HasIntegerOf65To127Bits(const llvm::Type& type) {
  if (type.isIntegerTy()) return type.getIntegerBitWidth() > 64 && type.getIntegerBitWidth() < 128;
  return std::any_of(type.subtype_begin(), type.subtype_end(),
                     [](const llvm::Type* part) { return HasIntegerOf65To127Bits(*part); });
}

// Since when a block can use the shared memory of others in its cluster (PTX ISA, "State Spaces").
constexpr int kSmOfClusters = 90;
constexpr int kPtxOfClusters = 78;

// Why PTX has no such type; empty if it has.
std::string_view TypeFault(const llvm::Type& type) {
  const llvm::Type& scalar = *type.getScalarType();
  if (scalar.isFP128Ty() || scalar.isX86_FP80Ty() || scalar.isPPC_FP128Ty()) {
    return "floating point of more than 64 bits";
  }
  if (llvm::isa<llvm::ScalableVectorType>(type)) return "a scalable vector";
  if (llvm::isa<llvm::TargetExtType>(scalar)) return "a type of another target";
  if (scalar.isX86_AMXTy()) return "a type of another processor";
  return {};
}

class ModuleCheck {
 public:
  ModuleCheck(const llvm::Module& module, const Gpu& gpu, const KernelOptions& options,
              Findings& findings)
      : module_(module), gpu_(gpu), options_(options), findings_(findings), chains_(module) {}

  void Run() {
    CheckVariables(module_, gpu_, findings_);
    CheckInitialReferences();
    for (const llvm::Function& function : module_) {
      if (function.isDeclaration()) continue;
      if (IsKernel(function)) CheckKernel(function);
      CheckSignature(function);
      CheckRecursion(function);
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        CheckInstruction(instruction);
      }
    }
  }

 private:
  // Appends a finding about `function`, once for all places of the same.
  void Add(const llvm::Function& function, Finding finding) {
    if (!seen_.insert({&function, finding.message}).second) return;
    const llvm::Function* const kernel = chains_.KernelOf(function);
    if (kernel != nullptr) {
      finding.kernel = kernel->getName().str();
      finding.chain = chains_.ChainTo(function);
    }
    finding.chain.push_back({function.getName().str(), finding.place});
    findings_.push_back(std::move(finding));
  }

  void CheckKernel(const llvm::Function& kernel) {
    if (!kernel.getReturnType()->isVoidTy()) {
      Add(kernel, {.kind = "kernel-result",
                   .message = absl::StrCat("kernel '", NameOf(kernel), "' returns a value (",
                                           TypeText(*kernel.getReturnType()),
                                           "), which nobody would receive"),
                   .action = "write it to memory that a parameter points to"});
    }
    const ParameterSpace space = ParametersOf(kernel);
    const uint64_t most = MostParameterBytes(gpu_);
    if (space.bytes > most) {
      Add(kernel, {.kind = "kernel-parameters",
                   .message = absl::StrCat("the parameters of kernel '", NameOf(kernel), "' take ",
                                           space.bytes, " bytes; sm_", gpu_.sm, " with PTX ",
                                           gpu_.ptx / 10, ".", gpu_.ptx % 10, " has ", most),
                   .action = absl::StrCat("pass a pointer to the large ones",
                                          gpu_.sm >= 70 ? ", or use --ptx=8.1 or later" : "", "\n",
                                          ParameterTable(space))});
    }
  }

  void CheckSignature(const llvm::Function& function) {
    for (const llvm::Argument& argument : function.args()) {
      llvm::Type* const by_value = argument.getParamByValType();
      CheckParameterType(function, by_value != nullptr ? *by_value : *argument.getType());
    }
    CheckParameterType(function, *function.getReturnType());
    if (function.hasPrefixData() || function.hasPrologueData()) {
      Add(function,
          {.kind = "function-prefix",
           .message = absl::StrCat("function '", NameOf(function),
                                   "' has data before its code, which PTX cannot express"),
           .action = "keep the data in a variable"});
    }
  }

  void CheckParameterType(const llvm::Function& function, llvm::Type& type) {
    if (!type.isSized()) return;
    if (module_.getDataLayout().getTypeAllocSize(&type).isZero()) {
      Add(function, {.kind = "empty-parameter",
                     .message = absl::StrCat("function '", NameOf(function),
                                             "' has a parameter of an empty type (", TypeText(type),
                                             "), which PTX cannot declare"),
                     .action = "leave the parameter out, or give the type a member"});
    }
    if (const std::string_view fault = TypeFault(type); !fault.empty()) {
      Add(function, {.kind = "type",
                     .message = absl::StrCat("function '", NameOf(function),
                                             "' has a parameter or result of type ", TypeText(type),
                                             ", ", fault, ", which PTX does not have"),
                     .action = "use another type"});
    }
    const bool has_128_bits = gpu_.sm >= kSmOf128Bits && gpu_.ptx >= kPtxOf128Bits;
    if (!has_128_bits && HasIntegerOf65To127Bits(type)) {
      Add(function, {.kind = "integer-width",
                     .message = absl::StrCat("function '", NameOf(function),
                                             "' has a parameter or result of type ", TypeText(type),
                                             ", which needs sm_70 and PTX 8.3"),
                     .action = "use --ptx=8.3 or later, or 128 bits"});
    }
  }

  void CheckInstruction(const llvm::Instruction& instruction) {
    CheckTypes(instruction);
    CheckOperands(instruction);
    if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction)) CheckCall(*call);
    if (llvm::isa<llvm::IndirectBrInst, llvm::CallBrInst>(instruction)) {
      AddAt(instruction, "indirect-branch", "a jump to the address of a label", "use a switch");
    }
    CheckSpace(instruction);
    CheckLiteralAddress(instruction);
    if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        store != nullptr && store->getPointerAddressSpace() == kConstantSpace) {
      AddAt(instruction, "constant-store", "a store to constant memory (address space 4)",
            "use global memory");
    }
  }

  void CheckSpace(const llvm::Instruction& instruction) {
    const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr) return;
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space == kTensorSpace) {
      AddAt(instruction, "address-space", "a load or store of tensor memory (address space 6)",
            "use the tcgen05 intrinsics", "which only instructions of its own can use");
    } else if (space == kClusterSpace && (gpu_.sm < kSmOfClusters || gpu_.ptx < kPtxOfClusters)) {
      AddAt(instruction, "address-space",
            "a load or store of a cluster's shared memory (address space 7)",
            "choose a newer GPU with --cpu", "which needs sm_90 and PTX 7.8");
    }
  }

  // An address that is a number is one of the machine that wrote it: of a host, mostly.
  void CheckLiteralAddress(const llvm::Instruction& instruction) {
    const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr) return;
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space != kGenericSpace && space != kGlobalSpace) return;
    const llvm::Value* number = nullptr;
    const llvm::Value* const base = pointer->stripInBoundsOffsets();
    if (const auto* const cast = llvm::dyn_cast<llvm::IntToPtrInst>(base)) {
      number = cast->getOperand(0);
    } else if (const auto* const expression = llvm::dyn_cast<llvm::ConstantExpr>(base);
               expression != nullptr && expression->getOpcode() == llvm::Instruction::IntToPtr) {
      number = expression->getOperand(0);
    }
    const auto* const literal = llvm::dyn_cast_or_null<llvm::ConstantInt>(number);
    if (literal == nullptr) return;
    AddAt(
        instruction, "literal-address",
        absl::StrCat("a load or store at the fixed address 0x", absl::Hex(literal->getZExtValue())),
        "pass the address as a parameter", "where a GPU's memory need not have anything",
        Finding::Severity::kWarning);
  }

  void CheckRecursion(const llvm::Function& function) {
    if (!chains_.IsRecursive(function)) return;
    Add(function,
        {.severity = Finding::Severity::kWarning,
         .kind = "recursion",
         .message = absl::StrCat("function '", NameOf(function),
                                 "' calls itself, perhaps by way of others: how much stack "
                                 "it needs is not known"),
         .action = "use a loop, or set the stack's size when the program is run"});
  }

  // `what` is the subject of a sentence.
  void AddAt(const llvm::Instruction& instruction, std::string_view kind, std::string_view what,
             std::string_view action, std::string_view why = "which GPUs do not have",
             Finding::Severity severity = Finding::Severity::kError) {
    const llvm::Function& function = *instruction.getFunction();
    Add(function,
        {.severity = severity,
         .kind = std::string(kind),
         .message = absl::StrCat("in function '", NameOf(function), "': ", what, ", ", why),
         .action = std::string(action),
         .place = PlaceOf(instruction)});
  }

  void CheckTypes(const llvm::Instruction& instruction) {
    const auto check = [&](const llvm::Type& type) {
      if (options_.forbid_f64 && type.getScalarType()->isDoubleTy()) {
        AddAt(instruction, "f64", "a value of 64-bit floating point", "use float",
              "which --forbid-f64 forbids");
      }
      const std::string_view fault = TypeFault(type);
      if (fault.empty()) return;
      AddAt(instruction, "type", absl::StrCat("a value of type ", TypeText(type), ", ", fault),
            "use another type", "which PTX does not have");
    };
    check(*instruction.getType());
    for (const llvm::Use& operand : instruction.operands()) check(*operand->getType());
    if (!llvm::isa<llvm::FPToUIInst, llvm::FPToSIInst, llvm::UIToFPInst, llvm::SIToFPInst>(
            instruction)) {
      return;
    }
    for (const llvm::Type* const type :
         {instruction.getType(), instruction.getOperand(0)->getType()}) {
      const llvm::Type& scalar = *type->getScalarType();
      if (!scalar.isIntegerTy() || scalar.getIntegerBitWidth() <= 64) continue;
      AddAt(instruction, "wide-conversion",
            absl::StrCat("a conversion between floating point and ", TypeText(scalar)),
            "convert by way of 64 bits", "which no instruction does");
    }
  }

  void CheckOperands(const llvm::Instruction& instruction) {
    for (const llvm::Use& operand : instruction.operands()) {
      const llvm::Value* const value = operand->stripPointerCasts();
      if (llvm::isa<llvm::BlockAddress>(value)) {
        AddAt(instruction, "indirect-branch", "the address of a label", "use a switch");
      }
      const auto* const function = llvm::dyn_cast<llvm::Function>(value);
      if (function == nullptr || function->isIntrinsic()) continue;
      CheckReference(instruction, *function);
    }
  }

  void CheckReference(const llvm::Instruction& instruction, const llvm::Function& callee) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    // Its address alone may be passed on, to whoever starts it.
    if (IsKernel(callee) && call != nullptr && call->getCalledFunction() == &callee) {
      AddAt(instruction, "kernel-call", absl::StrCat("a call of kernel '", NameOf(callee), "'"),
            "move the kernel's body into a function that both call",
            "which only the host can start");
      return;
    }
    if (!IsUnresolved(callee)) return;
    AddAt(instruction, kUnresolved, absl::StrCat("function '", NameOf(callee), "'"), kResolve,
          "which has no definition");
  }

  bool IsUnresolved(const llvm::Function& function) const {
    return function.isDeclaration() && !function.isIntrinsic() && !options_.relocatable &&
           std::ranges::find(kProvided, NameOf(function)) == std::end(kProvided);
  }

  // What the initial values of variables refer to, which no instruction does.
  void CheckInitialReferences() {
    for (const llvm::Function& function : module_) {
      const bool is_in_constant =
          std::any_of(function.user_begin(), function.user_end(),
                      [](const llvm::User* user) { return llvm::isa<llvm::Constant>(user); });
      if (!is_in_constant || !IsUnresolved(function)) continue;
      findings_.push_back({.kind = kUnresolved,
                           .message = absl::StrCat("function '", NameOf(function),
                                                   "', whose address the module has in a variable, "
                                                   "has no definition"),
                           .action = kResolve});
    }
  }

  void CheckCall(const llvm::CallBase& call) {
    if (call.isInlineAsm()) {
      const auto& assembly = *llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
      std::string fault = InlineAssemblyFault(std::string_view(assembly.getAsmString()));
      if (fault.empty()) fault = InlineAssemblyOperandFault(call);
      if (!fault.empty()) {
        AddAt(call, "inline-assembly", "inline assembly is wrong", "see the PTX ISA manual", fault);
      }
      return;
    }
    const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
    if (intrinsic == nullptr) return;
    const std::string_view name = NameOf(*intrinsic->getCalledFunction());
    if (intrinsic->getType()->isIntegerTy() && intrinsic->getType()->getIntegerBitWidth() > 64 &&
        !llvm::isPowerOf2_32(intrinsic->getType()->getIntegerBitWidth()) &&
        (intrinsic->getIntrinsicID() == llvm::Intrinsic::fshl ||
         intrinsic->getIntrinsicID() == llvm::Intrinsic::fshr)) {
      AddAt(call, "integer-width", absl::StrCat("intrinsic '", name, "'"),
            "use a power of two of bits",
            "which is lowered for integers of a power of two of bits only");
      return;
    }
    if (NeedsMathLibrary(*intrinsic)) {
      AddAt(call, "math-library", absl::StrCat("function '", name, "'"),
            "call a function of a math library that the module contains; some have an "
            "approximation under -ffast-math",
            "for which GPUs have no instruction");
    } else if (const std::string_view why = WhyUnsupported(*intrinsic); !why.empty()) {
      AddAt(call, "intrinsic", absl::StrCat("intrinsic '", name, "'"), "leave it out",
            absl::StrCat("which ", why));
    }
  }

  const llvm::Module& module_;
  const Gpu gpu_;
  const KernelOptions& options_;
  Findings& findings_;
  const CallChains chains_;
  std::set<std::pair<const llvm::Function*, std::string>> seen_;
};

}  // namespace

void CheckModule(const llvm::Module& module, const Gpu& gpu, const KernelOptions& options,
                 Findings& findings) {
  ModuleCheck(module, gpu, options, findings).Run();
}

}  // namespace ingot::targets
