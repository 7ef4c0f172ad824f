// How much space the parameters of a kernel take, and how much there is.
//
//   const ParameterSpace space = ParametersOf(kernel);
//   if (space.bytes > MostParameterBytes(gpu)) …

#ifndef INGOT_TARGETS_NVPTX_KERNEL_PARAMETERS_H_
#define INGOT_TARGETS_NVPTX_KERNEL_PARAMETERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/IR/Function.h"
#include "targets/nvptx/gpu.h"

namespace ingot::targets {

struct Parameter {
  std::string name;  // "0" for the first if it has none
  std::string type;
  uint64_t offset = 0;  // in bytes
  uint64_t bytes = 0;
};

struct ParameterSpace {
  std::vector<Parameter> parameters;
  uint64_t bytes = 0;  // of all, with what is between them for alignment
};

ParameterSpace ParametersOf(const llvm::Function& kernel);

// 4,352 bytes, or 32,764 from sm_70 with PTX 8.1 (PTX ISA, "Kernel Function Parameters"; the first
// number is what ptxas says).
uint64_t MostParameterBytes(const Gpu& gpu);

// A line for each parameter: its offset, its size, its type and its name.
std::string ParameterTable(const ParameterSpace& space);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_KERNEL_PARAMETERS_H_
