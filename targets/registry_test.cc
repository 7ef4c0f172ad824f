#include "targets/registry.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/record.h"
#include "targets/suggest.h"

namespace ingot::targets {
namespace {

using ::testing::HasSubstr;

std::string g_targets_bzl_path;

TEST(RegistryTest, EveryNameTripleAndAliasMeansExactlyOneTarget) {
  std::set<std::string_view> seen;
  for (const TargetRecord* target : AllTargets()) {
    std::set<std::string_view> names(target->aliases.begin(), target->aliases.end());
    EXPECT_EQ(names.size(), target->aliases.size()) << target->name;
    names.insert({target->name, target->triple});
    for (const std::string_view name : names) {
      EXPECT_TRUE(seen.insert(name).second) << name;
      const auto found = FindTarget(name);
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(*found, target) << name;
    }
  }
}

TEST(RegistryTest, RecordsAreConsistent) {
  for (const TargetRecord* target : AllTargets()) {
    SCOPED_TRACE(target->name);
    EXPECT_TRUE(FindCpu(*target, target->default_cpu).ok());
    EXPECT_NE(FindEmit(*target, target->default_emit), nullptr);
    EXPECT_LE(target->cpu_fact_names.size(), kMaxCpuFacts);
    std::set<std::string_view> names;
    for (const CpuRecord& cpu : target->cpus) {
      EXPECT_TRUE(names.insert(cpu.name).second) << cpu.name << " is listed twice";
      EXPECT_FALSE(cpu.family.empty()) << cpu.name;
      for (std::size_t i = 0; i < kMaxCpuFacts; ++i) {
        EXPECT_EQ(cpu.facts[i].empty(), i >= target->cpu_fact_names.size()) << cpu.name;
      }
    }
    std::string_view triple = target->triple;
    EXPECT_EQ(triple.substr(0, triple.find('-')), target->architecture);
  }
}

TEST(RegistryTest, BazelKnowsTheSameTargets) {
  std::vector<std::string> lines;
  for (const TargetRecord* target : AllTargets()) {
    std::vector<std::string> kinds;
    for (const EmitRecord& emit : target->emits) {
      kinds.push_back(absl::StrCat(EmitKindName(emit.kind), "=", emit.extension));
    }
    lines.push_back(absl::StrCat(target->name, " ", target->triple, " ", target->default_cpu, " ",
                                 EmitKindName(target->default_emit), " ",
                                 absl::StrJoin(kinds, " ")));
  }
  std::ranges::sort(lines);
  std::ifstream file(g_targets_bzl_path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, absl::StrJoin(lines, "\n") + "\n") << "targets.bzl differs from the records";
}

TEST(RegistryTest, UnknownTargetIsRefusedWithASuggestion) {
  const auto found = FindTarget("nvtpx64");
  EXPECT_EQ(found.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(found.status().message(),
            "unknown target 'nvtpx64'; did you mean 'nvptx64'? known targets: nvptx64, avr");
  EXPECT_EQ(FindTarget("x86_64-linux-gnu").status().message(),
            "unknown target 'x86_64-linux-gnu'; known targets: nvptx64, avr");
  EXPECT_FALSE(FindTarget("").ok());
  EXPECT_FALSE(FindTarget("nvptx").ok()) << "32-bit PTX is not a target";
}

TEST(RegistryTest, UnknownCpuIsRefusedWithASuggestion) {
  const TargetRecord& nvptx = **FindTarget("nvptx64");
  EXPECT_EQ(FindCpu(nvptx, "sm_9").status().message(),
            "unknown CPU 'sm_9' for target nvptx64; did you mean 'sm_90'? "
            "`ingot targets nvptx64` lists them");
  EXPECT_EQ(FindCpu(nvptx, "whatever").status().message(),
            "unknown CPU 'whatever' for target nvptx64; `ingot targets nvptx64` lists them");
  const TargetRecord& avr = **FindTarget("avr");
  EXPECT_THAT(std::string(FindCpu(avr, "ATMega328P").status().message()),
              HasSubstr("did you mean 'atmega328p'?"));
  EXPECT_THAT(std::string(FindCpu(avr, "atmega3280").status().message()),
              HasSubstr("did you mean 'atmega328"));
}

TEST(RegistryTest, UnknownFeatureIsRefusedWithASuggestion) {
  const TargetRecord& nvptx = **FindTarget("nvptx64");
  EXPECT_TRUE(CheckFeature(nvptx, "ptx87").ok());
  EXPECT_THAT(std::string(CheckFeature(nvptx, "ptx99").message()),
              HasSubstr("unknown feature 'ptx99' for target nvptx64; did you mean 'ptx90'?"));
  EXPECT_FALSE(CheckFeature(nvptx, "sm_90").ok()) << "a CPU is not a feature";
}

TEST(RecordTest, FactsAreFoundByName) {
  const TargetRecord& avr = **FindTarget("avr");
  EXPECT_EQ(FindFact(avr, **FindCpu(avr, "attiny85"), "arch"), "25");
  EXPECT_EQ(FindFact(avr, **FindCpu(avr, "avr5"), "kind"), "family");
  EXPECT_EQ(FindFact(avr, **FindCpu(avr, "avr5"), "colour"), "");
}

TEST(RecordTest, EmitKindNamesRoundTrip) {
  for (const EmitKind kind : kAllEmitKinds) EXPECT_EQ(EmitKindFromName(EmitKindName(kind)), kind);
  EXPECT_EQ(EmitKindFromName("ptx"), std::nullopt);
}

TEST(SuggestTest, ClosestWins) {
  constexpr std::string_view kNames[] = {"--target", "--cpu", "--features", "-o"};
  EXPECT_EQ(Suggest("--tarGet", kNames), "--target");
  EXPECT_EQ(Suggest("--feature", kNames), "--features");
  EXPECT_EQ(Suggest("nothing like it", kNames), std::nullopt);
  EXPECT_EQ(Suggest("", kNames), std::nullopt);
  EXPECT_EQ(DidYouMean("--cpuu", kNames), "; did you mean '--cpu'?");
  EXPECT_EQ(DidYouMean("nothing like it", kNames), "");
}

}  // namespace
}  // namespace ingot::targets

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 2) ingot::targets::g_targets_bzl_path = argv[1];
  return RUN_ALL_TESTS();
}
