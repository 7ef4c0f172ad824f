#include "tools/driver/diagnostics_text.h"

#include "compiler/plan/canonical_request.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

compiler::CanonicalRequest Request() {
  compiler::CanonicalRequest request;
  request.source_path = "src/k.c";
  request.user_source = "lib/k.c";
  request.roots = {{"src", "lib"}, {"inc/0", "../include"}};
  return request;
}

TEST(DiagnosticsForUserTest, NamesTheUsersFilesWhereSomethingIs) {
  EXPECT_EQ(DiagnosticsForUser("In file included from src/k.c:1:\n"
                               "                 from inc/0/a.h:2:\n"
                               "inc/0/sub/../b.h:1:2: error: src/k.c: x\n"
                               "   12 | src/k.c:3\n"
                               "src/other.h:4:1: note: here\n",
                               Request(), /*color=*/false),
            "In file included from lib/k.c:1:\n"
            "                 from ../include/a.h:2:\n"
            "../include/sub/../b.h:1:2: error: src/k.c: x\n"
            "   12 | src/k.c:3\n"
            "lib/other.h:4:1: note: here\n");
  EXPECT_EQ(DiagnosticsForUser("", Request(), false), "");
}

TEST(DiagnosticsForUserTest, LeavesWhatIsNotTheUsers) {
  for (const char* text : {"toolchain/include/stdint.h:1:2: error: x\n", "1 warning generated.\n",
                           "inc/7/a.h:1:1: error: x\n"}) {
    EXPECT_EQ(DiagnosticsForUser(text, Request(), false), text);
  }
}

TEST(DiagnosticsForUserTest, NamesFilesThatCannotBeUsed) {
  EXPECT_EQ(DiagnosticsForUser("src/k.c:1:2: fatal error: cannot open file 'inc/0/a.h': "
                               "Permission denied\n",
                               Request(), false),
            "lib/k.c:1:2: fatal error: cannot open file '../include/a.h': Permission denied\n");
  constexpr char kSource[] = "    1 | #error src: cannot open file 'src/a.h'\n      | ^\n";
  EXPECT_EQ(DiagnosticsForUser(kSource, Request(), false), kSource);
  EXPECT_EQ(DiagnosticsForUser("src/k.c:1:2: error: no member 'src/a.h'\n", Request(), false),
            "lib/k.c:1:2: error: no member 'src/a.h'\n");
}

TEST(DiagnosticsForUserTest, ColorIsShownOrTakenAway) {
  const char text[] = "\x1b[1msrc/k.c:1:2: \x1b[0m\x1b[0;1;31merror: \x1b[0mno\n";
  EXPECT_EQ(DiagnosticsForUser(text, Request(), true),
            "\x1b[1mlib/k.c:1:2: \x1b[0m\x1b[0;1;31merror: \x1b[0mno\n");
  EXPECT_EQ(DiagnosticsForUser(text, Request(), false), "lib/k.c:1:2: error: no\n");
  EXPECT_EQ(DiagnosticsForUser("\x1b[", Request(), false), "\x1b[");
}

TEST(DiagnosticsForUserTest, StandardInputAndColons) {
  compiler::CanonicalRequest request;
  request.source_path = "src/stdin";
  request.user_source = "-";
  EXPECT_EQ(DiagnosticsForUser("src/stdin:1:2: error", request, false), "<stdin>:1:2: error");
  request.source_path = "src/a:b.ll";
  request.user_source = "x/a:b.ll";
  EXPECT_EQ(DiagnosticsForUser("src/a:b.ll:1:2: error", request, false), "x/a:b.ll:1:2: error");
}

TEST(PreprocessedForUserTest, LineMarkersNameTheUsersFiles) {
  EXPECT_EQ(PreprocessedForUser("# 1 \"src/k.c\"\n# 1 \"<built-in>\" 1\n"
                                "# 2 \"inc/0/a\\\"b.h\" 1 3\n#line 3 \"src/x.h\"\n"
                                "char *file = \"src/k.c\";\n# define X \"src/k.c\"\n#pragma x",
                                Request()),
            "# 1 \"lib/k.c\"\n# 1 \"<built-in>\" 1\n"
            "# 2 \"../include/a\\\"b.h\" 1 3\n#line 3 \"lib/x.h\"\n"
            "char *file = \"src/k.c\";\n# define X \"src/k.c\"\n#pragma x");
  EXPECT_EQ(PreprocessedForUser("", Request()), "");
}

}  // namespace
}  // namespace ingot::driver
