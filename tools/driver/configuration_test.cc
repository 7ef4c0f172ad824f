#include "tools/driver/configuration.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConfigurationTest : public testing::Test {
 protected:
  ConfigurationTest() {
    std::filesystem::create_directories(root_ + "/home");
    std::filesystem::create_directories(root_ + "/src/project/deep/er");
  }

  void Write(const std::string& name, const std::string& text) {
    cache::WriteTestFile(root_ + "/" + name, text);
  }

  ConfigurationRequest Request() const {
    return {.system_file = root_ + "/etc/ingot.ingotrc",
            .working_directory = root_ + "/src/project/deep/er",
            .home = root_ + "/home"};
  }

  Configuration Load(const ConfigurationRequest& request) {
    absl::StatusOr<Configuration> configuration = LoadConfiguration(request);
    EXPECT_THAT(configuration, IsOk());
    return configuration.ok() ? *std::move(configuration) : Configuration();
  }

  // "FILE:LINE WORDS", with a ? for lines that are not trusted; files relative to the root.
  std::vector<std::string> Lines(const Configuration& configuration) {
    std::vector<std::string> shown;
    for (const ConfigurationLine& line : configuration.lines) {
      const std::string place = line.line.Place();
      shown.push_back(absl::StrCat(absl::StripPrefix(place, root_ + "/"), " ",
                                   line.line.words.front(), line.trusted ? "" : "?"));
    }
    return shown;
  }

  // "KIND STATE" for each file.
  static std::vector<std::string> Sources(const Configuration& configuration) {
    std::vector<std::string> shown;
    for (const RcSource& source : configuration.sources) {
      shown.push_back(absl::StrCat(source.kind, " ", RcStateName(source.state)));
    }
    return shown;
  }

  cache::TemporaryDirectory directory_;
  const std::string root_ = directory_.path();
};

TEST_F(ConfigurationTest, NoFiles) {
  const Configuration configuration = Load(Request());
  EXPECT_THAT(configuration.lines, IsEmpty());
  EXPECT_THAT(configuration.warnings, IsEmpty());
  EXPECT_THAT(Sources(configuration),
              ElementsAre("system absent", "workspace absent", "user absent"));
  EXPECT_THAT(Sources(Load({.system_file = "", .working_directory = "", .home = ""})),
              ElementsAre("system absent", "workspace absent", "user absent"));
}

TEST_F(ConfigurationTest, Order) {
  Write("etc/ingot.ingotrc", "common --1");
  Write("src/project/.ingotrc", "common --2");
  Write("home/.ingotrc", "common --3");
  Write("a", "common --4");
  Write("b", "common --5");
  ConfigurationRequest request = Request();
  request.rc_files = {root_ + "/a", root_ + "/b"};
  const Configuration configuration = Load(request);
  EXPECT_THAT(Lines(configuration),
              ElementsAre("etc/ingot.ingotrc:1 --1", "src/project/.ingotrc:1 --2?",
                          "home/.ingotrc:1 --3", "a:1 --4", "b:1 --5"));
  EXPECT_THAT(Sources(configuration), ElementsAre("system read", "workspace read", "user read",
                                                  "--ingotrc read", "--ingotrc read"));
  EXPECT_EQ(configuration.workspace, root_ + "/src/project");
  EXPECT_THAT(configuration.warnings, IsEmpty());
}

TEST_F(ConfigurationTest, WhatIsDisabledIsNotRead) {
  Write("etc/ingot.ingotrc", "nonsense 'x");
  Write("src/project/.ingotrc", "nonsense 'x");
  Write("home/.ingotrc", "nonsense 'x");
  ConfigurationRequest request = Request();
  request.no_system_rc = "--nosystem_rc";
  request.no_workspace_rc = "--noworkspace_rc";
  request.no_home_rc = "INGOT_IGNORE_RC";
  const Configuration configuration = Load(request);
  EXPECT_THAT(Sources(configuration),
              ElementsAre("system disabled", "workspace disabled", "user disabled"));
  EXPECT_EQ(configuration.sources[2].reason, "INGOT_IGNORE_RC");
}

TEST_F(ConfigurationTest, TheNearestWorkspaceCounts) {
  Write("src/.ingotrc", "common --far");
  EXPECT_THAT(Lines(Load(Request())), ElementsAre("src/.ingotrc:1 --far?"));
  for (const std::string marker : {"MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"}) {
    Write("src/project/" + marker, "");
    EXPECT_THAT(Lines(Load(Request())), IsEmpty()) << marker;
    std::filesystem::remove(root_ + "/src/project/" + marker);
  }
  Write("src/project/MODULE.bazel", "");
  Write("src/project/.ingotrc", "common --near");
  EXPECT_THAT(Lines(Load(Request())), ElementsAre("src/project/.ingotrc:1 --near?"));
}

