#include "compiler/plan/source_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cache/digest.h"
#include "compiler/invocation/dependencies.h"

namespace ingot::compiler {
namespace {

// `target` as seen from the folder of `link`; both canonical.
std::string RelativeTarget(std::string_view link, std::string_view target) {
  const std::vector<std::string_view> from = absl::StrSplit(link, '/');
  const std::vector<std::string_view> to = absl::StrSplit(target, '/');
  const std::size_t shared = static_cast<std::size_t>(
      std::mismatch(from.begin(), from.end() - 1, to.begin(), to.end() - 1).first - from.begin());
  std::string relative;
  for (std::size_t i = shared; i + 1 < from.size(); ++i) relative += "../";
  absl::StrAppend(&relative,
                  absl::StrJoin(to.begin() + static_cast<std::ptrdiff_t>(shared), to.end(), "/"));
  return relative;
}

absl::Status Conflict(std::string_view path, std::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("a result cannot be stored, since the name ", path, " ", why));
}

}  // namespace

absl::StatusOr<SourceTree> BuildSourceTree(const Dependencies& dependencies) {
  if (!dependencies.conflict.empty()) {
    return absl::FailedPreconditionError(dependencies.conflict);
  }
  using FileId = std::pair<uint64_t, uint64_t>;
  SourceTree tree;
  tree.nodes.reserve(dependencies.files.size() + 1);
  std::unordered_map<std::string, FileId> by_path;
  by_path.reserve(dependencies.files.size());
  std::map<FileId, std::size_t> first_nodes;  // which of the tree's is the file's first
  for (const ReadFile& file : dependencies.files) {
    const FileId id = {file.identity.device, file.identity.inode};
    std::string path = CanonicalPath(file.requested);
    const auto [place, is_new] = by_path.try_emplace(path, id);
    if (!is_new) {
      if (place->second != id) return Conflict(path, "stands for two files, because of symlinks");
      continue;
    }
    const auto [first, is_first] = first_nodes.try_emplace(id, tree.nodes.size());
    SourceTree::Node& node = tree.nodes.emplace_back();
    if (is_first) {
      node.digest = {file.sha256, static_cast<int64_t>(file.identity.size)};
    } else {
      node.symlink_target = RelativeTarget(path, tree.nodes[first->second].path);
    }
    node.path = std::move(path);
  }
  for (const Absence& absence : dependencies.absences) {
    const std::string path = CanonicalPath(absence.requested);
    if (by_path.contains(path)) return Conflict(path, "was there at one time and not at another");
  }
  const std::string absences = FormatAbsences(dependencies.absences);
  tree.nodes.push_back({std::string(kAbsencesPath), cache::Sha256(absences), {}});
  return tree;
}

}  // namespace ingot::compiler
