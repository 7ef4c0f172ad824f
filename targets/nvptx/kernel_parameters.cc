#include "targets/nvptx/kernel_parameters.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

namespace ingot::targets {
namespace {

std::string TypeText(llvm::Type& type) {
  if (const auto* const structure = llvm::dyn_cast<llvm::StructType>(&type);
      structure != nullptr && structure->hasName()) {
    return structure->getName().str();
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

}  // namespace

ParameterSpace ParametersOf(const llvm::Function& kernel) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  ParameterSpace space;
  for (const llvm::Argument& argument : kernel.args()) {
    llvm::Type* const by_value = argument.getParamByValType();
    llvm::Type& type = by_value != nullptr ? *by_value : *argument.getType();
    if (!type.isSized()) continue;
    llvm::Align alignment = layout.getABITypeAlign(&type);
    if (by_value != nullptr) {
      alignment = std::max(alignment, argument.getParamAlign().valueOrOne());
    }
    Parameter parameter{
        .name = argument.hasName() ? argument.getName().str() : absl::StrCat(argument.getArgNo()),
        .type = TypeText(type),
        .offset = llvm::alignTo(space.bytes, alignment),
        .bytes = layout.getTypeAllocSize(&type).getKnownMinValue()};
    space.bytes = parameter.offset + parameter.bytes;
    space.parameters.push_back(std::move(parameter));
  }
  return space;
}

uint64_t MostParameterBytes(const Gpu& gpu) {
  constexpr uint64_t kMost = 4352;
  constexpr uint64_t kMostSincePtx81 = 32764;
  return gpu.sm >= 70 && gpu.ptx >= 81 ? kMostSincePtx81 : kMost;
}

std::string ParameterTable(const ParameterSpace& space) {
  std::string table = "offset   bytes  parameter";
  for (const Parameter& parameter : space.parameters) {
    absl::StrAppendFormat(&table, "\n%6d %7d  %s: %s", parameter.offset, parameter.bytes,
                          parameter.name, parameter.type);
  }
  return table;
}

}  // namespace ingot::targets
