#include "tools/driver/configuration.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/driver/rc_file.h"

namespace ingot::driver {
namespace {

constexpr std::string_view kFileName = "/.ingotrc";
constexpr std::array<std::string_view, 3> kMarkers = {"/MODULE.bazel", "/WORKSPACE",
                                                      "/WORKSPACE.bazel"};
constexpr std::string_view kTrustOption = "--trusted_workspace";

// No file that a person wrote is larger.
constexpr std::size_t kMaximumSize = 1 << 20;

struct OpenedText {
  std::string text;
  struct stat status = {};
};

// What a place may have in the place of a file. To read a pipe is to wait for its writer, which
// only those want who name it: --ingotrc=<(generate).
enum class Allowed { kRegularFile, kAllButPipes, kAnything };

// The whole of the file at `path`. NotFound if there is none.
absl::StatusOr<OpenedText> ReadText(const std::string& path, Allowed allowed) {
  const int fd =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | (allowed == Allowed::kAnything ? 0 : O_NONBLOCK));
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return absl::NotFoundError("");
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
  }
  const absl::Cleanup close_file = [fd] { close(fd); };
  OpenedText opened;
  if (fstat(fd, &opened.status) != 0 ||
      (allowed == Allowed::kRegularFile && !S_ISREG(opened.status.st_mode))) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is no regular file"));
  }
  if (allowed == Allowed::kAllButPipes && S_ISFIFO(opened.status.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is a pipe, which only --ingotrc reads"));
  }
  std::array<char, 4096> buffer;
  ssize_t count;
  while ((count = read(fd, buffer.data(), buffer.size())) != 0) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
    }
    opened.text.append(buffer.data(), static_cast<std::size_t>(count));
    if (opened.text.size() > kMaximumSize) {
      return absl::FailedPreconditionError(absl::StrCat(path, " is no rc file: it is too large"));
    }
  }
  // UTF-16, for instance. In a path, it would end it for the system.
  if (opened.text.find('\0') != std::string::npos) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is no rc file: it has a zero byte in it; save it as UTF-8"));
  }
  return opened;
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// The real path of a file or folder, or `path` where it has none.
std::string RealPath(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result(real);
  std::free(real);
  return result;
}

bool IsInside(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return absl::ConsumePrefix(&path, folder) && absl::StartsWith(path, "/");
}

// `folder` and each of those above it, the nearest first; for "/" an empty string, so that a name
// with its slash can be put behind each.
std::vector<std::string> FolderAndThoseAbove(std::string folder) {
  std::vector<std::string> folders;
  if (!absl::StartsWith(folder, "/")) return folders;
  while (!folder.empty()) {
    if (folder != "/") folders.push_back(folder);
    folder.resize(folder.rfind('/'));
  }
  folders.emplace_back();
  return folders;
}

struct Workspace {
  std::string folder;   // empty: none
  std::string rc_file;  // empty: it has none
};

class Loader {
 public:
  explicit Loader(const ConfigurationRequest& request)
      : request_(request),
        user_file_(request.home.empty() ? "" : absl::StrCat(request.home, kFileName)),
        trusted_(request.trusted_workspaces) {}

  absl::StatusOr<Configuration> Load() && {
    // What is trusted says whom else to trust, so the workspace's file is read last. It stands
    // second all the same.
    ABSL_ASSIGN_OR_RETURN(Part system, LoadTrusted("system", request_.system_file,
                                                   request_.no_system_rc, "no system file"));
    ABSL_ASSIGN_OR_RETURN(Part user,
                          LoadTrusted("user", user_file_, request_.no_home_rc, "HOME is not set"));
    std::vector<Part> named;
    for (const std::string& path : request_.rc_files) {
      ABSL_ASSIGN_OR_RETURN(Part part, LoadTrusted("--ingotrc", path, "", ""));
      if (part.sources.front().state == RcState::kAbsent) {
        return absl::InvalidArgumentError(
            absl::StrCat("--ingotrc=", path, ": there is no such file"));
      }
      named.push_back(std::move(part));
    }
    ABSL_ASSIGN_OR_RETURN(Part workspace, LoadWorkspace());
    Take(std::move(system));
    Take(std::move(workspace));
    Take(std::move(user));
    for (Part& part : named) Take(std::move(part));
    return std::move(configuration_);
  }

 private:
  // One file with all that it imports.
  struct Part {
    std::vector<RcSource> sources;  // the file first
    std::vector<RcLine> lines;
    bool trusted = true;
  };

