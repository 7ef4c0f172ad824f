#include "compiler/frontend/read_module.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"
#include "targets/registry.h"

namespace ingot::compiler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReadModuleTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<llvm::Module>> Read(const std::string& bytes,
                                                     std::string_view target = "nvptx64",
                                                     llvm::StringRef path = "src/k.ll") {
    return ReadModule(llvm::MemoryBufferRef(bytes, path), **targets::FindTarget(target), context_);
  }

  std::string Error(const std::string& bytes, std::string_view target = "nvptx64",
                    llvm::StringRef path = "src/k.ll") {
    const auto module = Read(bytes, target, path);
    EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(module.status().message());
  }

  std::string Bitcode(const std::string& text, std::string_view target) {
    const auto module = Read(text, target);
    EXPECT_TRUE(module.ok()) << module.status();
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::WriteBitcodeToFile(**module, stream);
    return std::string(bytes.data(), bytes.size());
  }

  llvm::LLVMContext context_;
};

TEST_F(ReadModuleTest, AModuleWithoutLayoutGetsTheTargetsWhileItIsParsed) {
  // On AVR the call below is an error unless @f is known to live in address space 1.
  const auto module =
      Read("declare void @f()\ndefine void @g() { call addrspace(1) void @f() ret void }", "avr");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->getFunction("f")->getAddressSpace(), 1u);
  EXPECT_EQ((*module)->getTargetTriple().str(), "avr");
  EXPECT_TRUE(Read("define void @h() { call addrspace(0) void @h() ret void }").ok());
}

TEST_F(ReadModuleTest, AnyVendorOfTheSameArchitectureIsTheTarget) {
  const auto module = Read("target triple = \"avr-atmel-none\"", "avr");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->getTargetTriple().str(), "avr");
}

TEST_F(ReadModuleTest, AForeignTripleIsRefusedByNameWhateverElseIsWrong) {
  const std::string foreign = "target triple = \"x86_64-pc-linux-gnu\"\n";
  for (const std::string& text : {foreign, foreign + "nonsense"}) {
    EXPECT_THAT(Error(text),
                AllOf(StartsWith("src/k.ll: error: the module is for 'x86_64-pc-linux-gnu'"),
                      HasSubstr("'nvptx64-nvidia-cuda'")));
  }
  EXPECT_THAT(Error("target triple = \"nvptx-nvidia-cuda\""), HasSubstr("'nvptx-nvidia-cuda'"));
}

TEST_F(ReadModuleTest, AnotherDataLayoutIsRefusedByName) {
  EXPECT_THAT(Error("target datalayout = \"e-p:32:32\""),
              AllOf(StartsWith("src/k.ll: error: the module's data layout is 'e-p:32:32'"),
                    HasSubstr("e-p6:32:32-i64:64")));
  EXPECT_TRUE(
      Read("target datalayout = \"e-P1-p:16:8-i8:8-i16:8-i32:8-i64:8-f32:8-f64:8-n8:16-a:8\"",
           "avr")
          .ok());
}

TEST_F(ReadModuleTest, LayoutsOfOlderVersionsAreTakenWhereTheyAgree) {
  const std::string older = "target datalayout = \"e-i64:64-v16:16-v32:32-n16:32:64\"\n";
  const auto module =
      Read(older + "define i64 @f(ptr %p) {\n  %r = load i64, ptr %p\n  ret i64 %r\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->getDataLayoutStr(),
            "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64");
  for (const char* wide :
       {"@x = global {i8, i128} zeroinitializer", "declare void @f(i128)",
        "define void @f() {\n  %p = alloca [2 x i128]\n  ret void\n}",
        "define ptr @f(ptr %p) {\n  %q = getelementptr {i8, i128}, ptr %p, i64 1\n  ret ptr %q\n}",
        "define void @f(ptr %p) {\n  store i128 1, ptr %p\n  ret void\n}"}) {
    EXPECT_THAT(Error(older + wide), HasSubstr("the module's data layout is 'e-i64:64-v16"))
        << wide;
  }
}

TEST_F(ReadModuleTest, ASyntaxErrorShowsItsPlace) {
  EXPECT_EQ(Error("define i32 @f() {\n  ret i32 %x\n}\n"),
            "src/k.ll:2:11: error: use of undefined value '%x'\n"
            "  ret i32 %x\n"
            "          ^");
}

TEST_F(ReadModuleTest, BitcodeIsKnownByItsBytesNotItsName) {
  const std::string bitcode = Bitcode("define void @f() { ret void }", "nvptx64");
  EXPECT_TRUE(Read(bitcode, "nvptx64", "src/k.ll").ok());
  EXPECT_TRUE(Read("define void @f() { ret void }", "nvptx64", "src/k.bc").ok());
}

TEST_F(ReadModuleTest, BitcodeOfAnotherTargetIsRefused) {
  EXPECT_THAT(
      Error(Bitcode("define void @f() { ret void }", "nvptx64"), "avr", "a.bc"),
      StartsWith("a.bc: error: the module is for 'nvptx64-nvidia-cuda', but the target is 'avr'"));
}

TEST_F(ReadModuleTest, DamagedBitcodeIsAnError) {
  const std::string bitcode = Bitcode("define i32 @f(i32 %x) { ret i32 %x }", "nvptx64");
  for (std::size_t size = 4; size < bitcode.size(); size += 4) {
    EXPECT_THAT(Error(bitcode.substr(0, size), "nvptx64", "a.bc"),
                StartsWith("a.bc: error: cannot read bitcode: "));
  }
}

TEST_F(ReadModuleTest, TheSourceIsNamedByTheInputElseByTheLastPartOfItsPath) {
  EXPECT_EQ((*Read("", "avr", "/home/me/project/k.ll"))->getSourceFileName(), "k.ll");
  EXPECT_EQ((*Read("source_filename = \"main.c\"", "avr"))->getSourceFileName(), "main.c");
}

}  // namespace
}  // namespace ingot::compiler
