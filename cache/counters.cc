#include "cache/counters.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/local/bounded_wait.h"
#include "cache/local/file.h"
#include "cache/lookup.h"

namespace ingot::cache {
namespace {

struct Entry {
  Counter counter;
  std::string_view name;
};

// The one table of names. Names, like numbers, are never reused: others' dashboards know them.
constexpr std::array kTable = {
    Entry{Counter::kHit, "hit"},
    Entry{Counter::kMissNotFound, "miss_not_found"},
    Entry{Counter::kMissCorruptEntry, "miss_corrupt_entry"},
    Entry{Counter::kMissNonZeroExit, "miss_non_zero_exit"},
    Entry{Counter::kMissMissingOutput, "miss_missing_output"},
    Entry{Counter::kMissMissingBlob, "miss_missing_blob"},
    Entry{Counter::kMissCorruptBlob, "miss_corrupt_blob"},
    Entry{Counter::kMissStoreError, "miss_store_error"},
    Entry{Counter::kPublished, "published"},
    Entry{Counter::kPublishFailed, "publish_failed"},
    Entry{Counter::kRepaired, "repaired"},
    Entry{Counter::kConflict, "conflict"},
    Entry{Counter::kCompileFailed, "compile_failed"},
    Entry{Counter::kToolCrashed, "tool_crashed"},
    Entry{Counter::kBytesRead, "bytes_read"},
    Entry{Counter::kBytesWritten, "bytes_written"},
    Entry{Counter::kInputChanged, "input_changed"},
    Entry{Counter::kHitLocal, "hit_local"},
    Entry{Counter::kHitRemote, "hit_remote"},
    Entry{Counter::kCopied, "copied"},
    Entry{Counter::kWaited, "waited"},
    Entry{Counter::kWaitTimedOut, "wait_timed_out"},
    Entry{Counter::kStoreFault, "store_fault"},
    Entry{Counter::kStoreRefused, "store_refused"},
    Entry{Counter::kGenerationsUnreadable, "generations_unreadable"},
    Entry{Counter::kUncacheable, "uncacheable"},
};
static_assert(kTable.size() == kCounterCount);

// "INGCNT" and a version.
constexpr uint64_t kMagic = 0x494e47434e540001;

// More counters than any version will have; a damaged number of counters is likely above it.
constexpr uint64_t kMaximumCount = 1000;

// What is read at first: more counters than there are, and less than a page of memory.
constexpr uint64_t kUsualCount = 200;
static_assert(kCounterCount < kUsualCount && kUsualCount < kMaximumCount);

// Magic, count, values, check.
constexpr size_t EncodedWords(size_t count) { return count + 3; }

uint64_t CheckValue(std::span<const uint64_t> words) {
  const std::string hash = Sha256Raw(std::string_view(reinterpret_cast<const char*>(words.data()),
                                                      words.size() * sizeof(uint64_t)));
  uint64_t check;
  std::memcpy(&check, hash.data(), sizeof(check));
  return check;
}

std::vector<uint64_t> Encode(std::span<const uint64_t> values) {
  std::vector<uint64_t> words = {kMagic, values.size()};
  words.insert(words.end(), values.begin(), values.end());
  words.push_back(CheckValue(words));
  return words;
}

// The values in a file's words: at least kCounterCount of them, more if a newer version wrote more.
// All zero for a file that is empty or damaged.
std::vector<uint64_t> Decode(std::span<const uint64_t> words) {
  std::vector<uint64_t> values(kCounterCount);
  if (words.size() < EncodedWords(0) || words[0] != kMagic || words[1] > kMaximumCount ||
      words.size() < EncodedWords(words[1])) {
    return values;
  }
  words = words.first(EncodedWords(words[1]));
  if (words.back() != CheckValue(words.first(words.size() - 1))) return values;
  const std::span<const uint64_t> stored = words.subspan(2, words[1]);
  values.resize(std::max(values.size(), stored.size()));
  std::copy(stored.begin(), stored.end(), values.begin());
  return values;
}

// The words of a file of at most `most` counters, the first ones of a longer one.
absl::StatusOr<std::vector<uint64_t>> ReadWords(int fd, const std::string& path, uint64_t most) {
  std::vector<uint64_t> words(EncodedWords(most));
  ssize_t count;
  do {
    count = pread(fd, words.data(), words.size() * sizeof(uint64_t), 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return FileError(errno, "read", path);
  words.resize(static_cast<size_t>(count) / sizeof(uint64_t));
  return words;
}

absl::StatusOr<std::vector<uint64_t>> ReadValues(int fd, const std::string& path) {
  ABSL_ASSIGN_OR_RETURN(std::vector<uint64_t> words, ReadWords(fd, path, kUsualCount));
  if (words.size() == EncodedWords(kUsualCount)) {
    // A newer version may have written more.
    ABSL_ASSIGN_OR_RETURN(words, ReadWords(fd, path, kMaximumCount));
  }
  return Decode(words);
}

// Takes the lock if it can be had within Counters::kLockWait. Others hold it for microseconds.
absl::Status LockFile(int fd, int operation, const std::string& path) {
  int error = 0;
  const bool decided =
      TryFor(Counters::kLockWait, absl::Microseconds(50), absl::Milliseconds(2), [&] {
        error = flock(fd, operation | LOCK_NB) == 0 ? 0 : errno;
        return error != EWOULDBLOCK && error != EINTR;
      });
  if (!decided) return absl::UnavailableError(absl::StrCat(path, " is held by other processes"));
  return error == 0 ? absl::OkStatus() : FileError(error, "lock", path);
}

absl::StatusOr<int> OpenForUpdate(const std::string& path) {
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC;
  int fd = open(path.c_str(), flags, 0666);
  if (fd < 0 && errno == ENOENT) {
    // 0700 is what the XDG Base Directory Specification says for folders that a program makes.
    ABSL_RETURN_IF_ERROR(MakeFolders(path.substr(0, path.rfind('/')), 0700));
    fd = open(path.c_str(), flags, 0666);
  }
  if (fd < 0) return FileError(errno, "open", path);
  return fd;
}

// What a damaged, longer file has after our words is never read.
absl::Status WriteValues(int fd, const std::string& path, std::span<const uint64_t> values) {
  const std::vector<uint64_t> words = Encode(values);
  const size_t size = words.size() * sizeof(uint64_t);
  const ssize_t count = pwrite(fd, words.data(), size, 0);
  if (count < 0) return FileError(errno, "write", path);
  if (static_cast<size_t>(count) != size) {
    return absl::ResourceExhaustedError(absl::StrCat(path, " could not be written whole"));
  }
  return absl::OkStatus();
}

CounterValues KnownValues(std::span<const uint64_t> stored) {
  CounterValues result;
  std::copy_n(stored.begin(), kCounterCount, result.values.begin());
  return result;
}

}  // namespace

std::string_view CounterName(Counter counter) {
  for (const Entry& entry : kTable) {
    if (entry.counter == counter) return entry.name;
  }
  return "unknown";
}

std::span<const Counter> AllCounters() {
  static constexpr std::array kAll = [] {
    std::array<Counter, kCounterCount> all = {};
    for (size_t i = 0; i < kCounterCount; ++i) all[i] = static_cast<Counter>(i);
    return all;
  }();
  return kAll;
}

Counter CounterFor(MissReason reason) {
  switch (reason) {
    case MissReason::kNone:
      return Counter::kHit;
    case MissReason::kNotFound:
      return Counter::kMissNotFound;
    case MissReason::kCorruptEntry:
      return Counter::kMissCorruptEntry;
    case MissReason::kNonZeroExit:
      return Counter::kMissNonZeroExit;
    case MissReason::kMissingOutput:
      return Counter::kMissMissingOutput;
    case MissReason::kMissingBlob:
      return Counter::kMissMissingBlob;
    case MissReason::kCorruptBlob:
      return Counter::kMissCorruptBlob;
    case MissReason::kStoreError:
      return Counter::kMissStoreError;
  }
  return Counter::kMissStoreError;
}

uint64_t CounterValues::Misses() const {
  uint64_t misses = 0;
  for (Counter counter :
       {Counter::kMissNotFound, Counter::kMissCorruptEntry, Counter::kMissNonZeroExit,
        Counter::kMissMissingOutput, Counter::kMissMissingBlob, Counter::kMissCorruptBlob,
        Counter::kMissStoreError}) {
    misses += (*this)[counter];
  }
  return misses;
}

uint64_t CounterValues::Corrupt() const {
  return (*this)[Counter::kMissCorruptEntry] + (*this)[Counter::kMissCorruptBlob];
}

absl::Status Counters::Add(std::span<const CounterDelta> deltas) {
  ABSL_ASSIGN_OR_RETURN(const int fd, OpenForUpdate(path_));
  absl::Cleanup close_file = [fd] { close(fd); };  // which also gives the lock back
  ABSL_RETURN_IF_ERROR(LockFile(fd, LOCK_EX, path_));
  ABSL_ASSIGN_OR_RETURN(std::vector<uint64_t> values, ReadValues(fd, path_));
  for (const CounterDelta& delta : deltas) {
    values[static_cast<size_t>(delta.counter)] += delta.delta;
  }
  return WriteValues(fd, path_, values);
}

absl::StatusOr<CounterValues> Counters::Zero() {
  const int fd = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return CounterValues();
  if (fd < 0) return FileError(errno, "open", path_);
  absl::Cleanup close_file = [fd] { close(fd); };
  ABSL_RETURN_IF_ERROR(LockFile(fd, LOCK_EX, path_));
  ABSL_ASSIGN_OR_RETURN(const std::vector<uint64_t> stored, ReadValues(fd, path_));
  ABSL_RETURN_IF_ERROR(WriteValues(fd, path_, std::vector<uint64_t>(stored.size())));
  return KnownValues(stored);
}

absl::StatusOr<CounterValues> Counters::Read() const {
  // O_NONBLOCK: a FIFO in the place of the file must not hang us.
  const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return CounterValues();
  if (fd < 0) return FileError(errno, "open", path_);
  absl::Cleanup close_file = [fd] { close(fd); };
  ABSL_RETURN_IF_ERROR(LockFile(fd, LOCK_SH, path_));
  ABSL_ASSIGN_OR_RETURN(const std::vector<uint64_t> stored, ReadValues(fd, path_));
  return KnownValues(stored);
}

}  // namespace ingot::cache
