#include "cache/local/layout.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cache/local/file.h"

namespace ingot::cache {
namespace {

// The digest functions of the Remote Execution API, as Bazel spells them in paths
// (DiskCacheClient.java); SHA-256 has no folder of its own.
constexpr std::array<std::string_view, 8> kDigestFunctions = {
    "blake3", "md5", "murmur3", "sha1", "sha256tree", "sha384", "sha512", "vso"};

// Those of the shortest of them, MD5 and Murmur3: 128 bits.
constexpr std::size_t kShortestHash = 32;

bool IsLowercaseHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isxdigit(c) && !absl::ascii_isupper(c);
  });
}

// What file systems and backup programs put into folders of others.
bool IsHarmless(std::string_view name) {
  return name == "lost+found" || name == "CACHEDIR.TAG" || name == ".DS_Store" ||
         name.starts_with(".nfs");
}

// Of a path that is too long, as much as somebody can recognise it by.
constexpr std::size_t kShownPath = 80;

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

absl::StatusOr<std::vector<std::string>> ListNames(const std::string& path) {
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
  if (folder == nullptr) {
    if (errno == ENOTDIR) {
      return absl::FailedPreconditionError(absl::StrCat(path, " is not a folder"));
    }
    if (errno == ENAMETOOLONG) {
      // For errno this is a wrong argument; of a command it would be a misuse.
      return absl::FailedPreconditionError(absl::StrCat(
          "the path is longer than this system allows: ", path.substr(0, kShownPath), "..."));
    }
    return FileError(errno, "open folder", path);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return FileError(errno, "list folder", path);
  std::sort(names.begin(), names.end());
  return names;
}

// Symlinks are not followed: what they lead to is not the store's.
bool IsFolder(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

absl::Status IsNoStore(const std::string& root, std::string_view alien) {
  return absl::FailedPreconditionError(
      absl::StrCat(root, " does not look like a store: it holds '", alien,
                   "', which no store does; name the store's folder, or move that away"));
}

// What CheckHasShapeOfStore() says about one shard, such as "ac/00".
absl::Status CheckShard(const std::string& root, const std::string& shard) {
  absl::StatusOr<std::vector<std::string>> names = ListNames(absl::StrCat(root, "/", shard));
  if (absl::IsNotFound(names.status())) return absl::OkStatus();  // a reset was faster
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (!IsStoredName(name, std::string_view(shard).substr(shard.size() - 2)) &&
        !IsHarmless(name)) {
      return IsNoStore(root, absl::StrCat(shard, "/", name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool IsShardName(std::string_view name) { return name.size() == 2 && IsLowercaseHex(name); }

bool IsStoredName(std::string_view name, std::string_view shard) {
  return name.size() >= kShortestHash && name.starts_with(shard) && IsLowercaseHex(name);
}

bool IsDigestFunctionFolder(std::string_view name) {
  return std::find(kDigestFunctions.begin(), kDigestFunctions.end(), name) !=
         kDigestFunctions.end();
}

absl::StatusOr<StoreFolders> ListStoreFolders(const std::string& root) {
  absl::StatusOr<std::vector<std::string>> names = ListNames(root);
  if (absl::IsNotFound(names.status())) {
    return absl::NotFoundError(absl::StrCat("there is no store at ", root));
  }
  if (!names.ok()) return names.status();
  StoreFolders store;
  for (std::string& name : *names) {
    const std::string path = absl::StrCat(root, "/", name);
    const bool is_folder = IsFolder(path);
    if (IsHarmless(name) || (is_folder && (name == "tmp" || name == "gc"))) continue;
    if (is_folder && (name == "ac" || name == "cas")) {
      store.folders.push_back(std::move(name));
    } else if (is_folder && IsDigestFunctionFolder(name)) {
      for (const char* kind : {"/ac", "/cas"}) {
        if (IsFolder(path + kind)) store.folders.push_back(name + kind);
      }
    } else {
      store.unknown.push_back(std::move(name));
    }
  }
  return store;
}

absl::Status CheckHasShapeOfStore(const std::string& root) {
  ABSL_ASSIGN_OR_RETURN(const StoreFolders store, ListStoreFolders(root));
  if (!store.unknown.empty()) return IsNoStore(root, store.unknown.front());
  for (const std::string& folder : store.folders) {
    absl::StatusOr<std::vector<std::string>> names = ListNames(absl::StrCat(root, "/", folder));
    if (absl::IsNotFound(names.status())) continue;  // a reset was faster
    if (!names.ok()) return names.status();
    for (const std::string& name : *names) {
      const std::string shard = absl::StrCat(folder, "/", name);
      if (!IsShardName(name)) {
        if (!IsHarmless(name)) return IsNoStore(root, shard);
      } else if (IsFolder(absl::StrCat(root, "/", shard))) {
        ABSL_RETURN_IF_ERROR(CheckShard(root, shard));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace ingot::cache
