#include "compiler/frontend/input_file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "compiler/frontend/resource_headers.h"
#include "compiler/invocation/dependencies.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace ingot::compiler {
namespace {

using llvm::sys::fs::file_type;
using llvm::sys::fs::UniqueID;
using llvm::vfs::Status;

// Clang is told that it works here, where nothing is.
constexpr llvm::StringRef kWorkingDirectory = "/ingot";

// Devices that no file is on, so that no file has the identity of what is in memory.
constexpr uint64_t kMemoryDevice = ~uint64_t{0};
constexpr uint64_t kResourceDevice = kMemoryDevice - 1;
constexpr uint64_t kRootDevice = kMemoryDevice - 2;

// How often a file is read again that changes while it is read.
constexpr int kAttempts = 3;

Status MakeStatus(llvm::StringRef name, UniqueID id, uint64_t size, file_type type) {
  return {name,
          id,
          llvm::sys::TimePoint<>(),
          /*User=*/0,
          /*Group=*/0,
          size,
          type,
          type == file_type::directory_file ? llvm::sys::fs::all_read | llvm::sys::fs::all_exe
                                            : llvm::sys::fs::all_read};
}

int64_t Nanoseconds(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileIdentity IdentityOf(const struct stat& status) {
  return {.device = static_cast<uint64_t>(status.st_dev),
          .inode = static_cast<uint64_t>(status.st_ino),
          .size = static_cast<uint64_t>(status.st_size),
          .mtime_ns = Nanoseconds(status.st_mtim),
          .ctime_ns = Nanoseconds(status.st_ctim)};
}

bool IsNullDevice(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

std::error_code Errno() { return {errno, std::generic_category()}; }

bool IsAbsence(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

// Clang's places in a source have 31 bits.
constexpr uint64_t kMostBytes = (uint64_t{1} << 31) - 1;

struct Contents {
  std::unique_ptr<llvm::MemoryBuffer> buffer;  // null for a directory
  FileIdentity identity;
};

// Reads until the end; `size` is a guess.
std::unique_ptr<llvm::MemoryBuffer> ReadAll(int fd, std::size_t size, const std::string& name) {
  std::string bytes;
  bytes.reserve(size + 1);
  while (true) {
    constexpr std::size_t kChunk = 64 << 10;
    const std::size_t have = bytes.size();
    bytes.resize(have + (have < size ? size - have : kChunk));
    const ssize_t count = read(fd, bytes.data() + have, bytes.size() - have);
    if (count < 0 && errno != EINTR) return nullptr;
    bytes.resize(have + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count == 0) return llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
  }
}

// What is at `path`. FIFOs and devices could keep a compiler waiting, and hold nothing that a key
// could have: they are refused, all but the null device, which is empty.
llvm::ErrorOr<Contents> ReadFromDisk(const std::string& path, const std::string& name) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return Errno();
    const absl::Cleanup close_file = [fd] { close(fd); };
    struct stat before = {};
    if (fstat(fd, &before) != 0) return Errno();
    Contents contents{.buffer = nullptr, .identity = IdentityOf(before)};
    if (S_ISDIR(before.st_mode)) return contents;
    if (!S_ISREG(before.st_mode) && !IsNullDevice(before)) {
      return std::make_error_code(std::errc::operation_not_supported);
    }
    if (contents.identity.size > kMostBytes) return std::make_error_code(std::errc::file_too_large);
    contents.buffer = ReadAll(fd, contents.identity.size, name);
    if (contents.buffer == nullptr) return Errno();
    struct stat after = {};
    if (fstat(fd, &after) == 0 && IdentityOf(after) == contents.identity &&
        contents.buffer->getBufferSize() == contents.identity.size) {
      return contents;
    }
  }
  return std::make_error_code(std::errc::text_file_busy);
}

std::string Sha256Of(llvm::StringRef bytes) {
  llvm::SHA256 hasher;
  hasher.update(bytes);
  return llvm::toHex(hasher.final(), /*LowerCase=*/true);
}

// Whether a path below the working directory stays there.
bool StaysBelow(llvm::StringRef path) {
  int depth = 0;
  for (const std::string_view part : absl::StrSplit(std::string_view(path), '/')) {
    if (part == "..") {
      if (--depth < 0) return false;
    } else if (!part.empty() && part != ".") {
      ++depth;
    }
  }
  return true;
}

class OpenFile final : public llvm::vfs::File {
 public:
  OpenFile(Status status, llvm::StringRef contents)
      : status_(std::move(status)), contents_(contents) {}

  llvm::ErrorOr<Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name,
                                                               int64_t /*size*/,
                                                               bool /*null_terminated*/,
                                                               bool /*is_volatile*/) override {
    return llvm::MemoryBuffer::getMemBuffer(contents_, name.str());
  }
  std::error_code close() override { return {}; }

 private:
  const Status status_;
  const llvm::StringRef contents_;
};

}  // namespace

InputFileSystem::InputFileSystem(FileSources sources, llvm::MemoryBufferRef main_source)
    : sources_(std::move(sources)), main_source_(main_source) {}

InputFileSystem::~InputFileSystem() = default;

const InputFileSystem::Answer& InputFileSystem::Ask(const llvm::Twine& path) {
  std::string requested = path.str();
  llvm::StringRef below = requested;
  if (below.consume_front(kWorkingDirectory) && below.consume_front("/")) requested = below.str();
  while (absl::StartsWith(requested, "./")) {
    requested.erase(0, requested.find_first_not_of('/', 1));
  }
  const auto known = answers_.find(requested);
  if (known != answers_.end()) return known->second;
  return answers_.emplace(requested, Find(requested)).first->second;
}

