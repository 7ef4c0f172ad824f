#include "targets/nvptx/inline_assembly.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::targets {
namespace {

using ::testing::HasSubstr;

TEST(InlineAssemblyFaultTest, TakesWhatMayBePtx) {
  for (const char* text :
       {"", "mov.u32 $0, %laneid;", "\tmov.b64 {lo, hi}, $1;\n\tadd.u32 $0, lo, hi;",
        "{\n .reg .pred p;\n setp.ne.u32 p, $1, 0;\n @p bra DONE;\n DONE:\n @!p exit;\n}",
        "// a comment; it is no instruction\nmembar.gl;", "/* this; too */ bar.sync 0;",
        "ld.global.v2.u32 {$0,$1}, [$2];", "", ";;", "$0 $1;", "LOOP: @ p bra LOOP;",
        ".reg .u32 x;", "mma.sync.aligned.m16n8k8.row.col $0, $1;"}) {
    EXPECT_EQ(InlineAssemblyFault(text), "") << text;
  }
}

TEST(InlineAssemblyFaultTest, NamesWhatIsNoInstruction) {
  EXPECT_EQ(InlineAssemblyFault("this is not ptx $0;"), "'this' is no instruction of PTX");
  EXPECT_THAT(InlineAssemblyFault("mov.u32 $0, 1; nop;"), HasSubstr("'nop'"));
  EXPECT_THAT(InlineAssemblyFault("{ { @p movl $0, 1; } }"), HasSubstr("'movl'"));
  EXPECT_THAT(InlineAssemblyFault("A: B: eax;"), HasSubstr("'eax'"));
  EXPECT_THAT(InlineAssemblyFault("mov.u32 $0, 1;\n// x\nxyzzy"), HasSubstr("'xyzzy'"));
}

}  // namespace
}  // namespace ingot::targets
