// A private folder for one execution, which nobody ever has to delete by hand.
//
// The owner holds an advisory lock on the folder for as long as it lives; the kernel releases the
// lock when the owner dies, however it dies. Create() first removes folders whose owners are gone;
// it knows them by their names, and leaves all else in `parent` alone.
// The lock only serves this clean-up: no result depends on it.
//
//   absl::StatusOr<WorkDirectory> work = WorkDirectory::Create("/home/me/.local/state/ingot/work");
//   WriteSomething(work->path() + "/src/a.ll");
//   // removed when `work` goes out of scope

#ifndef INGOT_TOOLS_DRIVER_WORK_DIRECTORY_H_
#define INGOT_TOOLS_DRIVER_WORK_DIRECTORY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ingot::driver {

class WorkDirectory {
 public:
  // Makes a new folder below `parent`, which is created if need be. Thread safe; so are other
  // processes.
  static absl::StatusOr<WorkDirectory> Create(const std::string& parent);

  WorkDirectory(WorkDirectory&& other) noexcept;
  WorkDirectory& operator=(WorkDirectory&& other) = delete;
  ~WorkDirectory();

  // Absolute if `parent` was.
  const std::string& path() const { return path_; }

  // Moves the folder to `destination`, where it stays; replaces a folder of that name.
  absl::Status KeepAs(const std::string& destination) &&;

 private:
  WorkDirectory(std::string path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::string path_;
  int lock_fd_;
};

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_WORK_DIRECTORY_H_
