#include "tools/compile_tool/write_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace ingot::compile_tool {
namespace {

absl::Status CannotWrite(const std::string& path, std::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat("cannot write '", path, "': ", reason));
}

absl::Status WriteInPlace(const std::string& path, std::string_view bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);  // knows "-"
  if (!error) {
    stream << llvm::StringRef(bytes.data(), bytes.size());
    stream.flush();
    error = stream.error();
    stream.clear_error();  // else its destructor ends the process
  }
  return error ? CannotWrite(path, error.message()) : absl::OkStatus();
}

}  // namespace

absl::Status WriteOutput(const std::string& path, std::string_view bytes) {
  llvm::sys::fs::file_status status;
  if (path == "-" || (!llvm::sys::fs::status(path, status) &&
                      status.type() != llvm::sys::fs::file_type::regular_file &&
                      status.type() != llvm::sys::fs::file_type::directory_file)) {
    return WriteInPlace(path, bytes);
  }
  if (llvm::sys::fs::is_directory(status)) return CannotWrite(path, "it is a directory");

  // A short name, since `path` may be as long as a name can be; and mkstemp, since LLVM's own
  // temporary files take any percent sign of the folder's name for a place to fill in.
  llvm::SmallString<256> model(llvm::sys::path::parent_path(path));
  llvm::sys::path::append(model, ".ingot-XXXXXX");
  std::string temporary(model);
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return CannotWrite(path, std::strerror(errno));
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(fd, /*shouldClose=*/true);
    stream << llvm::StringRef(bytes.data(), bytes.size());
    stream.flush();
    error = stream.error();
    stream.clear_error();
    const mode_t mask = umask(0);  // this process has one thread
    umask(mask);
    if (!error && fchmod(fd, 0666 & ~mask) != 0)
      error = std::error_code(errno, std::generic_category());
  }
  if (!error) error = llvm::sys::fs::rename(temporary, path);
  if (!error) return absl::OkStatus();
  unlink(temporary.c_str());
  return CannotWrite(path, error.message());
}

}  // namespace ingot::compile_tool
