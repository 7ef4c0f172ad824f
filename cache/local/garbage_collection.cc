#include "cache/local/garbage_collection.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/local/file.h"
#include "cache/local/layout.h"

namespace ingot::cache {
namespace {

// Folders within a shard are damage; one that somebody nested deeper than this is not worth a file
// descriptor per level.
constexpr int kMaximumDepth = 16;

// Removing a file waits for the disk's journal far longer than it computes: four threads take half
// the time of one on two cores (ext4 with discard). A thread takes a share of files at a time, and
// less than two shares are not worth a thread.
constexpr std::size_t kThreads = 4;
constexpr std::size_t kShare = 256;

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// The descriptor that holds the lock, or one that is not open where there are no locks.
absl::StatusOr<Descriptor> TakeLock(const std::string& root) {
  const std::string path = absl::StrCat(root, "/gc/lock");
  const auto open_lock = [&] { return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); };
  int fd = open_lock();
  if (fd < 0 && errno == ENOENT) {
    ABSL_RETURN_IF_ERROR(MakeFolders(absl::StrCat(root, "/gc"), 0777));
    fd = open_lock();
  }
  if (fd < 0) return FileError(errno, "open", path);
  Descriptor lock(fd);
  struct flock whole_file = {};  // from 0, length 0: to the end, wherever that is
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  if (fcntl(fd, F_OFD_SETLK, &whole_file) == 0) return lock;
  if (errno == EAGAIN || errno == EACCES) {
    return absl::UnavailableError(absl::StrCat("another collection is running: it holds ", path));
  }
  return Descriptor(-1);
}

// A file of the store. Small, since there may be millions.
struct File {
  int64_t mtime;  // nanoseconds since the epoch
  int64_t size;
  uint32_t folder;  // where its name is in `folders`
  bool is_blob;
  bool has_other_name;             // then `name` holds a number in `names`
  std::array<uint8_t, 32> name{};  // else the hash that it is named by
};
static_assert(sizeof(File) == 56);

class Collection {
 public:
  Collection(const std::string& root, int root_fd, const GarbageCollectionOptions& options,
             GarbageCollectionResult& result)
      : root_(root), root_fd_(root_fd), options_(options), result_(result) {}

  // Lists the shards of `folder`, which is "ac", "cas", "blake3/ac" and so on.
  void Scan(const std::string& folder) {
    const bool is_blob = absl::EndsWith(folder, "cas");
    for (const std::string& shard : Shards(folder)) {
      const Descriptor fd(openat(root_fd_, shard.c_str(), kOpenFolder));
      ScanFolder(fd.get(), shard, is_blob, 0);
    }
  }

