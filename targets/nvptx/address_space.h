// NVPTX's address spaces, as LLVM numbers them (NVPTXUsage, "Address Spaces").

#ifndef INGOT_TARGETS_NVPTX_ADDRESS_SPACE_H_
#define INGOT_TARGETS_NVPTX_ADDRESS_SPACE_H_

namespace ingot::targets {

inline constexpr unsigned kGenericSpace = 0;
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;
inline constexpr unsigned kConstantSpace = 4;
inline constexpr unsigned kLocalSpace = 5;
inline constexpr unsigned kTensorSpace = 6;
inline constexpr unsigned kClusterSpace = 7;  // shared memory of the blocks of a cluster

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_NVPTX_ADDRESS_SPACE_H_
