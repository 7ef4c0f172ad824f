#include "targets/backend.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "targets/registry.h"

namespace ingot::targets {

void Backend::Prepare(llvm::Module& /*module*/, const KernelOptions& /*options*/,
                      Findings& /*findings*/) const {}

void Backend::Lower(llvm::Module& /*module*/) const {}

void Backend::Check(const llvm::Module& /*module*/, const llvm::TargetMachine& /*machine*/,
                    const KernelOptions& /*options*/, Findings& /*findings*/) const {}

std::optional<llvm::CodeGenFileType> Backend::FileType(EmitKind kind) const {
  if (FindEmit(record(), kind) == nullptr) return std::nullopt;
  switch (kind) {
    case EmitKind::kAsm:
      return llvm::CodeGenFileType::AssemblyFile;
    case EmitKind::kObj:
      return llvm::CodeGenFileType::ObjectFile;
    case EmitKind::kBc:
    case EmitKind::kLl:
    case EmitKind::kRawLl:
    case EmitKind::kPreprocessed:
      return std::nullopt;
  }
  return std::nullopt;
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> Backend::CreateTargetMachine(
    const MachineOptions& options) const {
  if (absl::StatusOr<const CpuRecord*> cpu = FindCpu(record(), options.cpu); !cpu.ok()) {
    return cpu.status();
  }
  InitialiseLlvm();
  const llvm::Triple triple{std::string(record().triple)};
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) {
    return absl::InternalError(
        absl::StrCat("LLVM has no target for ", record().triple, ": ", error));
  }
  llvm::TargetOptions target_options;
  // Comments say where a function begins and which block a label is; they are what people read PTX
  // by.
  target_options.MCOptions.AsmVerbose = true;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, options.cpu, options.features, target_options, /*RM=*/std::nullopt,
      /*CM=*/std::nullopt, CodeGenLevel(options.level)));
  if (machine == nullptr) {
    return absl::InternalError(
        absl::StrCat("LLVM cannot generate code for ", record().triple, " in this build"));
  }
  return machine;
}

}  // namespace ingot::targets