  void Collect() {
    result_.files_before = static_cast<int64_t>(files_.size());
    for (const File& file : files_) result_.bytes_before += file.size;
    result_.files_after = result_.files_before;
    result_.bytes_after = result_.bytes_before;

    const int64_t oldest = options_.max_age > absl::ZeroDuration()
                               ? absl::ToUnixNanos(options_.now - options_.max_age)
                               : std::numeric_limits<int64_t>::min();
    const bool too_large = options_.max_size > 0 && result_.bytes_before > options_.max_size;
    const int64_t target = too_large ? options_.max_size / 100 * kLowWaterPercent +
                                           options_.max_size % 100 * kLowWaterPercent / 100
                                     : std::numeric_limits<int64_t>::max();
    if (!too_large && std::none_of(files_.begin(), files_.end(),
                                   [&](const File& file) { return file.mtime < oldest; })) {
      return;
    }
    std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) {
      if (a.mtime != b.mtime) return a.mtime < b.mtime;
      if (a.is_blob != b.is_blob) return b.is_blob;
      return a.name < b.name;
    });
    // What is skipped leaves more to be removed, so the choice is made again until there is none.
    for (std::size_t first = 0; first < files_.size();) {
      int64_t bytes = result_.bytes_after;
      std::size_t end = first;
      while (end < files_.size() && (files_[end].mtime < oldest || bytes > target)) {
        bytes -= files_[end++].size;
      }
      if (end == first) break;
      RemoveBatch(std::span(files_).subspan(first, end - first));
      first = end;
    }
  }

 private:
  static constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

  void Fail(int error, std::string_view operation, const std::string& path) {
    if (result_.failed++ > 0) return;
    result_.first_failure =
        std::string(FileError(error, operation, absl::StrCat(root_, "/", path)).message());
  }

  std::vector<std::string> Shards(const std::string& folder) {
    std::vector<std::string> shards;
    const int fd = openat(root_fd_, folder.c_str(), kOpenFolder);
    DIR* const entries = fd < 0 ? nullptr : fdopendir(fd);
    if (entries == nullptr) {
      // A reset may take the folder away.
      if (errno != ENOENT) Fail(errno, "open folder", folder);
      if (fd >= 0) close(fd);
      return shards;
    }
    const absl::Cleanup close_folder = [entries] { closedir(entries); };
    while (const dirent* entry = readdir(entries)) {
      if (IsShardName(entry->d_name)) shards.push_back(absl::StrCat(folder, "/", entry->d_name));
    }
    std::sort(shards.begin(), shards.end());
    return shards;
  }

  void ScanFolder(int open_fd, const std::string& path, bool is_blob, int depth) {
    // fdopendir() takes the descriptor over; the caller's is its own.
    const int fd = open_fd < 0 ? -1 : fcntl(open_fd, F_DUPFD_CLOEXEC, 0);
    DIR* const entries = fd < 0 ? nullptr : fdopendir(fd);
    if (entries == nullptr) {
      if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) Fail(errno, "open folder", path);
      if (fd >= 0) close(fd);
      return;
    }
    const absl::Cleanup close_folder = [entries] { closedir(entries); };
    const uint32_t folder = static_cast<uint32_t>(folders_.size());
    folders_.push_back(path);
    while (const dirent* entry = readdir(entries)) {
      const std::string_view name = entry->d_name;
      struct stat status;
      if (name == "." || name == ".." ||
          fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        continue;
      }
      // A folder that has the name of a file of ours is damage with all that it holds.
      if (depth == 0 && !IsStoredName(name, std::string_view(path).substr(path.size() - 2))) {
        ++result_.unknown_names;
        continue;
      }
      if (S_ISDIR(status.st_mode)) {
        if (depth < kMaximumDepth) {
          const Descriptor below(openat(fd, entry->d_name, kOpenFolder));
          ScanFolder(below.get(), absl::StrCat(path, "/", name), is_blob, depth + 1);
        }
        continue;
      }
      Add({.mtime = Nanoseconds(status.st_mtim),
           .size = status.st_size,
           .folder = folder,
           .is_blob = is_blob,
           .has_other_name = false},
          name);
    }
  }

  void Add(File file, std::string_view name) {
    std::string hash;
    if (IsSha256Hex(name) && absl::HexStringToBytes(name, &hash) &&
        hash.size() == file.name.size()) {
      std::memcpy(file.name.data(), hash.data(), hash.size());
    } else {
      const uint64_t number = names_.size();
      file.has_other_name = true;
      std::memcpy(file.name.data(), &number, sizeof(number));
      names_.emplace_back(name);
    }
    files_.push_back(file);
  }

  std::string PathOf(const File& file) const {
    if (file.has_other_name) {
      uint64_t number;
      std::memcpy(&number, file.name.data(), sizeof(number));
      return absl::StrCat(folders_[file.folder], "/", names_[number]);
    }
    return absl::StrCat(folders_[file.folder], "/",
                        absl::BytesToHexString(std::string_view(
                            reinterpret_cast<const char*>(file.name.data()), file.name.size())));
  }

  // Entries before blobs, so that a collection which is cut short leaves no entry without its
  // blobs. Then each folder's files together: every block of a folder and of the inodes of its
  // files is written once, not once for each of a million files.
  void RemoveBatch(std::span<File> batch) {
    std::sort(batch.begin(), batch.end(), [](const File& a, const File& b) {
      if (a.is_blob != b.is_blob) return b.is_blob;
      return a.folder < b.folder;
    });
    const auto blobs =
        std::find_if(batch.begin(), batch.end(), [](const File& file) { return file.is_blob; });
    RemoveAll(std::span(batch.begin(), blobs));
    RemoveAll(std::span(blobs, batch.end()));
  }

  void RemoveAll(std::span<const File> files) {
    if (options_.dry_run) {
      for (const File& file : files) Count(file);
      return;
    }
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t first = next.fetch_add(kShare); first < files.size();
           first = next.fetch_add(kShare)) {
        for (const File& file : files.subspan(first, std::min(kShare, files.size() - first))) {
          Remove(file);
        }
      }
    };
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < std::min(kThreads, files.size() / kShare); ++i) {
        others.emplace_back(work);
      }
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
      // No more threads are to be had: those that there are will do.
    }
    work();
  }

  void Remove(const File& file) {
    const std::string path = PathOf(file);
    struct stat status;
    std::string_view operation = "stat";
    int error = fstatat(root_fd_, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    const bool used = error == 0 && Nanoseconds(status.st_mtim) != file.mtime;
    if (error == 0 && !used) {
      operation = "remove";
      error = unlinkat(root_fd_, path.c_str(), 0) == 0 ? 0 : errno;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (used) {
      ++result_.used_meanwhile;
    } else if (error == 0) {
      Count(file);
    } else if (error == ENOENT) {
      ++result_.vanished;
      NoLongerThere(file);
    } else {
      Fail(error, operation, path);
    }
  }

  void NoLongerThere(const File& file) {
    --result_.files_after;
    result_.bytes_after -= file.size;
  }

  void Count(const File& file) {
    NoLongerThere(file);
    ++result_.removed_files;
    result_.removed_bytes += file.size;
    if (!file.is_blob) ++result_.removed_entries;
  }

  const std::string& root_;
  const int root_fd_;
  const GarbageCollectionOptions& options_;
  GarbageCollectionResult& result_;
  std::vector<std::string> folders_;
  std::vector<std::string> names_;  // those that are no hashes
  std::vector<File> files_;
  std::mutex mutex_;  // of result_, while there are threads
};

}  // namespace

absl::StatusOr<GarbageCollectionResult> CollectGarbage(const std::string& root,
                                                       const GarbageCollectionOptions& options) {
  ABSL_ASSIGN_OR_RETURN(const StoreFolders store, ListStoreFolders(root));
  const Descriptor root_fd(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root_fd.get() < 0) return FileError(errno, "open folder", root);
  GarbageCollectionResult result;
  result.unknown_names = static_cast<int64_t>(store.unknown.size());
  // Somebody else's folder must not get a gc in it.
  if (store.folders.empty()) return result;
  const absl::StatusOr<Descriptor> lock = options.dry_run ? Descriptor(-1) : TakeLock(root);
  if (!lock.ok()) return lock.status();
  if (!options.dry_run) {
    result.abandoned = RemoveAbandonedFiles(absl::StrCat(root, "/tmp"), options.now,
                                            std::numeric_limits<int64_t>::max());
  }
  Collection collection(root, root_fd.get(), options, result);
  for (const std::string& folder : store.folders) collection.Scan(folder);
  collection.Collect();
  return result;
}

}  // namespace ingot::cache
