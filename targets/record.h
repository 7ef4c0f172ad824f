// What a target is, as plain data.
//
// A record says what Ingot knows about a device family without asking LLVM: its triple, its data
// layout, its CPUs and what can be emitted for it. Records are constants: they have no
// constructors, allocate nothing and live for the whole process, so the driver, which links no
// LLVM, can answer `ingot targets` and check a command line at no start-up cost.
//
//   for (const ingot::targets::TargetRecord* target : ingot::targets::AllTargets()) {
//     std::cout << target->name << " " << target->triple << "\n";
//   }
//
// Every field is checked against LLVM by the contract suite in targets/testing, so a record cannot
// drift from the compiler that it describes.

#ifndef INGOT_TARGETS_RECORD_H_
#define INGOT_TARGETS_RECORD_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace ingot::targets {

// What a compilation writes.
enum class EmitKind {
  kAsm,           // assembly text; PTX for NVIDIA GPUs
  kObj,           // a relocatable object file
  kBc,            // optimised LLVM bitcode
  kLl,            // the same as text
  kRawLl,         // LLVM IR as text, before it is optimised
  kPreprocessed,  // of a source: its text after preprocessing
};

inline constexpr std::array<EmitKind, 6> kAllEmitKinds = {
    EmitKind::kAsm, EmitKind::kObj,   EmitKind::kBc,
    EmitKind::kLl,  EmitKind::kRawLl, EmitKind::kPreprocessed};

// The word for `kind` on a command line: "asm", "obj", "bc", "ll", "raw-ll" or
// "preprocessed".
constexpr std::string_view EmitKindName(EmitKind kind) {
  switch (kind) {
    case EmitKind::kAsm:
      return "asm";
    case EmitKind::kObj:
      return "obj";
    case EmitKind::kBc:
      return "bc";
    case EmitKind::kLl:
      return "ll";
    case EmitKind::kRawLl:
      return "raw-ll";
    case EmitKind::kPreprocessed:
      return "preprocessed";
  }
  return "";
}

// The inverse of EmitKindName(); nothing for any other word.
constexpr std::optional<EmitKind> EmitKindFromName(std::string_view name) {
  for (const EmitKind kind : kAllEmitKinds) {
    if (EmitKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

// The most facts that a target states about each of its CPUs.
inline constexpr std::size_t kMaxCpuFacts = 4;

// One CPU, GPU generation or microcontroller.
struct CpuRecord {
  std::string_view name;    // as LLVM spells it: "sm_90", "atmega328p"
  std::string_view family;  // what it is compatible with: "Hopper", "avr5"
  // One value for each of the target's `cpu_fact_names`, in that order; empty where there is none.
  std::array<std::string_view, kMaxCpuFacts> facts = {};
};

// One emit kind that a target supports.
struct EmitRecord {
  EmitKind kind;
  std::string_view extension;  // of the file it makes, without a dot: "ptx"
};

// One device family. All spans and views refer to constants.
struct TargetRecord {
  std::string_view name;                      // "nvptx64"
  std::string_view triple;                    // the canonical one: "nvptx64-nvidia-cuda"
  std::span<const std::string_view> aliases;  // other triples and names that mean this target
  std::string_view architecture;  // the first part of a triple; equal in all accepted triples
  std::string_view data_layout;   // LLVM's data layout string
  // Those that older LLVMs had for it. They agree with it in everything but integers of more than
  // 64 bits, and address spaces that did not exist.
  std::span<const std::string_view> older_data_layouts;
  std::string_view description;                      // one line for people
  std::span<const CpuRecord> cpus;                   // in the order in which people list them
  std::string_view default_cpu;                      // the name of one of `cpus`
  std::span<const std::string_view> cpu_fact_names;  // at most kMaxCpuFacts
  std::span<const std::string_view> features;        // what --features may name, in byte order
  std::span<const EmitRecord> emits;                 // what --emit may name
  EmitKind default_emit;                             // one of `emits`
  bool is_gpu;  // it runs kernels: OpenCL C and CUDA are for it, and assembly is not
};

// What `target` says about emitting `kind`, or null where it cannot.
constexpr const EmitRecord* FindEmit(const TargetRecord& target, EmitKind kind) {
  for (const EmitRecord& emit : target.emits) {
    if (emit.kind == kind) return &emit;
  }
  return nullptr;
}

// The fact of `cpu` called `fact_name`, or an empty view where `target` states no such fact.
constexpr std::string_view FindFact(const TargetRecord& target, const CpuRecord& cpu,
                                    std::string_view fact_name) {
  for (std::size_t i = 0; i < target.cpu_fact_names.size(); ++i) {
    if (target.cpu_fact_names[i] == fact_name) return cpu.facts[i];
  }
  return {};
}

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_RECORD_H_