// Most working directories are below the home folder, which is no workspace for that.
TEST_F(ConfigurationTest, TheUsersFileIsNoWorkspaces) {
  Write("src/.ingotrc", "common --mine");
  ConfigurationRequest request = Request();
  request.home = root_ + "/src";
  EXPECT_THAT(Lines(Load(request)), ElementsAre("src/.ingotrc:1 --mine"));
  std::filesystem::create_symlink(root_ + "/src", root_ + "/link");
  request.home = root_ + "/link";
  EXPECT_THAT(Lines(Load(request)), ElementsAre("link/.ingotrc:1 --mine"));
  request.no_home_rc = "--nohome_rc";
  EXPECT_THAT(Lines(Load(request)), IsEmpty());
}

TEST_F(ConfigurationTest, TrustByThoseThatAreTrusted) {
  Write("src/project/.ingotrc", "common --2");
  const std::vector<std::string> trusted = {"src/project/.ingotrc:1 --2"};
  const std::string project = root_ + "/src/project";
  for (const std::string& file : {"etc/ingot.ingotrc", "home/.ingotrc", "named"}) {
    ConfigurationRequest request = Request();
    for (const std::string& folder :
         {project, project + "/", project + "/...", root_ + "/src/...", root_ + "/..."}) {
      Write(file, "common --trusted_workspace=" + folder);
      if (file == "named") request.rc_files = {root_ + "/named"};
      EXPECT_THAT(Lines(Load(request)), testing::Contains(trusted[0])) << file << " " << folder;
    }
    for (const std::string& folder : {root_ + "/src", root_ + "/src/pro/...", project + "/deep",
                                      std::string(), root_ + "/src/projec"}) {
      Write(file, "common --trusted_workspace='" + folder + "'");
      EXPECT_THAT(Lines(Load(request)), testing::Contains(trusted[0] + "?")) << file << folder;
    }
    std::filesystem::remove(root_ + "/" + file);
  }
  Write("home/.ingotrc", "common --trusted_workspace " + project);
  EXPECT_THAT(Lines(Load(Request())), testing::Contains(trusted[0]));
  Write("home/.ingotrc", "common:ci --trusted_workspace " + project);
  EXPECT_THAT(Lines(Load(Request())), testing::Contains(trusted[0] + "?"));
  std::filesystem::create_symlink(root_ + "/src", root_ + "/link");
  Write("home/.ingotrc", "common --trusted_workspace=" + root_ + "/link/project");
  EXPECT_THAT(Lines(Load(Request())), testing::Contains(trusted[0]));
  ConfigurationRequest request = Request();
  request.no_home_rc = "--nohome_rc";
  request.trusted_workspaces = {project};
  EXPECT_THAT(Lines(Load(request)), testing::ElementsAreArray(trusted));
}

TEST_F(ConfigurationTest, AWorkspaceCannotTrustItself) {
  Write("src/project/.ingotrc", "common --trusted_workspace=" + root_ + "/src/project");
  EXPECT_FALSE(Load(Request()).lines.at(0).trusted);
}

TEST_F(ConfigurationTest, AWorkspaceImportsFromItselfOnly) {
  Write("outside", "common --outside");
  Write("src/project/inside", "common --inside");
  std::filesystem::create_symlink(root_ + "/outside", root_ + "/src/project/link");
  Write("src/project/.ingotrc",
        "import %workspace%/inside\nimport ../../outside\nimport %workspace%/link\n"
        "try-import " +
            root_ + "/gone");
  const Configuration configuration = Load(Request());
  EXPECT_THAT(Lines(configuration), ElementsAre("src/project/inside:1 --inside?"));
  EXPECT_THAT(configuration.warnings,
              ElementsAre(AllOf(HasSubstr("project/.ingotrc:2: "), HasSubstr("/outside"),
                                HasSubstr("outside of the workspace"),
                                HasSubstr("--trusted_workspace=" + root_ + "/src/project`")),
                          HasSubstr("project/.ingotrc:3: "), HasSubstr("project/.ingotrc:4: ")));
  ConfigurationRequest request = Request();
  request.trusted_workspaces = {root_ + "/src/project"};
  EXPECT_THAT(Lines(Load(request)),
              ElementsAre("src/project/inside:1 --inside", "outside:1 --outside",
                          "src/project/link:1 --outside"));
}

