#include "compiler/emit/emit.h"

#include "absl/strings/str_cat.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetOptions.h"

namespace ingot::compiler {

absl::Status EmitMachineCode(llvm::Module& module, llvm::TargetMachine& machine,
                             llvm::CodeGenFileType type, llvm::SmallVectorImpl<char>& output) {
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(module.getTargetTriple()));
  const llvm::TargetOptions& options = machine.Options;
  passes.add(new llvm::RuntimeLibraryInfoWrapper(module.getTargetTriple(), options.ExceptionModel,
                                                 options.FloatABIType, options.EABIVersion,
                                                 options.MCOptions.ABIName, options.VecLib));
  if (machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr, type)) {
    return absl::InternalError(
        absl::StrCat("LLVM cannot emit this type of file for ", machine.getTargetTriple().str()));
  }
  passes.run(module);
  return absl::OkStatus();
}

void EmitBitcode(const llvm::Module& module, llvm::SmallVectorImpl<char>& output) {
  llvm::raw_svector_ostream stream(output);
  llvm::WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/false);
}

void EmitIrText(const llvm::Module& module, llvm::SmallVectorImpl<char>& output) {
  llvm::raw_svector_ostream stream(output);
  module.print(stream, /*AAW=*/nullptr);
}

}  // namespace ingot::compiler
