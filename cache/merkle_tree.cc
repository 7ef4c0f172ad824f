#include "cache/merkle_tree.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cache/digest.h"
#include "cache/path.h"
#include "cache/reapi.h"
#include "cache/utf8.h"

namespace ingot::cache {

namespace {

// Lets a map of strings be asked with a view.
struct NameHash : std::hash<std::string_view> {
  using is_transparent = void;
};

}  // namespace

struct MerkleTree::Node {
  enum class Kind { kFile, kSymlink, kDirectory, kEncodedDirectory };

  Kind kind = Kind::kDirectory;
  Digest digest;               // of a kFile or kEncodedDirectory
  bool is_executable = false;  // of a kFile
  std::string target;          // of a kSymlink
  // Of a kDirectory.
  std::unordered_map<std::string, std::unique_ptr<Node>, NameHash, std::equal_to<>> children;

  // std::string_view compares as unsigned bytes, which is the order that the protocol asks for.
  std::vector<std::pair<std::string_view, const Node*>> InOrder() const {
    std::vector<std::pair<std::string_view, const Node*>> sorted;
    sorted.reserve(children.size());
    for (const auto& [name, child] : children) sorted.emplace_back(name, child.get());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  // Encodes this directory and those below it, appending each one that `seen` does not hold to
  // `directories`, children before parents.
  Digest Encode(std::set<Digest>& seen, std::vector<EncodedDirectory>& directories) const {
    reapi::Directory message;
    for (const auto& [name, child] : InOrder()) {
      switch (child->kind) {
        case Kind::kFile: {
          reapi::FileNode& node = *message.add_files();
          node.set_name(std::string(name));
          ToProto(child->digest, *node.mutable_digest());
          node.set_is_executable(child->is_executable);
          break;
        }
        case Kind::kSymlink: {
          reapi::SymlinkNode& node = *message.add_symlinks();
          node.set_name(std::string(name));
          node.set_target(child->target);
          break;
        }
        case Kind::kDirectory:
        case Kind::kEncodedDirectory: {
          reapi::DirectoryNode& node = *message.add_directories();
          node.set_name(std::string(name));
          ToProto(
              child->kind == Kind::kDirectory ? child->Encode(seen, directories) : child->digest,
              *node.mutable_digest());
          break;
        }
      }
    }
    std::string bytes = message.SerializeAsString();
    Digest own = Sha256(bytes);
    if (seen.insert(own).second) directories.push_back({own, std::move(bytes)});
    return own;
  }
};

namespace {

absl::Status CannotAdd(std::string_view path, std::string_view by) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", absl::CHexEscape(path), "' cannot be added to the input root: ", by));
}

absl::Status ValidateDigest(std::string_view path, const Digest& digest) {
  if (IsSha256Hex(digest.hash) && digest.size_bytes >= 0) return absl::OkStatus();
  return CannotAdd(path,
                   absl::StrCat("'", absl::CHexEscape(digest.ToString()), "' is not a digest"));
}

absl::Status ValidateTarget(std::string_view path, std::string_view target) {
  const auto invalid = [&](std::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("symlink '", absl::CHexEscape(path), "' to '",
                                                   absl::CHexEscape(target), "': ", why));
  };
  if (target.empty()) return invalid("the target is empty");
  if (!IsValidUtf8(target)) return invalid("the target is not valid UTF-8");
  if (target.find('\0') != std::string_view::npos) return invalid("the target holds a NUL byte");
  if (target.front() == '/') return invalid("the target is absolute; give a relative one");
  // Forbidden in the canonical form (remote_execution.proto, SymlinkNode).
  if (absl::StrContains(target, "//") || absl::StrContains(target, "/./")) {
    return invalid("the target holds '//' or '/./'");
  }
  auto depth = std::count(path.begin(), path.end(), '/');
  for (std::string_view segment : absl::StrSplit(target, '/')) {
    if (segment == "..") {
      if (--depth < 0) return invalid("the target lies outside the input root");
    } else if (segment != ".") {
      ++depth;
    }
  }
  return absl::OkStatus();
}

}  // namespace

MerkleTree::MerkleTree() : root_(std::make_unique<Node>()) {}
MerkleTree::~MerkleTree() = default;
MerkleTree::MerkleTree(MerkleTree&&) noexcept = default;
MerkleTree& MerkleTree::operator=(MerkleTree&&) noexcept = default;

absl::Status MerkleTree::Insert(std::string_view path, std::unique_ptr<Node> node) {
  if (absl::Status valid = ValidateRelativePath(path); !valid.ok()) return valid;
  const std::vector<std::string_view> segments = absl::StrSplit(path, '/');

  // First only look, so that a path that cannot be added leaves no directories behind.
  Node* present = root_.get();
  size_t depth = 0;
  size_t end = 0;
  for (; depth < segments.size(); ++depth) {
    const auto found = present->children.find(segments[depth]);
    if (found == present->children.end()) break;
    end += (end > 0) + segments[depth].size();
    present = found->second.get();
    if (end == path.size()) {
      const bool both_directories =
          present->kind == Node::Kind::kDirectory && node->kind == Node::Kind::kDirectory;
      if (both_directories) return absl::OkStatus();
      return CannotAdd(path, "this path is there already");
    }
    switch (present->kind) {
      case Node::Kind::kDirectory:
        break;
      case Node::Kind::kEncodedDirectory:
        return CannotAdd(path,
                         absl::StrCat("'", path.substr(0, end),
                                      "' is a directory given by its digest, which is complete"));
      case Node::Kind::kFile:
      case Node::Kind::kSymlink:
        return CannotAdd(path, absl::StrCat("'", path.substr(0, end), "' is not a directory"));
    }
  }

  for (; depth + 1 < segments.size(); ++depth) {
    std::unique_ptr<Node>& child = present->children[std::string(segments[depth])];
    child = std::make_unique<Node>();
    present = child.get();
  }
  present->children[std::string(segments.back())] = std::move(node);
  return absl::OkStatus();
}

absl::Status MerkleTree::AddFile(std::string_view path, const Digest& digest, bool is_executable) {
  if (absl::Status valid = ValidateDigest(path, digest); !valid.ok()) return valid;
  auto node = std::make_unique<Node>();
  node->kind = Node::Kind::kFile;
  node->digest = digest;
  node->is_executable = is_executable;
  return Insert(path, std::move(node));
}

absl::Status MerkleTree::AddSymlink(std::string_view path, std::string_view target) {
  if (absl::Status valid = ValidateTarget(path, target); !valid.ok()) return valid;
  auto node = std::make_unique<Node>();
  node->kind = Node::Kind::kSymlink;
  node->target = std::string(target);
  return Insert(path, std::move(node));
}

absl::Status MerkleTree::AddDirectory(std::string_view path, const Digest& digest) {
  if (absl::Status valid = ValidateDigest(path, digest); !valid.ok()) return valid;
  auto node = std::make_unique<Node>();
  node->kind = Node::Kind::kEncodedDirectory;
  node->digest = digest;
  return Insert(path, std::move(node));
}

absl::Status MerkleTree::AddEmptyDirectory(std::string_view path) {
  return Insert(path, std::make_unique<Node>());
}

EncodedTree MerkleTree::Encode() const {
  EncodedTree tree;
  std::set<Digest> seen;
  tree.root_digest = root_->Encode(seen, tree.directories);
  std::reverse(tree.directories.begin(), tree.directories.end());
  return tree;
}

}  // namespace ingot::cache
