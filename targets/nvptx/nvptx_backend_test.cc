#include "targets/nvptx/nvptx_backend.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/nvptx/nvptx_record.h"
#include "targets/testing/generate_code.h"

namespace ingot::targets {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kKernel = "define ptx_kernel void @k() { ret void }";

TEST(NvptxBackendTest, EveryCpuIsTargetedWithThePtxVersionOfTheRecord) {
  for (const CpuRecord& cpu : kNvptx64Target.cpus) {
    const std::string ptx =
        GenerateCode(Nvptx64Backend(), {.cpu = std::string(cpu.name)}, EmitKind::kAsm, kKernel);
    EXPECT_THAT(ptx,
                HasSubstr(absl::StrCat(".version ", FindFact(kNvptx64Target, cpu, "ptx"), "\n")))
        << cpu.name;
    EXPECT_THAT(ptx, HasSubstr(absl::StrCat(".target ", cpu.name, "\n")));
  }
}

TEST(NvptxBackendTest, AFeatureChoosesThePtxVersion) {
  const std::string ptx = GenerateCode(Nvptx64Backend(), {.cpu = "sm_90", .features = "+ptx87"},
                                       EmitKind::kAsm, kKernel);
  EXPECT_THAT(ptx, HasSubstr(".version 8.7\n"));
}

}  // namespace
}  // namespace ingot::targets
