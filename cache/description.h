// What a key is the key of: the Action read back, from its Command to every input file.
//
//   ABSL_ASSIGN_OR_RETURN(const Description then, ReadDescription(blob_store, key));
//   ABSL_ASSIGN_OR_RETURN(const Description now, DescribeAction(plan.encoded, plan.input_root));
//   std::vector<Difference> differences = Compare(then, now);  // cache/difference.h
//
// Input files are named by digest only; nobody stores their contents.

#ifndef INGOT_CACHE_DESCRIPTION_H_
#define INGOT_CACHE_DESCRIPTION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/action.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/merkle_tree.h"

namespace ingot::cache {

struct DescribedFile {
  Digest digest;
  bool is_executable = false;

  friend bool operator==(const DescribedFile&, const DescribedFile&) = default;
};

// An Action as far as it could be read. What others put into theirs and Ingot never does (a working
// directory, a timeout, symlinks) has its place here too: a store may be shared with Bazel.
struct Description {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment_variables;
  std::vector<std::string> output_paths;
  std::string working_directory;
  // Sorted; nothing where the Action has no platform.
  std::optional<PlatformProperties> platform;
  std::string salt;
  bool do_not_cache = false;
  // Of the Action; nothing where none is set.
  std::optional<double> timeout_seconds;

  Digest input_root;
  std::map<std::string, DescribedFile> files;   // by path in the input root
  std::map<std::string, std::string> symlinks;  // path -> target
  std::map<std::string, Digest> folders;        // every directory; the root is ""
  std::set<std::string> empty_folders;          // of those, the ones without anything in them
  std::set<std::string> unread_folders;         // and those whose Directory message cannot be had
  bool has_command = false;  // false: the Command could not be read, and its fields are empty
  // A sentence about each thing that could not be read or makes no sense, naming the file.
  std::vector<std::string> problems;
};

// What a Description may hold, however much a hostile tree promises: a tree of a few messages can
// name more files than a memory holds.
struct DescriptionLimits {
  std::size_t maximum_nodes = 200'000;  // files, symlinks and directories
  std::size_t maximum_depth = 64;
  int64_t maximum_message_bytes = int64_t{32} << 20;
};

// Reads the Action called `key` and all it refers to from `blob_store`. An error, the store's own
// or DataLoss, only if the Action itself cannot be had; whatever else is missing or damaged is a
// problem of the description.
absl::StatusOr<Description> ReadDescription(BlobStore& blob_store, const ActionKey& key,
                                            const DescriptionLimits& limits = {});

// The same for a request made now, from the messages themselves.
absl::StatusOr<Description> DescribeAction(const EncodedAction& action, const EncodedTree& tree);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_DESCRIPTION_H_
