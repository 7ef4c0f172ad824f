// The headers that come with the compiler: Clang's own, and Ingot's for CUDA. They are in the
// program, so its digest covers them and nothing can be missing beside it.
//
//   std::optional<ResourceHeader> header = FindResourceHeader("toolchain/include/stdint.h");

#ifndef INGOT_COMPILER_FRONTEND_RESOURCE_HEADERS_H_
#define INGOT_COMPILER_FRONTEND_RESOURCE_HEADERS_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/StringRef.h"

namespace ingot::compiler {

// What Clang calls its resource directory; its headers are in `include` below it.
inline constexpr llvm::StringRef kResourceDirectory = "toolchain";

// Where Ingot's own headers for CUDA are, those with the names of C's and C++'s, and the one that
// every source includes.
inline constexpr llvm::StringRef kCudaHeaders = "toolchain/include/ingot";
inline constexpr llvm::StringRef kCudaStandardHeaders =
    "toolchain/include/ingot/ingot_cuda/standard";
inline constexpr llvm::StringRef kCudaHeader = "toolchain/include/ingot/ingot_cuda.h";
// Stands in for what not every CUDA toolkit has: after a real one's folders.
inline constexpr llvm::StringRef kCudaToolkitHeaders = "toolchain/include/ingot/ingot_cuda/toolkit";

struct ResourceHeader {
  llvm::StringRef contents;  // constant; a zero byte follows
  bool is_directory = false;
  uint64_t number = 0;  // tells headers apart
};

// Whether `path` is that of a resource, one that exists or not.
bool IsResourcePath(llvm::StringRef path);

// The header or directory at `path`; `.` and `..` in it are resolved as text.
std::optional<ResourceHeader> FindResourceHeader(llvm::StringRef path);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_FRONTEND_RESOURCE_HEADERS_H_
