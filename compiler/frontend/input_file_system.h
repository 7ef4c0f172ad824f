// The only files that Clang sees: the main source, what it includes and the toolchain's own
// headers.
//
//   auto files = llvm::makeIntrusiveRefCnt<InputFileSystem>(
//       FileSources{.canonical = true, .host_roots = {{"src", "/home/me/lib"}}},
//       llvm::MemoryBufferRef(text, "src/k.c"));
//   … compile with it …
//   std::string record = FormatDependencies(files->dependencies());
//
// Clang asks for paths of an Action's input root (compiler/invocation/dependencies.h). With
// `host_roots` they are looked for where the user has them, and every answer is recorded: the
// SHA-256 of the very bytes that Clang gets, and what was not there. Without, they are looked for
// at their canonical paths below the working directory, as on a remote worker; both give Clang the
// same answers. Without `canonical`, as under Bazel, a path is a path below the working directory;
// what is elsewhere may not be read, the main source apart.
//
// What makes an answer depend on the machine is left out: times are zero, the working directory is
// a constant, folders cannot be listed.

#ifndef INGOT_COMPILER_FRONTEND_INPUT_FILE_SYSTEM_H_
#define INGOT_COMPILER_FRONTEND_INPUT_FILE_SYSTEM_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "compiler/invocation/dependencies.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace ingot::compiler {

// Where files come from.
struct FileSources {
  bool canonical = false;
  std::vector<HostRoot> host_roots;    // empty: canonical paths below the working directory
  std::set<std::string> system_roots;  // those of -isystem and -idirafter
};

// Not thread safe. The main source and all buffers that were given out must outlive their use: this
// object owns the latter.
class InputFileSystem final : public llvm::vfs::FileSystem {
 public:
  // `main_source` is called by its identifier and never looked for.
  InputFileSystem(FileSources sources, llvm::MemoryBufferRef main_source);
  ~InputFileSystem() override;

  // What was asked until now.
  const Dependencies& dependencies() const { return dependencies_; }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine& path, std::error_code& error) override;
  std::error_code setCurrentWorkingDirectory(const llvm::Twine& path) override;
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override;
  std::error_code getRealPath(const llvm::Twine& path,
                              llvm::SmallVectorImpl<char>& output) override;

 private:
  // What is at a path. Answers do not change while this object lives.
  struct Answer {
    std::error_code error;  // of a lookup that found no file and no directory
    llvm::vfs::Status status;
    llvm::StringRef contents;
  };

  const Answer& Ask(const llvm::Twine& path);
  Answer Find(const std::string& requested);
  Answer FindOnDisk(const std::string& requested, const std::string& place, bool is_recorded);
  void Refuse(const std::string& requested, const std::string& why);

  const FileSources sources_;
  const llvm::MemoryBufferRef main_source_;
  Dependencies dependencies_;
  std::map<std::string, Answer> answers_;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> buffers_;
};

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_FRONTEND_INPUT_FILE_SYSTEM_H_
