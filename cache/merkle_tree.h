// The input root of an Action as the Remote Execution API's tree of Directory messages.
//
//   MerkleTree tree;
//   ABSL_RETURN_IF_ERROR(tree.AddFile("src/kernel.ll", Sha256(source), /*is_executable=*/false));
//   ABSL_RETURN_IF_ERROR(tree.AddDirectory("toolchain", toolchain_digest));
//   EncodedTree encoded = tree.Encode();
//   // encoded.root_digest goes into the Action
//
// The tree's bytes are canonical (remote_execution.proto, Directory): files, directories and
// symlinks each sorted by the UTF-8 bytes of their names, no node properties. The order of the
// calls leaves no trace.

#ifndef INGOT_CACHE_MERKLE_TREE_H_
#define INGOT_CACHE_MERKLE_TREE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cache/digest.h"

namespace ingot::cache {

// One encoded Directory message and its digest.
struct EncodedDirectory {
  Digest digest;
  std::string bytes;
};

// A tree ready for a content-addressable storage.
struct EncodedTree {
  Digest root_digest;

  // Every Directory message of the tree, each once, the root first; without those below a directory
  // that was given by its digest.
  std::vector<EncodedDirectory> directories;
};

// Collects the nodes of an input root. Movable, not thread-safe.
//
// Every Add function takes a path of ValidateRelativePath()'s form and makes the directories above
// it. It returns InvalidArgument, naming the path and changing nothing, for any other path, for
// one that is taken already (by a node of the same name, by a file or symlink where this path needs
// a directory, or by a directory given by its digest) and for a malformed digest.
class MerkleTree {
 public:
  MerkleTree();
  ~MerkleTree();
  MerkleTree(MerkleTree&&) noexcept;
  MerkleTree& operator=(MerkleTree&&) noexcept;

  absl::Status AddFile(std::string_view path, const Digest& digest, bool is_executable);

  // `target` is relative to the directory of the symlink and must stay inside the tree; no `/./`,
  // no `//`.
  absl::Status AddSymlink(std::string_view path, std::string_view target);

  // A whole subtree by the digest of its Directory message, such as the toolchain's, which is
  // computed once.
  absl::Status AddDirectory(std::string_view path, const Digest& digest);

  // A directory that exists even if nothing is added to it. Unlike the others it may name a
  // directory that is there.
  absl::Status AddEmptyDirectory(std::string_view path);

  // The tree as it stands. An empty tree encodes as the empty blob.
  EncodedTree Encode() const;

 private:
  struct Node;

  // Puts `node` at `path`, making the directories above it.
  absl::Status Insert(std::string_view path, std::unique_ptr<Node> node);

  std::unique_ptr<Node> root_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_MERKLE_TREE_H_
