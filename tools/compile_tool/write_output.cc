#include "tools/compile_tool/write_output.h"

#include <system_error>

#include "absl/strings/str_cat.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
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

  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(path + ".tmp-%%%%%%%%");
  if (!file) return CannotWrite(path, llvm::toString(file.takeError()));
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
    stream << llvm::StringRef(bytes.data(), bytes.size());
    stream.flush();
    error = stream.error();
    stream.clear_error();
  }
  if (error) {
    llvm::consumeError(file->discard());
    return CannotWrite(path, error.message());
  }
  if (llvm::Error renamed = file->keep(path)) {
    return CannotWrite(path, llvm::toString(std::move(renamed)));
  }
  return absl::OkStatus();
}

}  // namespace ingot::compile_tool
