#include "tools/driver/cc_sysroot.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/driver/cc_arguments.h"

namespace ingot::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CcArguments Parse(const std::vector<std::string>& arguments) {
  absl::StatusOr<CcArguments> parsed = ParseCcArguments(arguments, {});
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *std::move(parsed) : CcArguments();
}

TEST(AddSysroot, AddsTheFoldersThatAreThere) {
  const std::set<std::string> folders = {"/r/lib/avr/include", "/r/include", "/s/avr/include"};
  const auto is_folder = [&](const std::string& path) { return folders.contains(path); };
  CcArguments parsed = Parse({"-mmcu=avr5", "-isystemmine", "--sysroot=/r/", "-c", "a.c"});
  ASSERT_TRUE(AddSysroot(is_folder, parsed).ok());
  EXPECT_THAT(
      parsed.invocation.front_end_options,
      ElementsAre("-fhosted", "-isystemmine", "-isystem/r/lib/avr/include", "-isystem/r/include"));
  parsed = Parse({"-mmcu=avr5", "--sysroot", "/none", "-c", "a.c"});
  EXPECT_THAT(AddSysroot(is_folder, parsed).message(), HasSubstr("--sysroot=/none"));
  parsed = Parse({"--target=nvptx64", "--sysroot=/r", "-c", "a.c"});
  EXPECT_THAT(AddSysroot(is_folder, parsed).message(), HasSubstr("nvptx64"));
}

TEST(AddSysroot, OfAHostItIsForCudaWithAToolkit) {
  const std::set<std::string> folders = {"/r/usr/include", "/r/usr/include/c++/15",
                                         "/r/usr/include/c++/16",
                                         "/r/usr/include/x86_64-linux-gnu/c++/16"};
  const auto is_folder = [&](const std::string& path) { return folders.contains(path); };
  CcArguments parsed =
      Parse({"--target=nvptx64", "--cuda-path=/cuda", "--sysroot=/r", "-c", "a.cu"});
  ASSERT_TRUE(AddSysroot(is_folder, parsed).ok());
  EXPECT_THAT(
      parsed.invocation.front_end_options,
      ElementsAre("--cuda-path=/cuda", "-idirafter/r/usr/include/c++/16",
                  "-idirafter/r/usr/include/x86_64-linux-gnu/c++/16", "-idirafter/r/usr/include"));
  parsed = Parse({"--target=nvptx64", "--cuda-path=/cuda", "--sysroot=/none", "-c", "a.cu"});
  EXPECT_THAT(AddSysroot(is_folder, parsed).message(), HasSubstr("/none/usr/include"));
}

}  // namespace
}  // namespace ingot::driver
