// Time of a compilation in a warm process: what a persistent worker pays for each request.
//
//   bazel run -c opt //compiler:compile_benchmark

#include <string>

#include "benchmark/benchmark.h"
#include "compiler/compile.h"
#include "compiler/invocation/invocation.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace ingot::compiler {
namespace {

constexpr char kSaxpy[] = R"(
define ptx_kernel void @saxpy(i32 %n, float %a, ptr noalias %x, ptr noalias %y) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %base = mul i32 %ctaid, %ntid
  %i = add i32 %base, %tid
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %done

body:
  %index = sext i32 %i to i64
  %px = getelementptr float, ptr %x, i64 %index
  %py = getelementptr float, ptr %y, i64 %index
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %ax = fmul contract float %a, %vx
  %sum = fadd contract float %ax, %vy
  store float %sum, ptr %py
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
)";

constexpr char kBlink[] = R"(
define void @blink() {
  %ddr = inttoptr i16 36 to ptr
  store volatile i8 32, ptr %ddr
  br label %loop

loop:
  %port = inttoptr i16 37 to ptr
  %old = load volatile i8, ptr %port
  %new = xor i8 %old, 32
  store volatile i8 %new, ptr %port
  br label %loop
}
)";

void CompileWarm(benchmark::State& state, const Invocation& asked, const std::string& text) {
  const absl::StatusOr<Invocation> invocation = Resolve(asked);
  for (auto _ : state) {
    const absl::StatusOr<CompileOutput> output =
        Compile(*invocation, llvm::MemoryBufferRef(text, "input.ll"));
    if (!output.ok()) {
      state.SkipWithError(std::string(output.status().message()));
      return;
    }
    benchmark::DoNotOptimize(output->bytes.data());
  }
}

BENCHMARK_CAPTURE(CompileWarm, SaxpyToPtx, Invocation{.target = "nvptx64", .cpu = "sm_90"}, kSaxpy);
BENCHMARK_CAPTURE(CompileWarm, SaxpyToPtxAtO0,
                  Invocation{.target = "nvptx64", .cpu = "sm_90", .opt = OptLevel::kO0}, kSaxpy);
BENCHMARK_CAPTURE(CompileWarm, BlinkToAvrObject, Invocation{.target = "avr", .cpu = "atmega328p"},
                  kBlink);

}  // namespace
}  // namespace ingot::compiler