  void Take(Part part) {
    for (RcSource& source : part.sources) {
      source.trusted = part.trusted;
      configuration_.sources.push_back(std::move(source));
    }
    for (RcLine& line : part.lines) {
      configuration_.lines.push_back({std::move(line), parts_, part.trusted});
    }
    ++parts_;
  }

  absl::StatusOr<Part> LoadTrusted(std::string kind, const std::string& path,
                                   const std::string& disabled, std::string why_no_path) {
    const bool was_asked_for = kind == "--ingotrc";
    Part part;
    part.sources.push_back({.kind = std::move(kind), .path = path});
    if (!disabled.empty()) {
      part.sources[0].state = RcState::kDisabled;
      part.sources[0].reason = disabled;
      return part;
    }
    if (path.empty()) {
      part.sources[0].reason = std::move(why_no_path);
      return part;
    }
    absl::StatusOr<std::vector<RcLine>> lines = ReadRcFile(
        path,
        [&](const std::string& file,
            const std::string& imported_at) -> absl::StatusOr<std::string> {
          absl::StatusOr<OpenedText> opened =
              ReadText(file, was_asked_for ? Allowed::kAnything : Allowed::kAllButPipes);
          if (!imported_at.empty()) {
            part.sources.push_back({.kind = "import",
                                    .path = file,
                                    .state = opened.ok() ? RcState::kRead : RcState::kAbsent});
          } else if (!was_asked_for && !opened.ok() && !absl::IsNotFound(opened.status())) {
            // A home folder of somebody else, no file descriptor left: reasons to say so, not to
            // compile nothing.
            part.sources[0].state = RcState::kIgnored;
            part.sources[0].reason = std::string(opened.status().message());
            configuration_.warnings.push_back(part.sources[0].reason);
            return "";
          }
          if (!opened.ok()) return opened.status();
          return std::move(opened->text);
        },
        [this] { return FindWorkspace().folder; });
    if (absl::IsNotFound(lines.status())) return part;
    if (!lines.ok()) return lines.status();
    if (part.sources[0].state != RcState::kIgnored) part.sources[0].state = RcState::kRead;
    part.lines = *std::move(lines);
    for (const RcLine& line : part.lines) ABSL_RETURN_IF_ERROR(CollectTrust(line));
    return part;
  }

  // Takes the folders that a line of a trusted file names. Not those of a --config, which would
  // make trust depend on what is yet to be read.
  absl::Status CollectTrust(const RcLine& line) {
    if (!line.config.empty()) return absl::OkStatus();
    for (std::size_t i = 0; i < line.words.size(); ++i) {
      std::string_view word = line.words[i];
      if (!absl::ConsumePrefix(&word, kTrustOption)) continue;
      if (word.empty() && i + 1 < line.words.size()) {
        word = line.words[i + 1];
      } else if (!absl::ConsumePrefix(&word, "=")) {
        continue;
      }
      // In a file, `.` would mean whichever source tree somebody happens to be in.
      if (!word.empty() && !absl::StartsWith(word, "/")) {
        return absl::InvalidArgumentError(
            absl::StrCat(line.Place(), ": ", kTrustOption, "=", word, " is no absolute path"));
      }
      trusted_.emplace_back(word);
    }
    return absl::OkStatus();
  }

  bool IsTrusted(const std::string& workspace) const {
    const std::string real = RealPath(workspace);
    return std::any_of(trusted_.begin(), trusted_.end(), [&real](std::string_view trusted) {
      if (trusted.empty()) return false;
      const bool all_below = absl::ConsumeSuffix(&trusted, "/...");
      const std::string folder = RealPath(trusted.empty() ? "/" : std::string(trusted));
      return real == folder || (all_below && IsInside(real, folder));
    });
  }

  // The nearest folder that has an rc file or is the root of a Bazel workspace.
  Workspace FindWorkspace() const {
    for (const std::string& folder : FolderAndThoseAbove(request_.working_directory)) {
      const std::string file = absl::StrCat(folder, kFileName);
      const bool has_rc_file = IsWorkspaceFile(file);
      if (!has_rc_file && !IsMarked(folder)) continue;
      return {.folder = folder.empty() ? "/" : folder, .rc_file = has_rc_file ? file : ""};
    }
    return {};
  }

  // The user's own file lies above most working directories, but makes no workspace of the home
  // folder.
  bool IsWorkspaceFile(const std::string& file) const {
    return Exists(file) && (user_file_.empty() || RealPath(file) != RealPath(user_file_));
  }

  static bool IsMarked(const std::string& folder) {
    return std::any_of(kMarkers.begin(), kMarkers.end(), [&folder](std::string_view marker) {
      return Exists(absl::StrCat(folder, marker));
    });
  }

