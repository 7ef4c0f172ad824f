#include "tools/driver/front_end_arguments.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Guarded(std::vector<std::string> arguments) {
  const absl::Status status = GuardFrontEndArguments(arguments, 1);
  EXPECT_TRUE(status.ok()) << status;
  return arguments;
}

TEST(GuardFrontEndArgumentsTest, TakesClangsOptionsAndNoOthers) {
  EXPECT_THAT(Guarded({"compile", "-I", "include", "-DN=2", "k.c", "-O2", "-o", "k.o", "-v",
                       "--cpu=x", "-std=c17", "-isystem", "sys"}),
              ElementsAre("compile", "--copt=-Iinclude", "--copt=-DN=2", "k.c", "-O2", "-o", "k.o",
                          "-v", "--cpu=x", "--copt=-std=c17", "--copt=-isystemsys"));
}

TEST(GuardFrontEndArgumentsTest, LeavesValuesAndWhatComesAfterTheOptions) {
  EXPECT_THAT(Guarded({"-Icompile", "-o", "-Dout", "--", "-Iinput"}),
              ElementsAre("-Icompile", "-o", "-Dout", "--", "-Iinput"));
  EXPECT_THAT(Guarded({"compile", "--features", "-lpmx,-mul", "--cpu", "-Dx"}),
              ElementsAre("compile", "--features", "-lpmx,-mul", "--cpu", "-Dx"));
  EXPECT_THAT(Guarded({"compile", "--copt", "-Iinclude", "-"}),
              ElementsAre("compile", "--copt=-Iinclude", "-"));
}

TEST(GuardFrontEndArgumentsTest, KnowsClangsLongOptionsFromIngotsOwn) {
  EXPECT_THAT(Guarded({"compile", "--embed-dir=data", "--std=c17", "--config=ci", "--json"}),
              ElementsAre("compile", "--copt=--embed-dir=data", "--copt=-std=c17", "--config=ci",
                          "--json"));
}

TEST(GuardFrontEndArgumentsTest, NamesWhatIsRefused) {
  std::vector<std::string> arguments = {"compile", "k.c", "-fplugin=x.so"};
  EXPECT_THAT(std::string(GuardFrontEndArguments(arguments, 1).message()),
              HasSubstr("option -fplugin=x.so is not supported"));
}

TEST(GuardFrontEndArgumentsTest, SaysWhatIsMissing) {
  std::vector<std::string> arguments = {"compile", "-I"};
  EXPECT_EQ(GuardFrontEndArguments(arguments, 1).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ingot::driver