InputFileSystem::Answer InputFileSystem::Find(const std::string& requested) {
  Answer nothing{.error = std::make_error_code(std::errc::no_such_file_or_directory)};
  if (requested == ".") {
    // Clang takes for granted that the working directory exists.
    return {.status =
                MakeStatus(requested, UniqueID(kRootDevice, 0), 0, file_type::directory_file)};
  }
  if (requested == main_source_.getBufferIdentifier()) {
    return {.status = MakeStatus(requested, UniqueID(kMemoryDevice, 1),
                                 main_source_.getBufferSize(), file_type::regular_file),
            .contents = main_source_.getBuffer()};
  }
  if (IsResourcePath(requested)) {
    const std::optional<ResourceHeader> header = FindResourceHeader(requested);
    if (!header.has_value()) return nothing;
    return {.status = MakeStatus(
                requested, UniqueID(kResourceDevice, header->number), header->contents.size(),
                header->is_directory ? file_type::directory_file : file_type::regular_file),
            .contents = header->contents};
  }
  if (!sources_.canonical) {
    if (requested == llvm::sys::path::parent_path(main_source_.getBufferIdentifier())) {
      // Clang looks for the folder of a file before the file.
      return {.status =
                  MakeStatus(requested, UniqueID(kMemoryDevice, 2), 0, file_type::directory_file)};
    }
    // Not "not found": somebody who sees the file there would not believe it.
    if (absl::StartsWith(requested, "/")) {
      return {.error = std::make_error_code(std::errc::operation_not_permitted)};
    }
    // It may be found from another folder of the search path.
    if (!StaysBelow(requested)) return nothing;
    return FindOnDisk(requested, requested, /*is_recorded=*/false);
  }
  const RootedPath path = SplitRoot(requested);
  if (path.root.empty()) return nothing;
  if (path.rest.empty() && path.root != "/") {
    // A root exists even where the user's folder does not: what is looked for in it is not there.
    return {.status = MakeStatus(requested, UniqueID(kRootDevice, answers_.size() + 1), 0,
                                 file_type::directory_file)};
  }
  if (sources_.host_roots.empty()) {
    return FindOnDisk(requested, CanonicalPath(requested), /*is_recorded=*/true);
  }
  if (path.root == "/") return FindOnDisk(requested, requested, /*is_recorded=*/true);
  for (const HostRoot& root : sources_.host_roots) {
    if (root.root == path.root) {
      return FindOnDisk(requested, absl::StrCat(root.folder, "/", path.rest), true);
    }
  }
  Refuse(requested, "is below a folder that was not named");
  return nothing;
}

InputFileSystem::Answer InputFileSystem::FindOnDisk(const std::string& requested,
                                                    const std::string& place, bool is_recorded) {
  llvm::ErrorOr<Contents> found = ReadFromDisk(place, requested);
  if (!found) {
    if (is_recorded) {
      if (IsAbsence(found.getError())) {
        dependencies_.absences.push_back({.requested = requested});
      } else {
        Refuse(requested, absl::StrCat("cannot be read: ", found.getError().message()));
      }
    }
    return {.error = found.getError()};
  }
  const UniqueID id(found->identity.device, found->identity.inode);
  if (found->buffer == nullptr) {
    if (is_recorded) {
      dependencies_.absences.push_back({.requested = requested, .directory = true});
    }
    return {.status = MakeStatus(requested, id, 0, file_type::directory_file)};
  }
  const llvm::StringRef contents = found->buffer->getBuffer();
  if (is_recorded) {
    dependencies_.files.push_back(
        {.requested = requested,
         .sha256 = Sha256Of(contents),
         .identity = found->identity,
         .system = sources_.system_roots.contains(std::string(SplitRoot(requested).root))});
  }
  buffers_.push_back(std::move(found->buffer));
  return {.status = MakeStatus(requested, id, contents.size(), file_type::regular_file),
          .contents = contents};
}

void InputFileSystem::Refuse(const std::string& requested, const std::string& why) {
  if (dependencies_.conflict.empty()) {
    dependencies_.conflict = absl::StrCat("no result can be stored, since ", requested, " ", why);
  }
}

llvm::ErrorOr<Status> InputFileSystem::status(const llvm::Twine& path) {
  const Answer& answer = Ask(path);
  if (answer.error) return answer.error;
  return Status::copyWithNewName(answer.status, path);
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> InputFileSystem::openFileForRead(
    const llvm::Twine& path) {
  const Answer& answer = Ask(path);
  if (answer.error) return answer.error;
  if (answer.status.isDirectory()) return std::make_error_code(std::errc::is_a_directory);
  return std::make_unique<OpenFile>(Status::copyWithNewName(answer.status, path), answer.contents);
}

llvm::vfs::directory_iterator InputFileSystem::dir_begin(const llvm::Twine& /*path*/,
                                                         std::error_code& error) {
  error = std::make_error_code(std::errc::operation_not_supported);
  return {};
}

std::error_code InputFileSystem::setCurrentWorkingDirectory(const llvm::Twine& path) {
  return path.str() == kWorkingDirectory ? std::error_code()
                                         : std::make_error_code(std::errc::operation_not_supported);
}

llvm::ErrorOr<std::string> InputFileSystem::getCurrentWorkingDirectory() const {
  return kWorkingDirectory.str();
}

std::error_code InputFileSystem::getRealPath(const llvm::Twine& path,
                                             llvm::SmallVectorImpl<char>& output) {
  output.clear();
  path.toVector(output);
  return {};
}

}  // namespace ingot::compiler
