#include "compiler/plan/compile_action.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/action.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/invocation/invocation.h"
#include "compiler/plan/canonical_request.h"
#include "compiler/plan/source_tree.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/record.h"

namespace ingot::compiler {
namespace {

using ::testing::ElementsAre;

const cache::PlatformProperties& TestPlatform() {
  static const auto* platform =
      new cache::PlatformProperties{{"ISA", "x86-64"}, {"OSFamily", "linux"}};
  return *platform;
}

Invocation Saxpy() {
  Invocation invocation;
  invocation.target = "nvptx64";
  invocation.cpu = "sm_90";
  invocation.inputs = {"/home/somebody/src/saxpy.ll"};
  invocation.output = "/elsewhere/result.ptx";
  absl::StatusOr<Invocation> resolved = Resolve(invocation);
  EXPECT_TRUE(resolved.ok()) << resolved.status();
  return *resolved;
}

CanonicalRequest Request(const Invocation& invocation) {
  absl::StatusOr<CanonicalRequest> request =
      Canonicalise(invocation, [](const std::string&) { return false; });
  EXPECT_TRUE(request.ok()) << request.status();
  return *std::move(request);
}

CompileAction Plan(const Invocation& invocation, const cache::Generations& generations = {}) {
  absl::StatusOr<CompileAction> plan =
      PlanCompile(Request(invocation), {cache::Sha256("input")}, cache::Sha256("toolchain"),
                  TestPlatform(), generations);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

TEST(PlanCompileTest, HoldsCanonicalPathsOnly) {
  const CompileAction plan = Plan(Saxpy());
  EXPECT_EQ(plan.source_path, "src/saxpy.ll");
  EXPECT_EQ(plan.output_path, "out/saxpy.ptx");
  EXPECT_THAT(plan.arguments, ElementsAre("toolchain/ingot-compile", "--target=nvptx64-nvidia-cuda",
                                          "--cpu=sm_90", "--features=", "-O2", "--emit=asm", "-x",
                                          "ir", "-o", "out/saxpy.ptx", "src/saxpy.ll"));
}

// Frozen bytes: a change of this key makes every stored result of every user a miss. If that is
// what a change means to do, say so in its description.
TEST(PlanCompileTest, GoldenKey) {
  EXPECT_EQ(Plan(Saxpy()).encoded.key.ToString(),
            "5da5553faca20c4af1d8649312c04618b6d425173777b6bcb14bafc4e026d0d8/187");
}

TEST(PlanCompileTest, EveryPartOfTheRequestIsInTheKey) {
  const std::string key = Plan(Saxpy()).encoded.key.ToString();
  const auto key_with = [](auto change) {
    Invocation invocation = Saxpy();
    change(invocation);
    return Plan(invocation).encoded.key.ToString();
  };
  EXPECT_NE(key, key_with([](Invocation& i) { i.cpu = "sm_80"; }));
  EXPECT_NE(key, key_with([](Invocation& i) { i.features = "+ptx80"; }));
  EXPECT_NE(key, key_with([](Invocation& i) { i.opt = OptLevel::kO3; }));
  EXPECT_NE(key, key_with([](Invocation& i) { i.emit = targets::EmitKind::kBc; }));
  EXPECT_NE(key, key_with([](Invocation& i) { i.inputs = {"other.ll"}; }));
  EXPECT_EQ(key, key_with([](Invocation& i) { i.inputs = {"saxpy.ll"}; }));
  EXPECT_EQ(key, key_with([](Invocation& i) { i.output = "-"; }));
}

TEST(PlanCompileTest, ContentsAndPlatformAreInTheKey) {
  const auto key = [](const char* input, const char* toolchain,
                      const cache::PlatformProperties& platform) {
    absl::StatusOr<CompileAction> plan = PlanCompile(Request(Saxpy()), {cache::Sha256(input)},
                                                     cache::Sha256(toolchain), platform, {});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan->encoded.key.ToString();
  };
  const std::string base = key("i", "t", TestPlatform());
  EXPECT_NE(base, key("j", "t", TestPlatform()));
  EXPECT_NE(base, key("i", "u", TestPlatform()));
  EXPECT_NE(base, key("i", "t", {{"ISA", "arm-a64"}, {"OSFamily", "linux"}}));
}

TEST(PlanCompileTest, DisowningChangesTheKeysThatItNamesAndNoOthers) {
  Invocation avr = Saxpy();
  avr.target = "avr";
  avr.cpu = "";
  avr.emit.reset();
  avr = *Resolve(avr);
  const std::string saxpy_key = Plan(Saxpy()).encoded.key.ToString();
  const std::string avr_key = Plan(avr).encoded.key.ToString();

  cache::Generations generations;
  generations.targets[avr.target].number = 1;
  EXPECT_EQ(Plan(Saxpy(), generations).encoded.key.ToString(), saxpy_key);
  EXPECT_NE(Plan(avr, generations).encoded.key.ToString(), avr_key);
  generations.global.number = 1;
  EXPECT_NE(Plan(Saxpy(), generations).encoded.key.ToString(), saxpy_key);
}

TEST(PlanCompileTest, ADisownedKeyIsReplacedAndThatOneTooIfNeedBe) {
  cache::Generations generations;
  const CompileAction first = Plan(Saxpy());
  generations.keys[first.encoded.key.hash()];
  const CompileAction second = Plan(Saxpy(), generations);
  EXPECT_NE(second.encoded.key, first.encoded.key);
  EXPECT_EQ(second.hops, 1u);
  generations.keys[second.encoded.key.hash()];
  const CompileAction third = Plan(Saxpy(), generations);
  EXPECT_NE(third.encoded.key, first.encoded.key);
  EXPECT_NE(third.encoded.key, second.encoded.key);
  EXPECT_EQ(third.hops, 2u);
  EXPECT_EQ(third.arguments, first.arguments);
  Invocation other = Saxpy();
  other.cpu = "sm_80";
  EXPECT_EQ(Plan(other, generations).encoded.key, Plan(other).encoded.key);
}

// A source with what it includes.
CompileAction PlanSource(const std::vector<ReadFile>& files, const std::vector<Absence>& absences) {
  Invocation invocation = Saxpy();
  invocation.language.reset();
  invocation.inputs = {"lib/saxpy.cl"};
  invocation.front_end_options = {"-Iinclude", "-DN=2"};
  const absl::StatusOr<SourceTree> tree = BuildSourceTree({files, absences, {}});
  EXPECT_TRUE(tree.ok()) << tree.status();
  const cache::Digest source = cache::Sha256("input");
  absl::StatusOr<CompileAction> plan = PlanCompile(Request(*Resolve(invocation)), {source, &*tree},
                                                   cache::Sha256("toolchain"), TestPlatform(), {});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

ReadFile Header(const std::string& requested, const std::string& contents, uint64_t inode) {
  return {.requested = requested,
          .sha256 = cache::Sha256(contents).hash,
          .identity = {.device = 1, .inode = inode, .size = contents.size()}};
}

// Frozen bytes, as above.
TEST(PlanCompileTest, GoldenKeyOfASource) {
  const CompileAction plan = PlanSource({Header("inc/0/a.h", "a", 1)}, {{.requested = "src/a.h"}});
  EXPECT_THAT(
      plan.arguments,
      ElementsAre("toolchain/ingot-compile", "--color", "--target=nvptx64-nvidia-cuda",
                  "--cpu=sm_90", "--features=", "-O2", "--emit=asm", "-x", "cl", "-o",
                  "out/saxpy.ptx", "-Iinc/0", "-DN=2", "--canonical-paths", "src/saxpy.cl"));
  EXPECT_EQ(plan.encoded.key.ToString(),
            "e02d0f64e171c4806ad86252d17ba0d76c9e9c6960aa740a378aa40e4fd42111/187");
}

TEST(PlanCompileTest, WhatWasReadAndWhatWasNotThereIsInTheKey) {
  const auto key = [](const std::vector<ReadFile>& files, const std::vector<Absence>& absences) {
    return PlanSource(files, absences).encoded.key.ToString();
  };
  const std::string base = key({Header("inc/0/a.h", "a", 1)}, {{.requested = "src/a.h"}});
  EXPECT_EQ(base, key({Header("inc/0/a.h", "a", 7)}, {{.requested = "src/a.h"}}));
  EXPECT_NE(base, key({Header("inc/0/a.h", "b", 1)}, {{.requested = "src/a.h"}}));
  EXPECT_NE(base, key({Header("inc/1/a.h", "a", 1)}, {{.requested = "src/a.h"}}));
  EXPECT_NE(base, key({Header("inc/0/a.h", "a", 1)}, {}));
  EXPECT_NE(base,
            key({Header("inc/0/a.h", "a", 1)}, {{.requested = "src/a.h", .directory = true}}));
  EXPECT_NE(key({Header("inc/0/a.h", "a", 1), Header("inc/1/a.h", "a", 1)}, {}),
            key({Header("inc/0/a.h", "a", 1), Header("inc/1/a.h", "a", 2)}, {}));
}

TEST(RequestDigestTest, KnowsNoHostPathAndEverythingElse) {
  Invocation invocation = Saxpy();
  invocation.language.reset();
  invocation.inputs = {"lib/saxpy.cl"};
  invocation.front_end_options = {"-Iinclude", "-DN=2"};
  const auto digest = [](const Invocation& one, const std::string& text) {
    return RequestDigest(Request(*Resolve(one)), cache::Sha256(text), cache::Sha256("toolchain"));
  };
  const cache::Digest base = digest(invocation, "text");
  EXPECT_NE(base, digest(invocation, "other"));
  Invocation moved = invocation;
  moved.inputs = {"/deep/below/lib/saxpy.cl"};
  moved.front_end_options = {"-I/deep/below/include", "-DN=2"};
  EXPECT_EQ(base, digest(moved, "text"));
  moved.front_end_options = {"-I/deep/below/include", "-DN=3"};
  EXPECT_NE(base, digest(moved, "text"));
}

}  // namespace
}  // namespace ingot::compiler
