// How long it takes to know an option, which every cache hit with options pays for each of them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/benchmark.h"
#include "compiler/invocation/front_end_option_table.h"
#include "compiler/invocation/front_end_options.h"

namespace ingot::compiler {
namespace {

const std::vector<std::string>& Usual() {
  static const auto* options = new std::vector<std::string>{
      "-DF_CPU=16000000L",   "-Iinclude",       "-isystem/usr/lib/avr/include",
      "-std=gnu11",          "-Wall",           "-Wextra",
      "-ffunction-sections", "-fdata-sections", "-fno-exceptions",
      "-fshort-enums",       "-fpack-struct",   "-g"};
  return *options;
}

void FindRow(benchmark::State& state) {
  for (auto _ : state) {
    for (const std::string& option : Usual()) {
      benchmark::DoNotOptimize(FindFrontEndRow(option));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(Usual().size()));
}
BENCHMARK(FindRow);

void Match(benchmark::State& state) {
  for (auto _ : state) {
    for (const std::string& option : Usual()) {
      benchmark::DoNotOptimize(MatchFrontEndOption(std::string_view(option)));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(Usual().size()));
}
BENCHMARK(Match);

}  // namespace
}  // namespace ingot::compiler
