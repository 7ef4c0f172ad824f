#include "targets/avr/avr_backend.h"

#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "targets/avr/avr_record.h"
#include "targets/testing/generate_code.h"

namespace ingot::targets {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(AvrBackendTest, EveryCpuHasTheArchitectureOfTheRecordInItsElfHeader) {
  for (const CpuRecord& cpu : kAvrTarget.cpus) {
    const std::string object = GenerateCode(AvrBackend(), {.cpu = std::string(cpu.name)},
                                            EmitKind::kObj, "define void @f() { ret void }");
    auto file =
        llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "test"));
    ASSERT_TRUE(static_cast<bool>(file));
    const auto& elf = llvm::cast<llvm::object::ELFObjectFileBase>(**file);
    EXPECT_EQ(elf.getEMachine(), unsigned{llvm::ELF::EM_AVR});
    unsigned arch = 0;
    ASSERT_TRUE(absl::SimpleAtoi(FindFact(kAvrTarget, cpu, "arch"), &arch)) << cpu.name;
    EXPECT_EQ(elf.getPlatformFlags() & unsigned{llvm::ELF::EF_AVR_ARCH_MASK}, arch) << cpu.name;
  }
}

TEST(AvrBackendTest, NeverGeneratesCodeAtLevelNone) {
  EXPECT_EQ(AvrBackend().CodeGenLevel(llvm::CodeGenOptLevel::None), llvm::CodeGenOptLevel::Less);
  for (const auto level : {llvm::CodeGenOptLevel::Less, llvm::CodeGenOptLevel::Default,
                           llvm::CodeGenOptLevel::Aggressive}) {
    EXPECT_EQ(AvrBackend().CodeGenLevel(level), level);
  }
}

// At level None, LLVM 22 fills the upper half from two different registers, "sbc r30, r24": some
// other number.
TEST(AvrBackendTest, SignExtensionTo64BitsIsRightEvenWhereLevelNoneIsAskedFor) {
  const std::string assembly = GenerateCode(
      AvrBackend(), {.cpu = "atmega328p", .level = llvm::CodeGenOptLevel::None}, EmitKind::kAsm, R"(
define i64 @widen(i32 %x) {
  %wide = sext i32 %x to i64
  ret i64 %wide
}
)");
  EXPECT_THAT(assembly, ContainsRegex("sbc\tr([0-9]+), r"));
  for (int a = 0; a < 32; ++a) {
    for (int b = 0; b < 32; ++b) {
      if (a == b) continue;
      EXPECT_THAT(assembly,
                  Not(HasSubstr("sbc\tr" + std::to_string(a) + ", r" + std::to_string(b) + "\n")));
    }
  }
}

}  // namespace
}  // namespace ingot::targets
