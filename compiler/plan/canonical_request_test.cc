#include "compiler/plan/canonical_request.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/invocation/invocation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CanonicalRequest Request(const std::string& input, const std::vector<std::string>& options,
                         const std::set<std::string>& files = {}) {
  Invocation invocation;
  invocation.target = "avr";
  invocation.inputs = {input};
  invocation.front_end_options = options;
  const absl::StatusOr<Invocation> resolved = Resolve(invocation);
  EXPECT_TRUE(resolved.ok()) << resolved.status();
  absl::StatusOr<CanonicalRequest> request =
      Canonicalise(*resolved, [&](const std::string& path) { return files.contains(path); });
  EXPECT_TRUE(request.ok()) << request.status();
  return *std::move(request);
}

TEST(CanonicaliseTest, GivesEachFolderARoot) {
  const CanonicalRequest request =
      Request("lib/blink.c", {"-I../include", "-DX=1", "-isystem/opt/avr/include", "-iquotelib"});
  EXPECT_EQ(request.source_path, "src/blink.c");
  EXPECT_EQ(request.output_path, "out/blink.o");
  EXPECT_THAT(request.invocation.front_end_options,
              ElementsAre("-Iinc/0", "-DX=1", "-isysteminc/1", "-iquoteinc/2"));
  EXPECT_THAT(request.roots,
              ElementsAre(HostRoot{"src", "lib"}, HostRoot{"inc/0", "../include"},
                          HostRoot{"inc/1", "/opt/avr/include"}, HostRoot{"inc/2", "lib"}));
  EXPECT_TRUE(request.invocation.canonical_paths);
}

TEST(CanonicaliseTest, LeavesOutWhatMakesNoDifference) {
  EXPECT_THAT(Request("a.c", {"-pipe", "-DX", "-fno-lto"}).invocation.front_end_options,
              ElementsAre("-DX"));
}

TEST(CanonicaliseTest, KnowsTheFolderOfTheSource) {
  EXPECT_EQ(Request("a.c", {}).roots.front().folder, ".");
  EXPECT_EQ(Request("/a.c", {}).roots.front().folder, "/");
  EXPECT_EQ(Request("../a/b.c", {}).roots.front().folder, "../a");
  const CanonicalRequest from_stdin = [] {
    Invocation invocation;
    invocation.target = "avr";
    invocation.language = Language::kC;
    invocation.inputs = {"-"};
    return *Canonicalise(*Resolve(invocation), [](const std::string&) { return false; });
  }();
  EXPECT_EQ(from_stdin.source_path, "src/stdin");
  EXPECT_EQ(from_stdin.roots.front().folder, ".");
}

TEST(CanonicaliseTest, LeavesIrAsItIs) {
  const CanonicalRequest request = Request("lib/blink.ll", {});
  EXPECT_THAT(request.roots, IsEmpty());
  EXPECT_FALSE(request.invocation.canonical_paths);
}

TEST(CanonicaliseTest, FindsAForcedFileAsClangWould) {
  const std::vector<std::string> options = {"-Iinc", "-iquotequote", "-includeconfig.h"};
  EXPECT_THAT(Request("a.c", options, {"config.h", "inc/config.h"}).roots.back(),
              (HostRoot{"inc/2", "."}));
  EXPECT_THAT(Request("a.c", options, {"quote/config.h", "inc/config.h"}).roots.back(),
              (HostRoot{"inc/2", "quote"}));
  const CanonicalRequest found = Request("a.c", options, {"inc/config.h"});
  EXPECT_THAT(found.roots.back(), (HostRoot{"inc/2", "inc"}));
  EXPECT_THAT(found.invocation.front_end_options,
              ElementsAre("-Iinc/0", "-iquoteinc/1", "-includeinc/2/config.h"));
  EXPECT_THAT(Request("a.c", options).invocation.front_end_options,
              ElementsAre("-Iinc/0", "-iquoteinc/1", "-includeconfig.h"));
  EXPECT_THAT(Request("a.c", {"-include/etc/a.h"}, {"/etc/a.h"}).roots.back(),
              (HostRoot{"inc/0", "/etc"}));
}

TEST(HostPathTest, LeadsToTheUsersFiles) {
  const std::vector<HostRoot> roots = {{"src", "."}, {"inc/0", "../include"}, {"inc/1", "/"}};
  EXPECT_EQ(HostPath("src/a.h", roots), "a.h");
  EXPECT_EQ(HostPath("inc/0/x/../a.h", roots), "../include/x/../a.h");
  EXPECT_EQ(HostPath("inc/1/a.h", roots), "/a.h");
  EXPECT_EQ(HostPath("/opt/a.h", roots), "/opt/a.h");
  EXPECT_EQ(HostPath("inc/2/a.h", roots), "");
}

TEST(CanonicalNameTest, KeepsTheLastPartAndEscapesWhatNoPathMayHold) {
  EXPECT_EQ(CanonicalName("-"), "stdin");
  EXPECT_EQ(CanonicalName("a/b/k.ll"), "k.ll");
  EXPECT_EQ(CanonicalName("a b'c.ll"), "a b'c.ll");
  EXPECT_EQ(CanonicalName("größe.ll"), "größe.ll");
  EXPECT_EQ(CanonicalName("a\nb.ll"), "a%0Ab.ll");
  EXPECT_EQ(CanonicalName("a\\b.ll"), "a%5Cb.ll");
  EXPECT_EQ(CanonicalName("gr\xf6\xdf"
                          "e.ll"),
            "gr%F6%DFe.ll");
}

}  // namespace
}  // namespace ingot::compiler
