#include "compiler/frontend/assemble.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Target/TargetMachine.h"
#include "targets/backend.h"
#include "targets/backends.h"

namespace ingot::compiler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class AssembleTest : public testing::Test {
 protected:
  void SetUp() override {
    auto machine =
        (*targets::FindBackend("avr"))->CreateTargetMachine({.cpu = "atmega328p", .features = {}});
    ASSERT_TRUE(machine.ok()) << machine.status();
    machine_ = *std::move(machine);
  }

  void Write(const std::string& path, const std::string& contents) {
    files_->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(contents, path));
  }

  absl::Status Try(std::string_view text) {
    text_ = text;
    object_.clear();
    return Assemble(llvm::MemoryBufferRef(text_, "src/a.s"), *machine_,
                    {files_, {"inc/0"}, dwarf_version_}, warnings_, object_);
  }

  std::string Error(std::string_view text) {
    const absl::Status status = Try(text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }

  // The bytes of .text.
  std::string Code(std::string_view text) {
    const absl::Status status = Try(text);
    EXPECT_TRUE(status.ok()) << status;
    auto file = llvm::object::ObjectFile::createELFObjectFile(
        llvm::MemoryBufferRef({object_.data(), object_.size()}, "a.o"));
    if (!file) {
      ADD_FAILURE() << llvm::toString(file.takeError());
      return {};
    }
    const auto& elf = llvm::cast<llvm::object::ELFObjectFileBase>(**file);
    EXPECT_EQ(elf.getEMachine(), unsigned{llvm::ELF::EM_AVR});
    EXPECT_EQ(elf.getPlatformFlags() & unsigned{llvm::ELF::EF_AVR_ARCH_MASK},
              unsigned{llvm::ELF::EF_AVR_ARCH_AVR5});
    for (const llvm::object::SectionRef& section : elf.sections()) {
      if (section.isText()) return llvm::cantFail(section.getContents()).str();
    }
    return {};
  }

  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files_ =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  std::string text_;
  unsigned dwarf_version_ = 0;
  std::string warnings_;
  llvm::SmallVector<char, 0> object_;
};

TEST_F(AssembleTest, MakesAnObjectOfTheCpusArchitecture) {
  EXPECT_EQ(Code("  .global f\nf:\n  ldi r24, 0x12\n  ret\n"), "\x82\xe1\x08\x95");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(AssembleTest, MakesTheSameObjectAgain) {
  ASSERT_TRUE(Try("f: ret\n").ok());
  const auto first = object_;
  ASSERT_TRUE(Try("f: ret\n").ok());
  EXPECT_EQ(object_, first);
  EXPECT_FALSE(first.empty());
}

TEST_F(AssembleTest, AnErrorNamesItsLineAndShowsIt) {
  EXPECT_EQ(Error("  nop\n  frobnicate r1\n"),
            "src/a.s:2:3: error: invalid instruction\n"
            "  frobnicate r1\n"
            "  ^\n");
}

TEST_F(AssembleTest, AllErrorsAreReported) {
  EXPECT_THAT(Error("  first\n  nop\n  third\n"),
              AllOf(HasSubstr("src/a.s:1:3: error: "), HasSubstr("src/a.s:3:3: error: ")));
}

TEST_F(AssembleTest, WarningsAreNoErrors) {
  EXPECT_TRUE(Try("  .warning \"mind the gap\"\n  nop\n").ok());
  EXPECT_THAT(warnings_, StartsWith("src/a.s:1:3: warning: mind the gap\n"));
}

TEST_F(AssembleTest, LineMarkersOfThePreprocessorAreFollowed) {
  EXPECT_EQ(Error("# 1 \"src/a.S\"\n# 7 \"src/x.h\" 1\n  nop\n  wrong\n# 2 \"src/a.S\" 2\n  bad\n"),
            "src/x.h:8:3: error: invalid instruction\n  wrong\n  ^\n"
            "src/a.S:2:3: error: invalid instruction\n  bad\n  ^\n");
}

TEST_F(AssembleTest, IncludesComeFromTheFilesAndTheirSearchPath) {
  Write("inc/0/nops.inc", "  nop\n  nop\n");
  Write("inc/0/bytes.bin", "\x01\x02\x03\x04");
  EXPECT_EQ(Code("  .include \"nops.inc\"\n  ret\n"), std::string("\0\0\0\0\x08\x95", 6));
  EXPECT_EQ(Code("  .incbin \"bytes.bin\"\n"), "\x01\x02\x03\x04");
  EXPECT_EQ(Code("  .incbin \"inc/0/bytes.bin\", 1, 2\n"), "\x02\x03");
}

TEST_F(AssembleTest, NoOtherFileIsRead) {
  EXPECT_THAT(Error("  .include \"/proc/version\"\n"),
              AllOf(HasSubstr("src/a.s:1:12: error: "), HasSubstr("/proc/version")));
  EXPECT_THAT(Error("  .incbin \"none.bin\"\n"), HasSubstr("none.bin"));
}

TEST_F(AssembleTest, AnErrorInAnIncludedFileNamesThatFile) {
  Write("inc/0/wrong.inc", "  nop\n  wrong\n");
  EXPECT_THAT(Error("# 7 \"src/b.S\"\n  .include \"wrong.inc\"\n"),
              StartsWith("In file included from src/b.S:7:\n"
                         "inc/0/wrong.inc:2:3: error: invalid instruction"));
}

// A GPU's assembly is for the vendor's assembler.
TEST_F(AssembleTest, ATargetWithoutAnAssemblerIsOurFault) {
  auto machine =
      (*targets::FindBackend("nvptx64"))->CreateTargetMachine({.cpu = "sm_75", .features = {}});
  ASSERT_TRUE(machine.ok()) << machine.status();
  const absl::Status status =
      Assemble(llvm::MemoryBufferRef("", "src/a.s"), **machine, {files_, {}}, warnings_, object_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nvptx64-nvidia-cuda"));
}

TEST_F(AssembleTest, AnErrorInAnIncludedFileSaysWhoIncludesIt) {
  Write("inc/0/outer.inc", "  nop\n  .include \"inner.inc\"\n");
  Write("inc/0/inner.inc", "  frobnicate r1\n");
  EXPECT_THAT(Error("# 7 \"src/start.S\"\n  .include \"outer.inc\"\n"),
              StartsWith("In file included from src/start.S:7:\n"
                         "In file included from inc/0/outer.inc:2:\n"
                         "inc/0/inner.inc:1:3: error: "));
}

TEST_F(AssembleTest, DescribesTheLinesWhereAsked) {
  const auto has_lines = [&] {
    return std::string_view(object_.data(), object_.size()).find(".debug_line") !=
           std::string_view::npos;
  };
  EXPECT_TRUE(Try("  nop\n").ok());
  EXPECT_FALSE(has_lines());
  for (const unsigned version : {2, 3, 4, 5}) {
    dwarf_version_ = version;
    const absl::Status status = Try("# 7 \"src/start.S\"\n  nop\n");
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_TRUE(has_lines());
    EXPECT_THAT(std::string(object_.data(), object_.size()), HasSubstr("start.S"));
  }
}

}  // namespace
}  // namespace ingot::compiler
