#include "compiler/optimize/optimize.h"

#include <optional>

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

namespace ingot::compiler {
namespace {

llvm::OptimizationLevel PipelineLevel(OptLevel level) {
  switch (level) {
    case OptLevel::kO0:
      return llvm::OptimizationLevel::O0;
    case OptLevel::kO1:
      return llvm::OptimizationLevel::O1;
    case OptLevel::kO2:
      return llvm::OptimizationLevel::O2;
    case OptLevel::kO3:
      return llvm::OptimizationLevel::O3;
    case OptLevel::kOs:
      return llvm::OptimizationLevel::Os;
    case OptLevel::kOz:
      return llvm::OptimizationLevel::Oz;
  }
  return llvm::OptimizationLevel::O2;
}

// What Clang does for each function it compiles at -Os and -Oz; IR from elsewhere lacks the marks.
void MarkForSize(llvm::Module& module, OptLevel level) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasOptNone()) continue;
    function.addFnAttr(llvm::Attribute::OptimizeForSize);
    if (level == OptLevel::kOz) function.addFnAttr(llvm::Attribute::MinSize);
  }
}

}  // namespace

void Optimize(llvm::Module& module, llvm::TargetMachine& machine, OptLevel level) {
  if (level == OptLevel::kOs || level == OptLevel::kOz) MarkForSize(module, level);

  // As Clang chooses them.
  llvm::PipelineTuningOptions tuning;
  const bool vectorise = level == OptLevel::kO2 || level == OptLevel::kO3 || level == OptLevel::kOs;
  tuning.LoopVectorization = vectorise;
  tuning.LoopInterleaving = vectorise;
  tuning.SLPVectorization = vectorise;

  llvm::PassInstrumentationCallbacks
      instrumentation;  // also gives passes their names in a crash report
  // It is this callback that makes passes leave optnone functions alone.
  llvm::OptNoneInstrumentation optnone(/*DebugLogging=*/false);
  optnone.registerCallbacks(instrumentation);
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &instrumentation);
  llvm::LoopAnalysisManager loop_analyses;
  llvm::FunctionAnalysisManager function_analyses;
  llvm::CGSCCAnalysisManager call_graph_analyses;
  llvm::ModuleAnalysisManager module_analyses;
  function_analyses.registerPass([&] {
    return llvm::TargetLibraryAnalysis(llvm::TargetLibraryInfoImpl(module.getTargetTriple()));
  });
  builder.registerModuleAnalyses(module_analyses);
  builder.registerCGSCCAnalyses(call_graph_analyses);
  builder.registerFunctionAnalyses(function_analyses);
  builder.registerLoopAnalyses(loop_analyses);
  builder.crossRegisterProxies(loop_analyses, function_analyses, call_graph_analyses,
                               module_analyses);
  const llvm::OptimizationLevel pipeline = PipelineLevel(level);
  llvm::ModulePassManager passes;
  if (level == OptLevel::kO0) {
    passes = builder.buildO0DefaultPipeline(pipeline);
    // What a backend has hidden and nobody uses is no part of the program.
    passes.addPass(llvm::GlobalDCEPass());
  } else {
    passes = builder.buildPerModuleDefaultPipeline(pipeline);
  }
  passes.run(module, module_analyses);
}

}  // namespace ingot::compiler
