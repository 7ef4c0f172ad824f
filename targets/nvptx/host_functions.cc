#include "targets/nvptx/host_functions.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Type.h"

namespace ingot::targets {
namespace {

// The function `name` of `type` that the module uses but does not define; null if there is none.
llvm::Function* Undefined(llvm::Module& module, llvm::StringRef name, llvm::FunctionType* type) {
  llvm::Function* const function = module.getFunction(name);
  const bool is_ours = function != nullptr && function->isDeclaration() && !function->use_empty() &&
                       function->getFunctionType() == type;
  return is_ours ? function : nullptr;
}

llvm::BasicBlock* Begin(llvm::Function& function) {
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  return llvm::BasicBlock::Create(function.getContext(), "entry", &function);
}

// Variable arguments are a pointer to where they lie one after another, which is what vprintf takes
// (CUDA C++ Programming Guide, "Formatted Output"; "PTX Interoperability" for the layout).
void DefinePrintf(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const integer = llvm::Type::getInt32Ty(context);
  llvm::Type* const pointer = llvm::PointerType::get(context, 0);
  llvm::Function* const function =
      Undefined(module, "printf", llvm::FunctionType::get(integer, {pointer}, /*isVarArg=*/true));
  if (function == nullptr) return;
  llvm::IRBuilder<> builder(Begin(*function));
  llvm::Value* const list = builder.CreateAlloca(pointer);
  builder.CreateIntrinsic(llvm::Intrinsic::vastart, {pointer}, {list});
  const llvm::FunctionCallee vprintf =
      module.getOrInsertFunction("vprintf", integer, pointer, pointer);
  builder.CreateRet(
      builder.CreateCall(vprintf, {function->getArg(0), builder.CreateLoad(pointer, list)}));
}

void DefineAbort(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Function* const function = Undefined(
      module, "abort", llvm::FunctionType::get(llvm::Type::getVoidTy(context), /*isVarArg=*/false));
  if (function == nullptr) return;
  llvm::IRBuilder<> builder(Begin(*function));
  builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::trap, {});
  builder.CreateUnreachable();
}

// Ends the thread: there is nobody to take the status.
void DefineExit(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Function* const function =
      Undefined(module, "exit",
                llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                        {llvm::Type::getInt32Ty(context)}, /*isVarArg=*/false));
  if (function == nullptr) return;
  llvm::IRBuilder<> builder(Begin(*function));
  builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::nvvm_exit, {});
  builder.CreateUnreachable();
}

// As the C library of Linux has it: the condition, the file, the line, the function.
void DefineAssertFail(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const nothing = llvm::Type::getVoidTy(context);
  llvm::Type* const integer = llvm::Type::getInt32Ty(context);
  llvm::Type* const size = llvm::Type::getInt64Ty(context);
  llvm::Type* const pointer = llvm::PointerType::get(context, 0);
  llvm::Function* const function = Undefined(
      module, "__assert_fail",
      llvm::FunctionType::get(nothing, {pointer, pointer, integer, pointer}, /*isVarArg=*/false));
  if (function == nullptr) return;
  llvm::IRBuilder<> builder(Begin(*function));
  // CUDA's takes the bytes of a character as well (crt/common_functions.h).
  const llvm::FunctionCallee fail =
      module.getOrInsertFunction("__assertfail", nothing, pointer, pointer, integer, pointer, size);
  builder.CreateCall(fail, {function->getArg(0), function->getArg(1), function->getArg(2),
                            function->getArg(3), builder.getInt64(1)});
  builder.CreateUnreachable();
}

}  // namespace

void DefineHostFunctions(llvm::Module& module) {
  DefinePrintf(module);
  DefineAbort(module);
  DefineExit(module);
  DefineAssertFail(module);
}

}  // namespace ingot::targets
