#include "compiler/optimize/optimize.h"

#include <memory>
#include <string>

#include "compiler/frontend/read_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"
#include "targets/backend.h"
#include "targets/backends.h"

namespace ingot::compiler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OptimizeTest : public testing::Test {
 protected:
  // The module after `level`; also as text.
  std::string OptimizeText(const std::string& text, OptLevel level) {
    const targets::Backend& backend = **targets::FindBackend("avr");
    auto machine = backend.CreateTargetMachine({.cpu = "atmega328p"});
    EXPECT_TRUE(machine.ok());
    auto module = ReadModule(llvm::MemoryBufferRef(text, "k.ll"), backend.record(), context_);
    EXPECT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
    Optimize(*module_, **machine, level);
    std::string result;
    llvm::raw_string_ostream stream(result);
    module_->print(stream, nullptr);
    return result;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

constexpr char kStack[] = R"(
define i16 @f(i16 %x) {
  %slot = alloca i16
  store i16 %x, ptr %slot
  %y = load i16, ptr %slot
  ret i16 %y
}
define i16 @kept(i16 %x) noinline optnone {
  %slot = alloca i16
  store i16 %x, ptr %slot
  %y = load i16, ptr %slot
  ret i16 %y
}
)";

TEST_F(OptimizeTest, O0LeavesTheCodeAsItIs) {
  OptimizeText(kStack, OptLevel::kO0);
  EXPECT_EQ(module_->getFunction("f")->getInstructionCount(), 4u);
}

TEST_F(OptimizeTest, HigherLevelsOptimiseAndRespectOptnone) {
  for (const OptLevel level :
       {OptLevel::kO1, OptLevel::kO2, OptLevel::kO3, OptLevel::kOs, OptLevel::kOz}) {
    OptimizeText(kStack, level);
    EXPECT_EQ(module_->getFunction("f")->getInstructionCount(), 1u);
    EXPECT_EQ(module_->getFunction("kept")->getInstructionCount(), 4u);
  }
}

TEST_F(OptimizeTest, AlwaysInlineIsInlinedEvenAtO0) {
  EXPECT_THAT(OptimizeText(R"(
define internal i16 @one() alwaysinline { ret i16 1 }
define i16 @f() {
  %x = call addrspace(1) i16 @one()
  ret i16 %x
}
)",
                           OptLevel::kO0),
              Not(HasSubstr("call")));
}

TEST_F(OptimizeTest, SizeLevelsMarkFunctionsForTheCodeGenerator) {
  const auto marks = [&](OptLevel level) {
    OptimizeText(kStack, level);
    const llvm::Function& f = *module_->getFunction("f");
    EXPECT_FALSE(module_->getFunction("kept")->hasOptSize()) << "optnone excludes it";
    return (f.hasFnAttribute(llvm::Attribute::OptimizeForSize) ? 1 : 0) +
           (f.hasFnAttribute(llvm::Attribute::MinSize) ? 2 : 0);
  };
  EXPECT_EQ(marks(OptLevel::kO2), 0);
  EXPECT_EQ(marks(OptLevel::kOs), 1);
  EXPECT_EQ(marks(OptLevel::kOz), 3);
}

}  // namespace
}  // namespace ingot::compiler
