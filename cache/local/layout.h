// The shape of a local store's folder, for those who walk through it or delete from it.
//
//   ROOT/ac/hh/HASH, ROOT/cas/hh/HASH    Ingot's, and Bazel's with SHA-256
//   ROOT/FUNCTION/{ac,cas}/hh/HASH       Bazel's with another digest function, such as blake3
//   ROOT/tmp, ROOT/gc                    files being written; the lock of garbage collections
//
//   ABSL_RETURN_IF_ERROR(CheckHasShapeOfStore(root));  // before deleting anything below `root`

#ifndef INGOT_CACHE_LOCAL_LAYOUT_H_
#define INGOT_CACHE_LOCAL_LAYOUT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ingot::cache {

// What the top folder of a store holds.
struct StoreFolders {
  // "ac", "cas", "blake3/ac" and so on: those of ac and cas that are there, each before its blobs.
  std::vector<std::string> folders;
  // Names that no store has: other people's.
  std::vector<std::string> unknown;
};

// True for two lowercase hexadecimal digits, the folders in `ac` and `cas`.
bool IsShardName(std::string_view name);

// True for what may be the name of a file in the shard `shard`: the digits of a hash, SHA-256's or
// another digest function's, of which the shard has the first two.
bool IsStoredName(std::string_view name, std::string_view shard);

// True for what names the folder of another digest function in Bazel's layout.
bool IsDigestFunctionFolder(std::string_view name);

// Lists the top of the store at `root`. NotFound if there is nothing; FailedPrecondition if it is
// not a folder.
absl::StatusOr<StoreFolders> ListStoreFolders(const std::string& root);

// FailedPrecondition, naming what does not belong there, unless the folder `root` holds nothing but
// what a store may hold, down to the names of the files in the shards of ac and cas. An empty
// folder is an empty store. NotFound if there is nothing.
absl::Status CheckHasShapeOfStore(const std::string& root);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOCAL_LAYOUT_H_
