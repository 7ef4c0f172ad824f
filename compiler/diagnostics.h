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

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"

namespace llvm {
class DiagnosticInfoSrcMgr;
}  // namespace llvm

namespace ingot::compiler {

// Receives one complete line or paragraph of text, such as "kernel.ll: warning: …", without a
// newline at its end.
using WarningSink = std::function<void(std::string_view)>;

// A line of a source that a front end made a module of.
struct SourceLine {
  std::string place;    // "src/k.c:3:8"
  unsigned number = 0;  // from 1
  unsigned column = 0;  // from 1, in bytes
  std::string text;
};

// By what a module's metadata calls them (`!srcloc`).
using SourceLines = std::map<uint64_t, SourceLine>;

// Not thread safe: an LLVMContext is not either.
class DiagnosticCollector final : public llvm::DiagnosticHandler {
 public:
  // Makes a collector that `context` owns. `input_name` is how messages call the input. `warnings`
  // may be empty.
  static DiagnosticCollector& InstallIn(llvm::LLVMContext& context, std::string input_name,
                                        WarningSink warnings);

  // From now on, what concerns inline assembly is said of these lines.
  void SetSourceLines(SourceLines lines) { lines_ = std::move(lines); }

  // InvalidArgument with every error since the last call, one per line; OK if there was none.
  absl::Status TakeErrors();

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override;

 private:
  DiagnosticCollector(std::string input_name, WarningSink warnings);

  // What is wrong with inline assembly: where it is in the source, and then in the assembly.
  std::string AssemblyText(const llvm::DiagnosticInfoSrcMgr& info, std::string_view severity) const;

  // A diagnostic and the line that it is about; without a newline at the end.
  std::string Text(const llvm::DiagnosticInfo& info, std::string_view severity) const;

  std::string input_name_;
  WarningSink warnings_;
  SourceLines lines_;
  std::string errors_;
};

// `text` with each address of this process ("0x55f81c0a") replaced by "t0", "t1" and so on in order
// of appearance: messages of LLVM's instruction selection name nodes by address, and would differ
// on each run.
std::string ScrubAddresses(std::string_view text);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_DIAGNOSTICS_H_
