#include "targets/testing/generate_code.h"

#include <memory>
#include <optional>

#include "gtest/gtest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

namespace ingot::targets {

std::string GenerateCode(const Backend& backend, const MachineOptions& options, EmitKind kind,
                         std::string_view ir) {
  const auto machine = backend.CreateTargetMachine(options);
  const auto type = backend.FileType(kind);
  if (!machine.ok() || !type) {
    ADD_FAILURE() << machine.status() << ", file type " << type.has_value();
    return "";
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const std::string text(ir);
  const std::unique_ptr<llvm::Module> module = llvm::parseAssembly(
      llvm::MemoryBufferRef(text, "test"), diagnostic, context, /*Slots=*/nullptr,
      [&](llvm::StringRef, llvm::StringRef) -> std::optional<std::string> {
        return std::string(backend.record().data_layout);
      });
  if (module == nullptr) {
    ADD_FAILURE() << diagnostic.getLineNo() << ": " << diagnostic.getMessage().str();
    return "";
  }
  module->setTargetTriple(llvm::Triple(std::string(backend.record().triple)));
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, *type)) {
    ADD_FAILURE() << "LLVM cannot emit " << EmitKindName(kind);
    return "";
  }
  passes.run(*module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace ingot::targets
