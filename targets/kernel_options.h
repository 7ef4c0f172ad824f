// What may be asked about the kernels of a module, for targets that run kernels. Plain data without
// LLVM, since it is part of an invocation.
//
//   KernelOptions options{.entries = {"saxpy"}, .max_threads = {256}};

#ifndef INGOT_TARGETS_KERNEL_OPTIONS_H_
#define INGOT_TARGETS_KERNEL_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ingot::targets {

// A number for each dimension that is named, x first: one to three, or none where nothing is asked.
using Dimensions = std::vector<uint32_t>;

enum class DebugLevel { kAsIs, kNone, kLineTables };
enum class Denormals { kAsIs, kIeee, kFlush };

// Each default asks for nothing: the module's own attributes count. What is asked for holds for
// every entry and takes the place of the module's own.
struct KernelOptions {
  std::vector<std::string> entries;  // the kernels to keep; none: all
  Dimensions max_threads;            // of a block, at most
  Dimensions required_threads;       // of a block, exactly
  uint32_t min_blocks = 0;           // that fit on a multiprocessor at one time
  uint32_t max_registers = 0;        // of a thread
  Dimensions cluster_size;           // blocks of a cluster
  // The output is to be linked with other modules: visible functions stay, and functions may be
  // missing.
  bool relocatable = false;
  // 64-bit floating point, which many GPUs are slow at, is an error.
  bool forbid_f64 = false;
  DebugLevel debug_level = DebugLevel::kAsIs;  // how much debug information to keep
  Denormals denormals = Denormals::kAsIs;      // of 32 bits: kept, or taken for zero
  // Floating point may be approximate, as under clang's -ffast-math.
  bool fast_math = false;

  friend bool operator==(const KernelOptions&, const KernelOptions&) = default;
};

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_KERNEL_OPTIONS_H_
