#include "compiler/plan/compile_action.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "cache/action.h"
#include "cache/digest.h"
#include "cache/generations.h"
#include "compiler/invocation/invocation.h"
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

CompileAction Plan(const Invocation& invocation, const cache::Generations& generations = {}) {
  absl::StatusOr<CompileAction> plan = PlanCompile(
      invocation, cache::Sha256("input"), cache::Sha256("toolchain"), TestPlatform(), generations);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

TEST(PlanCompileTest, HoldsCanonicalPathsOnly) {
  const CompileAction plan = Plan(Saxpy());
  EXPECT_EQ(plan.source_path, "src/saxpy.ll");
  EXPECT_EQ(plan.output_path, "out/saxpy.ptx");
  EXPECT_THAT(plan.arguments, ElementsAre("toolchain/ingot-compile", "--target=nvptx64-nvidia-cuda",
                                          "--cpu=sm_90", "--features=", "-O2", "--emit=asm", "-o",
                                          "out/saxpy.ptx", "src/saxpy.ll"));
}

// Frozen bytes: a change of this key makes every stored result of every user a miss. If that is
// what a change means to do, say so in its description.
TEST(PlanCompileTest, GoldenKey) {
  EXPECT_EQ(Plan(Saxpy()).encoded.key.ToString(),
            "0bae4de27220924cc92a0b6579fd4d04047276ba95d71a51662c6a61ff46e137/187");
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
    absl::StatusOr<CompileAction> plan =
        PlanCompile(Saxpy(), cache::Sha256(input), cache::Sha256(toolchain), platform, {});
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
