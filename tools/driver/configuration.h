// Which rc files count for this run: where they are, in which order, and which of them are trusted.
// CONFIGURATION.md says what users see of it.
//
//   absl::StatusOr<Configuration> configuration = LoadConfiguration(
//       {.working_directory = "/src/project", .home = "/home/me"});
//   absl::StatusOr<Settings> settings = ComputeSettings(*configuration, …);
//
// Without any rc file this costs one failed open() for the system's, one for the user's, and one
// for each folder from the working directory upwards: it is on the way of every cache hit.

#ifndef INGOT_TOOLS_DRIVER_CONFIGURATION_H_
#define INGOT_TOOLS_DRIVER_CONFIGURATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/driver/rc_file.h"

namespace ingot::driver {

// What became of a file that was looked for.
enum class RcState {
  kRead,
  kAbsent,
  kIgnored,   // it is there, and `reason` says why it does not count
  kDisabled,  // not looked for, since a flag or variable said so
};

// "read", "absent", "ignored" or "disabled".
std::string_view RcStateName(RcState state);

struct RcSource {
  std::string kind;  // "system", "workspace", "user", "--ingotrc" or "import"
  std::string path;  // empty where there is no place to look
  RcState state = RcState::kAbsent;
  std::string reason;  // for kIgnored and kDisabled, and where `path` is empty
  bool trusted = true;
};

struct ConfigurationLine {
  RcLine line;
  int source = 0;       // the number of the file that it came from, directly or by imports
  bool trusted = true;  // false: only options that are harmless may be taken from it
};

struct Configuration {
  std::vector<RcSource> sources;
  std::vector<ConfigurationLine> lines;  // the lowest precedence first
  std::vector<std::string> warnings;
  // The folder whose `.ingotrc` is the workspace's; empty if there is no such file.
  std::string workspace;
};

struct ConfigurationRequest {
  // Why files of this kind are not looked for, such as "--nohome_rc"; empty: they are.
  std::string no_system_rc;
  std::string no_workspace_rc;
  std::string no_home_rc;
  std::vector<std::string> rc_files;            // of --ingotrc, in order; each must be there
  std::vector<std::string> trusted_workspaces;  // beside those that trusted files name
  std::string system_file = "/etc/ingot.ingotrc";
  std::string working_directory;  // absolute; empty: there is no workspace
  std::string home;               // empty: there is no user's file
};

// Reads the files. Errors are InvalidArgument and name the file and line.
absl::StatusOr<Configuration> LoadConfiguration(const ConfigurationRequest& request);

// How to trust the workspace in `folder`, for the end of a message.
std::string HowToTrust(std::string_view folder);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_CONFIGURATION_H_
