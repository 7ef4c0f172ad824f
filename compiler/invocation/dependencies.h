// What a compilation from source asked the file system: the files it read and the lookups that
// found nothing. The compile tool writes the record, the driver reads it; both link this library,
// which knows neither LLVM nor the cache.
//
//   Dependencies dependencies;
//   dependencies.files.push_back({.requested = "inc/0/../config.h", .sha256 = "9f86d0...",
//                                 .identity = {.size = 12}});
//   dependencies.absences.push_back({.requested = "src/config.h"});
//   std::string record = FormatDependencies(dependencies);
//   absl::StatusOr<Dependencies> same = ParseDependencies(record);
//   CanonicalPath("inc/0/../config.h");  // "up/inc/0/1/config.h"
//
// A *requested* path is what the compiler asked for, relative to a root: `src/…` for the folder of
// the main source, `inc/N/…` for the N-th folder of the search path, `/…` for an absolute path. It
// keeps its `..`, since on the user's machine only the kernel can say where they lead. A
// *canonical* path is where the file stands in the Action's input root.

#ifndef INGOT_COMPILER_INVOCATION_DEPENDENCIES_H_
#define INGOT_COMPILER_INVOCATION_DEPENDENCIES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ingot::compiler {

// What tells that a file is still the one that was read, as in cache/file_digest_memo.h.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;  // in bytes
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// A file that was read, or found to exist by `__has_include`.
struct ReadFile {
  std::string requested;
  std::string sha256;  // of the bytes that the compiler saw: 64 hexadecimal digits
  FileIdentity identity;
  bool system = false;  // found below a root of -isystem or -idirafter: -MM leaves it out

  friend bool operator==(const ReadFile&, const ReadFile&) = default;
};

// A lookup that found no file.
struct Absence {
  std::string requested;
  bool directory = false;  // a directory is there; otherwise nothing is

  friend bool operator==(const Absence&, const Absence&) = default;
};

struct Dependencies {
  std::vector<ReadFile> files;    // in the order of the first reading; the main source is not here
  std::vector<Absence> absences;  // in the order of the first lookup
  // Why no result may be published, for people; empty if nothing stands against it. For instance
  // two requested paths with one canonical path were different files.
  std::string conflict;

  friend bool operator==(const Dependencies&, const Dependencies&) = default;
};

// Where the file at `requested` stands in an input root. Lexical: `.`, empty components and `..`
// inside the root are resolved, `..` out of a root becomes `up/ROOT/LEVELS/…`, an absolute path
// becomes `abs/…`. Bytes that an input root cannot hold are written as "%XX". Pure.
std::string CanonicalPath(std::string_view requested);

// The root of a requested path ("src", "inc/0", or "/" for an absolute one) and what follows it,
// without a slash before it. Empty root: the path is below none, such as one of the toolchain's own
// headers.
struct RootedPath {
  std::string_view root;
  std::string_view rest;
};
RootedPath SplitRoot(std::string_view requested);

// The record as text, and back. InvalidArgument, naming the line, for what FormatDependencies()
// did not write, a version that is not known, or a record that was cut short.
std::string FormatDependencies(const Dependencies& dependencies);
absl::StatusOr<Dependencies> ParseDependencies(std::string_view text);

// What `absent` in the input root holds: every canonical path that must be missing, sorted, each
// once.
std::string FormatAbsences(const std::vector<Absence>& absences);

// A root and where it is on this machine.
struct HostRoot {
  std::string root;    // "src", "inc/0"
  std::string folder;  // a path of the host; relative ones to the directory that the user is in

  friend bool operator==(const HostRoot&, const HostRoot&) = default;
};

// The text of a --host-roots file, and back.
std::string FormatHostRoots(const std::vector<HostRoot>& roots);
absl::StatusOr<std::vector<HostRoot>> ParseHostRoots(std::string_view text);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_INVOCATION_DEPENDENCIES_H_
