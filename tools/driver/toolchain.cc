#include "tools/driver/toolchain.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cache/digest.h"
#include "cache/file_digest_memo.h"
#include "cache/merkle_tree.h"
#include "compiler/plan/compile_action.h"
#include "tools/driver/environment.h"

namespace ingot::driver {
namespace {

std::vector<std::string> Candidates(const Environment& environment, const std::string& directory) {
  if (!directory.empty()) return {directory};
  const std::filesystem::path here = std::filesystem::path(environment.executable).parent_path();
  return {
      (here / "../lib/ingot/toolchain").lexically_normal().string(),  // an installation
      (here / "../compile_tool").lexically_normal().string(),         // a build tree
  };
}

}  // namespace

absl::StatusOr<Toolchain> LoadToolchain(const Environment& environment,
                                        const std::string& directory, cache::FileDigestMemo& memo) {
  const std::vector<std::string> candidates = Candidates(environment, directory);
  for (const std::string& candidate : candidates) {
    std::error_code error;
    const std::filesystem::path tool =
        std::filesystem::absolute(candidate, error) / std::string(compiler::kCompileToolName);
    if (error || access(tool.c_str(), X_OK) != 0) continue;
    Toolchain toolchain{.compile_tool = tool.string()};
    if (stat(tool.c_str(), &toolchain.identity) != 0) continue;
    absl::StatusOr<cache::Digest> digest = memo.FileDigest(toolchain.compile_tool);
    if (!digest.ok()) return absl::InternalError(digest.status().message());
    toolchain.file_digest = *std::move(digest);
    cache::MerkleTree tree;
    if (absl::Status status = tree.AddFile(compiler::kCompileToolName, toolchain.file_digest,
                                           /*is_executable=*/true);
        !status.ok()) {
      return status;
    }
    toolchain.directory = std::move(tree.Encode().directories.front());
    return toolchain;
  }
  return absl::InternalError(
      absl::StrCat("the compile tool ", compiler::kCompileToolName, " is not in ",
                   absl::StrJoin(candidates, " or "),
                   "; reinstall Ingot, or name its folder with --toolchain or INGOT_TOOLCHAIN"));
}

bool IsUnchanged(const Toolchain& toolchain) {
  struct stat now = {};
  if (stat(toolchain.compile_tool.c_str(), &now) != 0) return false;
  const struct stat& then = toolchain.identity;
  const auto same_time = [](const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
  };
  // Anybody can set mtime; ctime only the kernel.
  return now.st_dev == then.st_dev && now.st_ino == then.st_ino && now.st_size == then.st_size &&
         same_time(now.st_mtim, then.st_mtim) && same_time(now.st_ctim, then.st_ctim);
}

}  // namespace ingot::driver