  // Whether there is an rc file at all: what is asked first, since mostly there is none and the
  // other names need no look then.
  bool MayHaveWorkspaceFile() const {
    const std::vector<std::string> folders = FolderAndThoseAbove(request_.working_directory);
    return std::any_of(folders.begin(), folders.end(), [this](const std::string& folder) {
      return IsWorkspaceFile(absl::StrCat(folder, kFileName));
    });
  }

  absl::StatusOr<Part> LoadWorkspace() {
    Part part;
    part.sources.push_back({.kind = "workspace"});
    if (!request_.no_workspace_rc.empty()) {
      part.sources[0].state = RcState::kDisabled;
      part.sources[0].reason = request_.no_workspace_rc;
      return part;
    }
    const Workspace workspace = MayHaveWorkspaceFile() ? FindWorkspace() : Workspace();
    if (workspace.rc_file.empty()) {
      part.sources[0].reason = "no .ingotrc from the working directory up to the workspace's root";
      return part;
    }
    configuration_.workspace = workspace.folder;
    part.sources[0].path = workspace.rc_file;
    part.trusted = IsTrusted(workspace.folder);
    const std::string real_folder = RealPath(workspace.folder);
    absl::StatusOr<std::vector<RcLine>> lines = ReadRcFile(
        workspace.rc_file,
        [&](const std::string& file, const std::string& imported_at) {
          return ReadWorkspaceText(file, imported_at, workspace.folder, real_folder, part);
        },
        [&workspace] { return workspace.folder; });
    if (!lines.ok() && !absl::IsNotFound(lines.status())) return lines.status();
    if (lines.ok()) part.lines = *std::move(lines);
    return part;
  }

  // The text of the workspace's file or of one that it imports; nothing, with a warning, of one
  // that may not be read.
  absl::StatusOr<std::string> ReadWorkspaceText(const std::string& file,
                                                const std::string& imported_at,
                                                const std::string& folder,
                                                const std::string& real_folder, Part& part) {
    if (!imported_at.empty()) part.sources.push_back({.kind = "import", .path = file});
    RcSource& source = part.sources.back();
    if (!part.trusted && !imported_at.empty() && !IsInside(RealPath(file), real_folder)) {
      return Ignore(source, folder, imported_at, "it is outside of the workspace");
    }
    absl::StatusOr<OpenedText> opened =
        ReadText(file, part.trusted ? Allowed::kAllButPipes : Allowed::kRegularFile);
    if (absl::IsNotFound(opened.status())) return opened.status();
    if (!opened.ok()) {
      // What cannot be read in somebody's source tree is no reason to stop.
      return Ignore(source, folder, imported_at, std::string(opened.status().message()));
    }
    if (!part.trusted) {
      const struct stat& status = opened->status;
      if (status.st_uid != geteuid() && status.st_uid != 0) {
        return Ignore(source, folder, imported_at,
                      absl::StrCat("it belongs to another user (", status.st_uid, ")"));
      }
      if ((status.st_mode & S_IWOTH) != 0) {
        return Ignore(source, folder, imported_at, "everybody may write to it");
      }
    }
    source.state = RcState::kRead;
    return std::move(opened->text);
  }

  std::string Ignore(RcSource& source, const std::string& folder, const std::string& imported_at,
                     std::string reason) {
    source.state = RcState::kIgnored;
    source.reason = std::move(reason);
    configuration_.warnings.push_back(
        absl::StrCat(imported_at.empty() ? "" : absl::StrCat(imported_at, ": "), source.path,
                     " is ignored: ", source.reason, "; ", HowToTrust(folder)));
    return "";
  }

  const ConfigurationRequest& request_;
  const std::string user_file_;
  std::vector<std::string> trusted_;
  Configuration configuration_;
  int parts_ = 0;
};

}  // namespace

std::string_view RcStateName(RcState state) {
  switch (state) {
    case RcState::kRead:
      return "read";
    case RcState::kAbsent:
      return "absent";
    case RcState::kIgnored:
      return "ignored";
    case RcState::kDisabled:
      return "disabled";
  }
  return "unknown";
}

absl::StatusOr<Configuration> LoadConfiguration(const ConfigurationRequest& request) {
  return Loader(request).Load();
}

std::string HowToTrust(std::string_view folder) {
  return absl::StrCat("if you trust this source tree, put `common ", kTrustOption, "=",
                      folder.empty() ? "/" : folder, "` into ~/.ingotrc");
}

}  // namespace ingot::driver
