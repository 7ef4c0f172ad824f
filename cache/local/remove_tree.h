// Removing folders with all they hold, a bounded number of files at a time.
//
//   int64_t budget = 1000;
//   Removed removed;
//   bool gone = RemoveTree(folder_fd, "ingot-0123…", budget, removed);
//
// Everything goes relative to open folders and no symlink is followed, so nothing outside the tree
// is touched whatever others do to it meanwhile.

#ifndef INGOT_CACHE_LOCAL_REMOVE_TREE_H_
#define INGOT_CACHE_LOCAL_REMOVE_TREE_H_

#include <cstdint>
#include <string>

namespace ingot::cache {

struct Removed {
  int64_t files = 0;
  int64_t bytes = 0;
  int first_error = 0;  // errno of the first file or folder that could not be removed
};

// Removes `name`, a file or a folder, from the folder open as `parent`. Each thing removed takes
// one from `budget`; at zero it stops. True if `name` is gone. What vanishes meanwhile is no error;
// what others put into the tree meanwhile is removed too, unless they keep at it.
bool RemoveTree(int parent, const std::string& name, int64_t& budget, Removed& removed);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_LOCAL_REMOVE_TREE_H_