TEST_F(ConfigurationTest, AWorkspaceFileThatOthersMayWriteIsIgnored) {
  Write("src/project/.ingotrc", "common --2");
  const std::string file = root_ + "/src/project/.ingotrc";
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  const Configuration configuration = Load(Request());
  EXPECT_THAT(configuration.lines, IsEmpty());
  EXPECT_THAT(Sources(configuration),
              ElementsAre("system absent", "workspace ignored", "user absent"));
  EXPECT_THAT(configuration.warnings, ElementsAre(AllOf(HasSubstr(file), HasSubstr("everybody"),
                                                        HasSubstr("--trusted_workspace="))));
  ConfigurationRequest request = Request();
  request.trusted_workspaces = {root_ + "/src/project"};
  EXPECT_THAT(Lines(Load(request)), ElementsAre("src/project/.ingotrc:1 --2"));
}

TEST_F(ConfigurationTest, AWorkspaceFileOfAnotherUserIsIgnored) {
  Write("src/project/.ingotrc", "common --2");
  if (geteuid() != 0 || chown((root_ + "/src/project/.ingotrc").c_str(), 1, 1) != 0) {
    GTEST_SKIP() << "only root can give a file away";
  }
  const Configuration configuration = Load(Request());
  EXPECT_THAT(configuration.lines, IsEmpty());
  EXPECT_THAT(configuration.warnings, ElementsAre(HasSubstr("another user (1)")));
}

TEST_F(ConfigurationTest, APipeThatNobodyNamedDoesNotBlock) {
  ASSERT_EQ(mkfifo((root_ + "/home/.ingotrc").c_str(), 0600), 0);
  const Configuration configuration = Load(Request());
  EXPECT_THAT(configuration.lines, IsEmpty());
  EXPECT_THAT(configuration.warnings, ElementsAre(HasSubstr("is a pipe")));
}

TEST_F(ConfigurationTest, WhatIsNoTextIsNotRead) {
  Write("home/.ingotrc", std::string("c\0o\0m\0m\0o\0n\0", 12));
  const Configuration configuration = Load(Request());
  EXPECT_THAT(configuration.lines, IsEmpty());
  EXPECT_THAT(configuration.warnings, ElementsAre(HasSubstr("save it as UTF-8")));
}

TEST_F(ConfigurationTest, TrustInAFileIsForAnAbsolutePath) {
  for (const char* path : {".", "...", "./...", "~/src", "%workspace%"}) {
    Write("home/.ingotrc", absl::StrCat("\ncommon --trusted_workspace=", path));
    EXPECT_THAT(LoadConfiguration(Request()).status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("home/.ingotrc:2"), HasSubstr("no absolute path"))))
        << path;
  }
}

TEST_F(ConfigurationTest, APipeInAWorkspaceDoesNotBlock) {
  ASSERT_EQ(mkfifo((root_ + "/src/project/.ingotrc").c_str(), 0600), 0);
  const Configuration configuration = Load(Request());
  EXPECT_THAT(configuration.warnings, ElementsAre(HasSubstr("no regular file")));
}

TEST_F(ConfigurationTest, AUsersFileThatCannotBeReadIsAWarning) {
  std::filesystem::create_directories(root_ + "/home/.ingotrc");
  const Configuration configuration = Load(Request());
  EXPECT_THAT(Sources(configuration),
              ElementsAre("system absent", "workspace absent", "user ignored"));
  EXPECT_THAT(configuration.warnings, ElementsAre(HasSubstr("/home/.ingotrc")));
}

TEST_F(ConfigurationTest, Errors) {
  ConfigurationRequest request = Request();
  request.rc_files = {root_ + "/gone"};
  EXPECT_THAT(LoadConfiguration(request),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--ingotrc=" + root_)));
  Write("home/.ingotrc", "a\nb 'c");
  EXPECT_THAT(LoadConfiguration(Request()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/home/.ingotrc:2: ")));
  Write("home/.ingotrc", std::string(2'000'000, '#'));
  EXPECT_THAT(Load(Request()).warnings, ElementsAre(HasSubstr("too large")));
}

TEST_F(ConfigurationTest, TheUsersImports) {
  Write("src/project/MODULE.bazel", "");
  Write("src/project/team", "common --team");
  Write("home/.ingotrc", "try-import %workspace%/team\nimport near\ntry-import gone");
  Write("home/near", "common --near");
  const Configuration configuration = Load(Request());
  EXPECT_THAT(Lines(configuration), ElementsAre("src/project/team:1 --team", "home/near:1 --near"));
  EXPECT_THAT(Sources(configuration), ElementsAre("system absent", "workspace absent", "user read",
                                                  "import read", "import read", "import absent"));
}

}  // namespace
}  // namespace ingot::driver
