// A clean slate: a store without results, at once, while others go on using it.
//
//   absl::StatusOr<Removed> removed = ResetStore(root);
//
// The folders `ac` and `cas` are renamed into ROOT/tmp, then what they hold is deleted there. A
// rename is one step for everybody: whoever reads finds the old store or an empty one, and whoever
// writes makes the folders again. A file that is open stays readable to the end.
//
// `ac` goes first. In between there are blobs without entries, which nobody can see; the other way
// round every entry would for a moment name blobs that are gone, and every reader would report and
// repair it. What remains possible is one result being published while both renames happen: its
// blobs in the old `cas`, its entry in the new `ac`. That entry is incomplete, which costs the next
// who asks for it a compilation that overwrites it, as with any incomplete entry.
//
// If this process dies meanwhile, the next write, collection or reset deletes the rest
// (RemoveAbandonedFiles).

#ifndef INGOT_CACHE_LOCAL_RESET_H_
#define INGOT_CACHE_LOCAL_RESET_H_

#include <string>

#include "absl/status/statusor.h"
#include "cache/local/remove_tree.h"

namespace ingot::cache {

// Removes every result of the store at `root` and returns how much that was. Leaves alone what is
// not Ingot's: `gc`, other digest functions' folders, Bazel's temporary files.
//
// NotFound if there is nothing at `root`; FailedPrecondition, with nothing deleted, if it does not
// look like a store (cache/local/layout.h); the system's own error if a folder cannot be moved
// (PermissionDenied for a store that is read-only) or what was moved cannot be deleted, naming the
// path.
absl::StatusOr<Removed> ResetStore(const std::string& root);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOCAL_RESET_H_
