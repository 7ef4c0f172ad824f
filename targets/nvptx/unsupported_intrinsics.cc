#include "targets/nvptx/unsupported_intrinsics.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Type.h"
#include "llvm/Support/Casting.h"

namespace ingot::targets {
namespace {

bool IsApproximate(const llvm::IntrinsicInst& call) {
  const auto* const operation = llvm::dyn_cast<llvm::FPMathOperator>(&call);
  return operation != nullptr && operation->hasApproxFunc();
}

llvm::Type* OperandType(const llvm::IntrinsicInst& call) {
  return call.getArgOperand(0)->getType()->getScalarType();
}

}  // namespace

bool NeedsMathLibrary(const llvm::IntrinsicInst& call) {
  // What LLVM 22 does with each was tried for every type, with and without `afn`.
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::tan:
    case llvm::Intrinsic::asin:
    case llvm::Intrinsic::acos:
    case llvm::Intrinsic::atan:
    case llvm::Intrinsic::atan2:
    case llvm::Intrinsic::sinh:
    case llvm::Intrinsic::cosh:
    case llvm::Intrinsic::exp:
    case llvm::Intrinsic::exp10:
    case llvm::Intrinsic::log:
    case llvm::Intrinsic::log2:
    case llvm::Intrinsic::log10:
    case llvm::Intrinsic::pow:
    case llvm::Intrinsic::powi:
    case llvm::Intrinsic::sincospi:
      return true;
    case llvm::Intrinsic::sin:
    case llvm::Intrinsic::cos:
    case llvm::Intrinsic::tanh:
    case llvm::Intrinsic::sincos:
      return OperandType(call)->isDoubleTy() || !IsApproximate(call);
    case llvm::Intrinsic::exp2:
      return OperandType(call)->isDoubleTy();
    default:
      return false;
  }
}

std::string_view WhyUnsupported(const llvm::IntrinsicInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  const llvm::StringRef name = call.getCalledFunction()->getName();
  if (llvm::Intrinsic::isTargetIntrinsic(id) && !name.starts_with("llvm.nvvm.")) {
    return "is an instruction of another processor";
  }
  switch (id) {
    case llvm::Intrinsic::init_trampoline:
    case llvm::Intrinsic::adjust_trampoline:
      return "makes code at run time, which GPUs cannot";
    case llvm::Intrinsic::localescape:
    case llvm::Intrinsic::localrecover:
    case llvm::Intrinsic::eh_typeid_for:
    case llvm::Intrinsic::eh_sjlj_setjmp:
    case llvm::Intrinsic::eh_sjlj_longjmp:
    case llvm::Intrinsic::eh_return_i32:
    case llvm::Intrinsic::eh_return_i64:
      return "is for exceptions, which GPUs do not have";
    case llvm::Intrinsic::clear_cache:
      return "is for code that is made at run time, which GPUs cannot do";
    case llvm::Intrinsic::stackprotector:
    case llvm::Intrinsic::stackguard:
      return "protects a stack, which GPUs do not";
    case llvm::Intrinsic::read_register:
    case llvm::Intrinsic::read_volatile_register:
    case llvm::Intrinsic::write_register:
      return "names a register, of which PTX has none by a fixed name";
    case llvm::Intrinsic::set_rounding:
    case llvm::Intrinsic::get_fpenv:
    case llvm::Intrinsic::set_fpenv:
    case llvm::Intrinsic::reset_fpenv:
    case llvm::Intrinsic::get_fpmode:
    case llvm::Intrinsic::set_fpmode:
    case llvm::Intrinsic::reset_fpmode:
      return "changes how all instructions round, which each says for itself on GPUs";
    case llvm::Intrinsic::vscale:
      return "asks for the size of scalable vectors, which GPUs do not have";
    case llvm::Intrinsic::memcpy_element_unordered_atomic:
    case llvm::Intrinsic::memmove_element_unordered_atomic:
    case llvm::Intrinsic::memset_element_unordered_atomic:
      return "copies memory atomically, which no instruction does";
    case llvm::Intrinsic::returnaddress:
    case llvm::Intrinsic::addressofreturnaddress:
    case llvm::Intrinsic::frameaddress:
    case llvm::Intrinsic::sponentry:
      return "asks for the frame of a function, which PTX does not show";
    case llvm::Intrinsic::experimental_deoptimize:
    case llvm::Intrinsic::experimental_patchpoint_void:
    case llvm::Intrinsic::experimental_patchpoint:
    case llvm::Intrinsic::experimental_stackmap:
    case llvm::Intrinsic::experimental_gc_statepoint:
    case llvm::Intrinsic::experimental_gc_relocate:
    case llvm::Intrinsic::experimental_gc_result:
      return "is for a runtime that patches code, which GPUs do not have";
    default:
      break;
  }
  if (name.starts_with("llvm.matrix.")) return "is for matrices, which nothing here lowers";
  if (name.starts_with("llvm.objc.")) return "is a function of Objective-C's runtime";
  if (name.starts_with("llvm.call.preallocated.")) return "is for another processor's calls";
  if (name.starts_with("llvm.coro.")) return "is part of a coroutine that was not split";
  return {};
}

}  // namespace ingot::targets
