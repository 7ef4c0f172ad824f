#include "tools/driver/dependency_file.h"

#include <string>

#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

TEST(DependencyRule, NamesTargetsAndFiles) {
  EXPECT_EQ(DependencyRule({.targets = {"k.o"}, .files = {"k.c", "a.h"}}), "k.o: k.c a.h\n");
  EXPECT_EQ(DependencyRule({.targets = {"k.o", "k.d"}, .files = {"k.c"}}), "k.o k.d: k.c\n");
}

TEST(DependencyRule, EscapesWhatMakeWouldMisread) {
  EXPECT_EQ(DependencyRule({.targets = {"k.o"}, .files = {"a b.c", "c#.h", "$d.h", "e\\ f.h"}}),
            "k.o: a\\ b.c c\\#.h $$d.h e\\\\\\ f.h\n");
}

TEST(DependencyRule, LeavesOutStandardInputRepetitionsAndLeadingDots) {
  EXPECT_EQ(DependencyRule({.targets = {"k.o"}, .files = {"<stdin>", "./a.h", "a.h", "././/b.h"}}),
            "k.o: a.h b.h\n");
  EXPECT_EQ(DependencyRule({.targets = {"-.o"}, .files = {"-"}}), "-.o:\n");
}

TEST(DependencyRule, GivesAllButTheSourceARule) {
  EXPECT_EQ(DependencyRule({.targets = {"k.o"}, .files = {"k.c", "a b.h", "c.h"}, .phony = true}),
            "k.o: k.c a\\ b.h c.h\na\\ b.h:\nc.h:\n");
}

TEST(DependencyRule, BreaksLongLines) {
  const std::string name(40, 'x');
  EXPECT_EQ(DependencyRule({.targets = {"k.o"}, .files = {name + "1", name + "2", "y"}}),
            "k.o: " + name + "1 \\\n  " + name + "2 y\n");
  EXPECT_EQ(DependencyRule({.targets = {name, name}, .files = {"y"}}),
            name + " \\\n  " + name + ": y\n");
}

TEST(QuoteTarget, EscapesWhatMakeWouldMisread) {
  EXPECT_EQ(QuoteTarget("a b\tc#d$e"), "a\\ b\\\tc\\#d$$e");
  EXPECT_EQ(QuoteTarget("a\\b\\ c"), "a\\b\\\\\\ c");
}

}  // namespace
}  // namespace ingot::driver
