// Collects what LLVM has to say about a module.
//
// An LLVMContext without a handler ends the whole process with exit(1) at the first error that code
// generation reports. With this one, errors are kept and the caller asks for them after each stage:
//
//   llvm::LLVMContext context;
//   DiagnosticCollector& diagnostics =
//       DiagnosticCollector::InstallIn(context, "kernel.ll", [](std::string_view warning) { … });
//   … run a stage …
//   if (absl::Status status = diagnostics.TakeErrors(); !status.ok()) return status;

#ifndef INGOT_COMPILER_DIAGNOSTICS_H_
#define INGOT_COMPILER_DIAGNOSTICS_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"

namespace ingot::compiler {

// Receives one complete line or paragraph of text, such as "kernel.ll: warning: …", without a
// newline at its end.
using WarningSink = std::function<void(std::string_view)>;

// Not thread safe: an LLVMContext is not either.
class DiagnosticCollector final : public llvm::DiagnosticHandler {
 public:
  // Makes a collector that `context` owns. `input_name` is how messages call the input. `warnings`
  // may be empty.
  static DiagnosticCollector& InstallIn(llvm::LLVMContext& context, std::string input_name,
                                        WarningSink warnings);

  // InvalidArgument with every error since the last call, one per line; OK if there was none.
  absl::Status TakeErrors();

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override;

 private:
  DiagnosticCollector(std::string input_name, WarningSink warnings);

  std::string input_name_;
  WarningSink warnings_;
  std::string errors_;
};

// `text` with each address of this process ("0x55f81c0a") replaced by "t0", "t1" and so on in order
// of appearance: messages of LLVM's instruction selection name nodes by address, and would differ
// on each run.
std::string ScrubAddresses(std::string_view text);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_DIAGNOSTICS_H_
