#include "cache/file_digest_memo.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/local/file.h"

namespace ingot::cache {
namespace {

using Identity = FileDigestMemo::Identity;

// The memo's file: kMagic, then records, in the machine's own byte order; it never leaves its
// machine. The most recent record is first. A file with another magic number or with half a record
// at its end is read as far as it makes sense.

constexpr uint64_t kMagic = 0x494e474d454d0001;  // "INGMEM" and a version
constexpr size_t kHashSize = 32;

struct Record {
  Identity identity;
  char hash[kHashSize];
  // The first 8 bytes of the SHA-256 of the above: a digest from a damaged record would be a wrong
  // key.
  uint64_t check;
};
static_assert(sizeof(Record) == 80);

uint64_t CheckValue(const Record& record) {
  const std::string hash =
      Sha256Raw(std::string_view(reinterpret_cast<const char*>(&record), offsetof(Record, check)));
  uint64_t check;
  std::memcpy(&check, hash.data(), sizeof(check));
  return check;
}

std::vector<Record> ReadRecords(const std::string& memo_path) {
  constexpr size_t kMaximumSize = sizeof(kMagic) + FileDigestMemo::kMaximumRecords * sizeof(Record);
  absl::StatusOr<std::string> bytes =
      ReadFile(memo_path, {.exact_size = std::nullopt, .maximum_size = kMaximumSize});
  if (!bytes.ok() || bytes->size() < sizeof(kMagic)) return {};
  uint64_t magic;
  std::memcpy(&magic, bytes->data(), sizeof(magic));
  if (magic != kMagic) return {};
  std::vector<Record> records((bytes->size() - sizeof(kMagic)) / sizeof(Record));
  if (!records.empty()) {
    std::memcpy(records.data(), bytes->data() + sizeof(kMagic), records.size() * sizeof(Record));
  }
  return records;
}

std::optional<Digest> Find(const std::vector<Record>& records, const Identity& identity) {
  for (const Record& record : records) {
    if (record.identity == identity && record.check == CheckValue(record)) {
      return Digest{absl::BytesToHexString(std::string_view(record.hash, kHashSize)),
                    static_cast<int64_t>(identity.size)};
    }
  }
  return std::nullopt;
}

int64_t Nanoseconds(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Identity IdentityOf(const struct stat& status) {
  return {.device = static_cast<uint64_t>(status.st_dev),
          .inode = static_cast<uint64_t>(status.st_ino),
          .size = static_cast<uint64_t>(status.st_size),
          .mtime_ns = Nanoseconds(status.st_mtim),
          .ctime_ns = Nanoseconds(status.st_ctim)};
}

bool IsOldEnough(const Identity& identity, absl::Time now) {
  const absl::Time changed = absl::FromUnixNanos(std::max(identity.mtime_ns, identity.ctime_ns));
  return now - changed >= FileDigestMemo::kMinimumAge;
}

absl::StatusOr<Digest> HashOpenFile(int fd, const std::string& path) {
  constexpr size_t kChunk = 256 << 10;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kChunk);
  Sha256Hasher hasher;
  while (true) {
    const ssize_t count = read(fd, buffer.get(), kChunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError(errno, "read", path);
    if (count == 0) return std::move(hasher).Finish();
    hasher.Update(std::string_view(buffer.get(), static_cast<size_t>(count)));
  }
}

void Remember(const std::string& memo_path, const Identity& identity, const Digest& digest) {
  std::string hash;
  if (!absl::HexStringToBytes(digest.hash, &hash) || hash.size() != kHashSize) return;
  Record added = {.identity = identity, .hash = {}, .check = 0};
  std::memcpy(added.hash, hash.data(), kHashSize);
  added.check = CheckValue(added);

  std::vector<Record> records = {added};
  for (const Record& record : ReadRecords(memo_path)) {
    const bool same_file =
        record.identity.device == identity.device && record.identity.inode == identity.inode;
    if (!same_file && records.size() < FileDigestMemo::kMaximumRecords) records.push_back(record);
  }
  std::string bytes(sizeof(kMagic) + records.size() * sizeof(Record), '\0');
  std::memcpy(bytes.data(), &kMagic, sizeof(kMagic));
  std::memcpy(bytes.data() + sizeof(kMagic), records.data(), records.size() * sizeof(Record));

  const size_t slash = memo_path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : memo_path.substr(0, slash);
  // A memo that could not be written is one that is written next time.
  if (!MakeFolders(folder, 0700).ok()) return;
  (void)WriteFileAtomically(folder, memo_path, bytes, Durability::kNoSync);
}

}  // namespace

FileDigestMemo::FileDigestMemo(std::string memo_path, std::function<absl::Time()> clock)
    : memo_path_(std::move(memo_path)), clock_(std::move(clock)) {}

absl::StatusOr<Digest> FileDigestMemo::FileDigest(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return FileError(errno, "stat", path);
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file"));
  }
  if (std::optional<Digest> known = Find(ReadRecords(memo_path_), IdentityOf(status))) {
    return *std::move(known);
  }

  int fd;
  do {
    fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return FileError(errno, "open", path);
  absl::Cleanup close_file = [fd] { close(fd); };

  // Before the stat, so that the file's age is not overestimated.
  const absl::Time now = clock_();
  if (fstat(fd, &status) != 0) return FileError(errno, "stat", path);
  const Identity before = IdentityOf(status);
  ABSL_ASSIGN_OR_RETURN(Digest digest, HashOpenFile(fd, path));
  if (fstat(fd, &status) != 0) return FileError(errno, "stat", path);
  if (IdentityOf(status) != before || digest.size_bytes != static_cast<int64_t>(before.size)) {
    return absl::AbortedError(absl::StrCat(path, " changed while it was read; try again"));
  }

  std::lock_guard lock(mutex_);
  ++files_read_;
  if (!memo_path_.empty() && IsOldEnough(before, now)) Remember(memo_path_, before, digest);
  return digest;
}

int64_t FileDigestMemo::files_read() const {
  std::lock_guard lock(mutex_);
  return files_read_;
}

}  // namespace ingot::cache
