#include "tools/driver/rc_flags.h"

#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/driver/configuration.h"
#include "tools/driver/environment.h"

namespace ingot::driver {
namespace {

using ::testing::ElementsAre;

using Words = std::vector<std::string>;

class RcFlagsTest : public ::testing::Test {
 protected:
  ConfigurationRequest Request(const RcFlags& flags, const Words& arguments = {}) {
    std::ostringstream out;
    const Environment environment{
        .variable = [this](std::string_view name) -> std::optional<std::string> {
          const auto found = variables_.find(std::string(name));
          if (found == variables_.end()) return std::nullopt;
          return found->second;
        },
        .out = out,
        .err = out,
        .err_is_terminal = false,
        .executable = "",
    };
    return RequestFor(flags, environment, arguments);
  }

  std::map<std::string, std::string> variables_ = {{"HOME", "/home/me"}};
};

TEST_F(RcFlagsTest, StandBeforeTheCommand) {
  const auto count = [](const Words& words) { return CountRcWords(words); };
  EXPECT_EQ(count({}), 0u);
  EXPECT_EQ(count({"compile", "--nohome_rc"}), 0u);
  EXPECT_EQ(count({"--nohome_rc", "compile"}), 1u);
  EXPECT_EQ(count({"--ingotrc", "compile", "--ingotrc=b", "compile"}), 3u);
  EXPECT_EQ(count({"--ingotrc"}), 1u);
}

TEST_F(RcFlagsTest, SayWhichFilesAreRead) {
  const std::optional<RcFlags> flags =
      ReadRcFlags({"--nohome_rc", "--ingotrc=a", "--ingotrc", "b"});
  ASSERT_TRUE(flags.has_value());
  const ConfigurationRequest request = Request(*flags);
  EXPECT_EQ(request.no_home_rc, "--nohome_rc");
  EXPECT_EQ(request.no_system_rc, "");
  EXPECT_EQ(request.no_workspace_rc, "");
  EXPECT_THAT(request.rc_files, ElementsAre("a", "b"));
  EXPECT_EQ(request.home, "/home/me");
  EXPECT_FALSE(ReadRcFlags({"--nohome_rcs"}).has_value());
}

TEST_F(RcFlagsTest, AVariableTurnsAllFilesOff) {
  for (const char* off : {"", "0", "false"}) {
    variables_["INGOT_IGNORE_RC"] = off;
    EXPECT_EQ(Request({}).no_system_rc, "") << off;
  }
  variables_["INGOT_IGNORE_RC"] = "1";
  const ConfigurationRequest request = Request({.home_rc = false});
  EXPECT_EQ(request.no_system_rc, "INGOT_IGNORE_RC");
  EXPECT_EQ(request.no_workspace_rc, "INGOT_IGNORE_RC");
  EXPECT_EQ(request.no_home_rc, "--nohome_rc");
}

TEST_F(RcFlagsTest, OnlyTheUserTrustsWorkspaces) {
  variables_["INGOT_TRUSTED_WORKSPACE"] = "/a";
  EXPECT_THAT(Request({}, {"--trusted_workspace=/b", "k.ll", "--trusted_workspace", "/c", "--",
                           "--trusted_workspace=/d"})
                  .trusted_workspaces,
              ElementsAre("/a", "/b", "/c"));
}

}  // namespace
}  // namespace ingot::driver
