#include "targets/nvptx/lower_math.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Type.h"
#include "llvm/Support/Casting.h"

namespace ingot::targets {
namespace {

// What takes the place of `call`; null if it stays.
llvm::Value* Replacement(const llvm::IntrinsicInst& call, llvm::IRBuilder<>& builder) {
  llvm::Value* const x = call.arg_size() > 0 ? call.getArgOperand(0) : nullptr;
  const auto round_to_integer = [&](llvm::Intrinsic::ID how) {
    return builder.CreateFPToSI(builder.CreateUnaryIntrinsic(how, x), call.getType());
  };
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::lrint:
    case llvm::Intrinsic::llrint:
      return round_to_integer(llvm::Intrinsic::rint);
    case llvm::Intrinsic::lround:
    case llvm::Intrinsic::llround:
      return round_to_integer(llvm::Intrinsic::round);
    case llvm::Intrinsic::modf: {
      // Of an infinity the fraction is zero, and not the difference of two infinities. It has the
      // sign of the number even if it is zero.
      llvm::Value* const whole = builder.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x);
      llvm::Value* const difference = builder.CreateFSub(x, whole);
      llvm::Value* const is_infinite =
          builder.CreateFCmpOEQ(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x),
                                llvm::ConstantFP::getInfinity(x->getType()));
      llvm::Value* const fraction = builder.CreateCopySign(
          builder.CreateSelect(is_infinite, llvm::ConstantFP::getZero(x->getType()), difference),
          x);
      llvm::Value* const result =
          builder.CreateInsertValue(llvm::PoisonValue::get(call.getType()), fraction, 0);
      return builder.CreateInsertValue(result, whole, 1);
    }
    case llvm::Intrinsic::canonicalize: {
      llvm::Type* const type = x->getType();
      if (!type->getScalarType()->isBFloatTy()) return nullptr;
      llvm::Type* const wide = type->getWithNewType(builder.getFloatTy());
      return builder.CreateFPTrunc(
          builder.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, builder.CreateFPExt(x, wide)),
          type);
    }
    default:
      return nullptr;
  }
}

}  // namespace

void LowerMath(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call == nullptr) continue;
      llvm::IRBuilder<> builder(call);
      if (llvm::isa<llvm::FPMathOperator>(call)) builder.setFastMathFlags(call->getFastMathFlags());
      llvm::Value* const replacement = Replacement(*call, builder);
      if (replacement == nullptr) continue;
      replacement->takeName(call);
      call->replaceAllUsesWith(replacement);
      call->eraseFromParent();
    }
  }
}

}  // namespace ingot::targets
