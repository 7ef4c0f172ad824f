#include "compiler/frontend/resource_headers.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ADT/StringRef.h"

namespace ingot::compiler {
namespace {

using ::testing::HasSubstr;

TEST(ResourceHeadersTest, ClangsAndIngotsAreThere) {
  const std::string cuda_standard = kCudaStandardHeaders.str();
  for (const std::string& path :
       {std::string("toolchain/include/stdint.h"), std::string("toolchain/include/stddef.h"),
        std::string("toolchain/include/stdarg.h"), kCudaHeader.str(), cuda_standard + "/math.h",
        cuda_standard + "/cmath"}) {
    const std::optional<ResourceHeader> header = FindResourceHeader(path);
    ASSERT_TRUE(header.has_value()) << path;
    EXPECT_FALSE(header->is_directory) << path;
    EXPECT_FALSE(header->contents.empty()) << path;
    EXPECT_EQ(*header->contents.end(), '\0') << path;
    EXPECT_EQ(header->contents.find('\0'), llvm::StringRef::npos) << path;
  }
  EXPECT_THAT(FindResourceHeader("toolchain/include/stdint.h")->contents.str(),
              HasSubstr("int32_t"));
}

TEST(ResourceHeadersTest, FoldersAreThoseOfHeaders) {
  for (const llvm::StringRef path : {kResourceDirectory, llvm::StringRef("toolchain/include"),
                                     kCudaHeaders, kCudaStandardHeaders}) {
    const std::optional<ResourceHeader> folder = FindResourceHeader(path);
    ASSERT_TRUE(folder.has_value()) << path.str();
    EXPECT_TRUE(folder->is_directory) << path.str();
  }
}

TEST(ResourceHeadersTest, NumbersTellAllApart) {
  std::set<uint64_t> numbers;
  std::size_t count = 0;
  for (const llvm::StringRef path :
       {kResourceDirectory, llvm::StringRef("toolchain/include"), kCudaHeaders,
        kCudaStandardHeaders, kCudaHeader, llvm::StringRef("toolchain/include/stdint.h"),
        llvm::StringRef("toolchain/include/stddef.h")}) {
    numbers.insert(FindResourceHeader(path)->number);
    ++count;
  }
  EXPECT_EQ(numbers.size(), count);
  EXPECT_EQ(FindResourceHeader("toolchain/include/../include/./stdint.h")->number,
            FindResourceHeader("toolchain/include/stdint.h")->number);
}

TEST(ResourceHeadersTest, OthersAreNotThere) {
  for (const llvm::StringRef path :
       {"toolchain/include/no_such.h", "toolchain/include/std", "toolchain/include/stdint.h/x",
        "toolchain/includes", "toolchain/../src/x.h", "toolchain/..", "stdint.h", ""}) {
    EXPECT_FALSE(FindResourceHeader(path).has_value()) << path.str();
  }
}

TEST(ResourceHeadersTest, APathIsAResourcesByItsFirstPart) {
  EXPECT_TRUE(IsResourcePath("toolchain"));
  EXPECT_TRUE(IsResourcePath("toolchain/include/no_such.h"));
  EXPECT_FALSE(IsResourcePath("toolchains/include"));
  EXPECT_FALSE(IsResourcePath("src/toolchain/include"));
  EXPECT_FALSE(IsResourcePath("/toolchain/include"));
}

}  // namespace
}  // namespace ingot::compiler
