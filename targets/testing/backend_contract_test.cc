// What holds for every target: run over all backends of the list in targets/backends.cc. A new
// target gets these tests by being listed.

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "targets/backend.h"
#include "targets/backends.h"
#include "targets/record.h"
#include "targets/registry.h"
#include "targets/testing/generate_code.h"

namespace ingot::targets {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr llvm::CodeGenOptLevel kLevels[] = {
    llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less, llvm::CodeGenOptLevel::Default,
    llvm::CodeGenOptLevel::Aggressive};

// Something that any CPU of any target can do, down to the ones without memory.
constexpr std::string_view kSmokeModule = R"(
define i32 @smoke(i32 %a, i32 %b) {
  %sum = add i32 %a, %b
  %half = lshr i32 %sum, 1
  ret i32 %half
}
)";

class BackendContractTest : public ::testing::TestWithParam<const Backend*> {
 protected:
  const Backend& backend() const { return *GetParam(); }
  const TargetRecord& record() const { return GetParam()->record(); }

  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget() const {
    backend().InitialiseLlvm();
    const llvm::Triple triple{std::string(record().triple)};
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (target == nullptr) return nullptr;
    return std::unique_ptr<llvm::MCSubtargetInfo>(target->createMCSubtargetInfo(triple, "", ""));
  }
};

TEST(BackendListTest, MatchesTheRegistry) {
  std::vector<const TargetRecord*> records;
  for (const Backend* backend : AllBackends()) records.push_back(&backend->record());
  EXPECT_THAT(records, ElementsAreArray(AllTargets()));
  EXPECT_EQ(FindBackend("nope").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(BackendContractTest, IsFoundByEveryNameOfItsTarget) {
  std::vector<std::string_view> names(record().aliases.begin(), record().aliases.end());
  names.push_back(record().name);
  names.push_back(record().triple);
  for (const std::string_view name : names) {
    const auto found = FindBackend(name);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(*found, &backend());
    EXPECT_EQ(llvm::Triple(std::string(name)).getArch(),
              llvm::Triple(std::string(record().architecture)).getArch())
        << name;
  }
}

TEST_P(BackendContractTest, RecordHasExactlyTheCpusThatLlvmHas) {
  const auto subtarget = Subtarget();
  ASSERT_NE(subtarget, nullptr);
  std::set<std::string> llvm_cpus;
  for (const llvm::SubtargetSubTypeKV& cpu : subtarget->getAllProcessorDescriptions()) {
    llvm_cpus.insert(cpu.Key);
  }
  std::set<std::string> cpus;
  for (const CpuRecord& cpu : record().cpus) cpus.insert(std::string(cpu.name));
  EXPECT_EQ(cpus, llvm_cpus);
}

TEST_P(BackendContractTest, RecordHasExactlyTheFeaturesThatLlvmHasAndNoCpuIsCalled) {
  const auto subtarget = Subtarget();
  ASSERT_NE(subtarget, nullptr);
  std::vector<std::string> llvm_features;
  for (const llvm::SubtargetFeatureKV& feature : subtarget->getAllProcessorFeatures()) {
    if (!FindCpu(record(), feature.Key).ok()) llvm_features.emplace_back(feature.Key);
  }
  std::ranges::sort(llvm_features);
  EXPECT_THAT(record().features, ElementsAreArray(llvm_features));
}

TEST_P(BackendContractTest, TargetMachineAgreesWithTheRecord) {
  const auto machine = backend().CreateTargetMachine({.cpu = std::string(record().default_cpu)});
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ((*machine)->createDataLayout().getStringRepresentation(), record().data_layout);
  EXPECT_EQ((*machine)->getTargetTriple().str(), record().triple);
  EXPECT_EQ((*machine)->getTargetCPU().str(), record().default_cpu);
}

TEST_P(BackendContractTest, OptionsReachTheTargetMachine) {
  for (const CpuRecord& cpu : record().cpus) {
    for (const llvm::CodeGenOptLevel level : kLevels) {
      const auto machine =
          backend().CreateTargetMachine({.cpu = std::string(cpu.name), .level = level});
      ASSERT_TRUE(machine.ok()) << machine.status();
      EXPECT_EQ((*machine)->getTargetCPU().str(), cpu.name);
      EXPECT_EQ((*machine)->getOptLevel(), backend().CodeGenLevel(level));
    }
  }
  const std::string features = absl::StrCat("+", record().features.back());
  const auto machine = backend().CreateTargetMachine(
      {.cpu = std::string(record().default_cpu), .features = features});
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_THAT((*machine)->getTargetFeatureString().str(), HasSubstr(features));
}

TEST_P(BackendContractTest, UnknownCpuIsRefusedWithASuggestion) {
  const std::string misspelt = absl::StrCat(record().default_cpu, "q");
  const auto machine = backend().CreateTargetMachine({.cpu = misspelt});
  EXPECT_EQ(machine.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(machine.status().message()),
              HasSubstr(absl::StrCat("unknown CPU '", misspelt, "' for target ", record().name,
                                     "; did you mean '", record().default_cpu, "'?")));
  EXPECT_FALSE(backend().CreateTargetMachine({.cpu = ""}).ok());
}

TEST_P(BackendContractTest, FileTypeExistsForWhatTheCodeGeneratorMakes) {
  for (const EmitKind kind : kAllEmitKinds) {
    const bool is_generated = kind == EmitKind::kAsm || kind == EmitKind::kObj;
    EXPECT_EQ(backend().FileType(kind).has_value(),
              FindEmit(record(), kind) != nullptr && is_generated)
        << EmitKindName(kind);
  }
  EXPECT_EQ(FindEmit(record(), EmitKind::kBc) != nullptr, true) << "every target emits bitcode";
}

TEST_P(BackendContractTest, SmokeModuleGivesTheSameCodeTwiceAtEveryLevel) {
  for (const std::string_view cpu :
       {record().cpus.front().name, record().default_cpu, record().cpus.back().name}) {
    for (const EmitRecord& emit : record().emits) {
      if (!backend().FileType(emit.kind)) continue;
      for (const llvm::CodeGenOptLevel level : kLevels) {
        SCOPED_TRACE(
            absl::StrCat(cpu, " ", EmitKindName(emit.kind), " level ", static_cast<int>(level)));
        const MachineOptions options = {.cpu = std::string(cpu), .level = level};
        const std::string first = GenerateCode(backend(), options, emit.kind, kSmokeModule);
        EXPECT_FALSE(first.empty());
        EXPECT_EQ(GenerateCode(backend(), options, emit.kind, kSmokeModule), first);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllBackends, BackendContractTest, ::testing::ValuesIn(AllBackends()),
                         [](const ::testing::TestParamInfo<const Backend*>& info) {
                           return std::string(info.param->record().name);
                         });

}  // namespace
}  // namespace ingot::targets
