#include "targets/nvptx/gpu.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace ingot::targets {
namespace {

int NumberAtStart(std::string_view text) {
  int number = 0;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return absl::SimpleAtoi(text.substr(0, digits), &number) ? number : 0;
}

}  // namespace

Gpu GpuOf(const llvm::TargetMachine& machine, const TargetRecord& record) {
  Gpu gpu;
  std::string_view name = machine.getTargetCPU();
  for (const CpuRecord& cpu : record.cpus) {
    if (cpu.name != name) continue;
    gpu.ptx = NumberAtStart(absl::StrReplaceAll(FindFact(record, cpu, "ptx"), {{".", ""}}));
  }
  if (absl::ConsumePrefix(&name, "sm_")) gpu.sm = NumberAtStart(name);
  const std::string_view features = machine.getTargetFeatureString();
  for (std::string_view feature : absl::StrSplit(features, ',')) {
    if (absl::ConsumePrefix(&feature, "+ptx")) gpu.ptx = NumberAtStart(feature);
  }
  return gpu;
}

}  // namespace ingot::targets
