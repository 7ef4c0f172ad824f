#include "cache/local/collection_schedule.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/local/file.h"
#include "cache/local/layout.h"

namespace ingot::cache {
namespace {

// The top byte of a record's first word; the rest is the value.
enum class Kind : uint64_t {
  kCollected = 1,  // when, in seconds since the epoch
  kFound = 2,      // how many bytes were left then
  kWritten = 3,    // bytes written since
};

constexpr int kKindShift = 56;
constexpr uint64_t kValueMask = (uint64_t{1} << kKindShift) - 1;

// A file of more is replaced by one that says the same in three records.
constexpr size_t kMaximumFileSize = 64 << 10;

// A store whose `ac` has at most this many shards is new: two dozen results.
constexpr int kShardsOfNewStore = 16;

// Any change of a record shows with near certainty, which is enough: a wrong account costs a
// collection too early or too late.
uint64_t CheckValue(uint64_t word) {
  word = (word ^ (word >> 31)) * 0x9e3779b97f4a7c15;
  word = (word ^ (word >> 29)) * 0xbf58476d1ce4e5b9;
  return word ^ (word >> 32);
}

std::string Record(Kind kind, int64_t value) {
  const uint64_t word = (static_cast<uint64_t>(kind) << kKindShift) |
                        (static_cast<uint64_t>(std::max<int64_t>(value, 0)) & kValueMask);
  const std::array<uint64_t, 2> words = {word, CheckValue(word)};
  return std::string(reinterpret_cast<const char*>(words.data()), sizeof(words));
}

struct Account {
  bool readable = true;
  bool damaged = false;
  bool has_collection = false;
  absl::Time collected;
  int64_t found = 0;
  int64_t written = 0;
};

Account Parse(std::string_view bytes) {
  Account account;
  while (!bytes.empty()) {
    std::array<uint64_t, 2> words = {};
    if (bytes.size() < sizeof(words)) {
      account.damaged = true;
      break;
    }
    std::memcpy(words.data(), bytes.data(), sizeof(words));
    bytes.remove_prefix(sizeof(words));
    const auto value = static_cast<int64_t>(words[0] & kValueMask);
    if (words[1] != CheckValue(words[0])) {
      account.damaged = true;
      break;
    }
    switch (static_cast<Kind>(words[0] >> kKindShift)) {
      case Kind::kCollected:
        account.has_collection = true;
        account.collected = absl::FromUnixSeconds(value);
        break;
      case Kind::kFound:
        account.found = value;
        break;
      case Kind::kWritten:
        account.written += value;
        break;
      default:
        account.damaged = true;
    }
  }
  return account;
}

Account Load(const std::string& path) {
  const absl::StatusOr<std::string> bytes =
      ReadFile(path, {.exact_size = {}, .maximum_size = 2 * kMaximumFileSize});
  if (bytes.ok()) return Parse(*bytes);
  Account account;
  account.readable = absl::IsNotFound(bytes.status()) || absl::IsDataLoss(bytes.status());
  account.damaged = absl::IsDataLoss(bytes.status());
  return account;
}

bool IsNewStore(const std::string& root) {
  DIR* const folder = opendir(absl::StrCat(root, "/ac").c_str());
  if (folder == nullptr) return errno == ENOENT;
  const absl::Cleanup close_folder = [folder] { closedir(folder); };
  int shards = 0;
  while (const dirent* entry = readdir(folder)) {
    if (IsShardName(entry->d_name) && ++shards > kShardsOfNewStore) return false;
  }
  return true;
}

absl::Status Replace(const std::string& path, absl::Time collected, int64_t bytes) {
  const std::string records = absl::StrCat(Record(Kind::kCollected, absl::ToUnixSeconds(collected)),
                                           Record(Kind::kFound, bytes));
  return WriteFileAtomically(path.substr(0, path.rfind('/')), path, records, Durability::kNoSync);
}

}  // namespace

absl::Status CollectionSchedule::AddWritten(int64_t bytes, absl::Time now) const {
  // O_NONBLOCK: a FIFO in the place of the file must not hang us.
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK;
  const int fd = open(state_file_.c_str(), flags);
  if (fd < 0) {
    if (errno != ENOENT) return FileError(errno, "open", state_file_);
    // 0700 is what the XDG Base Directory Specification says for folders that a program makes.
    ABSL_RETURN_IF_ERROR(MakeFolders(state_file_.substr(0, state_file_.rfind('/')), 0700));
    if (IsNewStore(store_root_)) return Replace(state_file_, now, bytes);
    return absl::OkStatus();  // no file: nothing is known, so a collection is due
  }
  const absl::Cleanup close_file = [fd] { close(fd); };
  const std::string record = Record(Kind::kWritten, bytes);
  const ssize_t count = write(fd, record.data(), record.size());
  if (count < 0) return FileError(errno, "write", state_file_);
  const off_t size = lseek(fd, 0, SEEK_CUR);
  if (size < static_cast<off_t>(kMaximumFileSize)) return absl::OkStatus();
  const Account account = Load(state_file_);
  if (account.damaged || !account.has_collection) return absl::OkStatus();
  return Replace(state_file_, account.collected, account.found + account.written);
}

absl::Status CollectionSchedule::RecordCollection(absl::Time now, int64_t bytes) const {
  return Replace(state_file_, now, bytes);
}

bool CollectionSchedule::IsDue(const CollectionLimits& limits, absl::Time now) const {
  if (limits.max_size <= 0 && limits.max_age <= absl::ZeroDuration()) return false;
  const Account account = Load(state_file_);
  if (!account.readable) return false;
  if (account.damaged || !account.has_collection) return true;
  const absl::Duration since = now - account.collected;
  // A clock that was set back must not put collections off for years.
  if (since < absl::ZeroDuration()) return true;
  if (limits.max_size > 0 && account.found + account.written > limits.max_size) {
    const bool in_vain = account.found > limits.max_size &&
                         account.written < limits.max_size / 10 && since < kPauseInVain;
    if (!in_vain) return true;
  }
  if (limits.max_age > absl::ZeroDuration() && since > std::min(limits.max_age, kAgeInterval)) {
    return true;
  }
  return since > kSizeInterval;
}

}  // namespace ingot::cache
