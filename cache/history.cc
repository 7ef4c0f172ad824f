#include "cache/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/local/file.h"

namespace ingot::cache {
namespace {

// A line is CHECK TIME KIND KEY INPUT OUTPUT, tabs between them: CHECK the first digits of the
// SHA-256 of what follows it, TIME in milliseconds since 1970.
constexpr size_t kCheckDigits = 8;
constexpr size_t kFields = 6;

// Two paths of the longest kind, with some bytes that have to be escaped.
constexpr size_t kMaximumLine = size_t{32} << 10;

// What a file can hold that has one line more than its size.
constexpr int64_t kMaximumRead = 2 * History::kMaximumFileSize;

constexpr std::array kAllKinds = {HistoryEventKind::kPublished, HistoryEventKind::kRepaired,
                                  HistoryEventKind::kDisowned, HistoryEventKind::kReset,
                                  HistoryEventKind::kCopied};

std::string Check(std::string_view rest) { return Sha256(rest).hash.substr(0, kCheckDigits); }

std::string Encode(const HistoryEvent& event, absl::Time time) {
  // Escapes tabs, newlines and backslashes, so that a line stays one and its fields too.
  const std::string rest =
      absl::StrCat(absl::ToUnixMillis(time), "\t", HistoryEventName(event.kind), "\t",
                   absl::Utf8SafeCEscape(event.key), "\t", absl::Utf8SafeCEscape(event.input), "\t",
                   absl::Utf8SafeCEscape(event.output));
  return absl::StrCat(Check(rest), "\t", rest, "\n");
}

std::optional<HistoryEvent> Decode(std::string_view line) {
  if (line.size() <= kCheckDigits || line[kCheckDigits] != '\t' ||
      line.substr(0, kCheckDigits) != Check(line.substr(kCheckDigits + 1))) {
    return std::nullopt;
  }
  const std::vector<std::string_view> fields = absl::StrSplit(line, '\t');
  HistoryEvent event;
  int64_t milliseconds = 0;
  if (fields.size() != kFields || !absl::SimpleAtoi(fields[1], &milliseconds) ||
      !absl::CUnescape(fields[3], &event.key) || !absl::CUnescape(fields[4], &event.input) ||
      !absl::CUnescape(fields[5], &event.output)) {
    return std::nullopt;
  }
  event.time = absl::FromUnixMillis(milliseconds);
  for (const HistoryEventKind kind : kAllKinds) {
    if (HistoryEventName(kind) != fields[2]) continue;
    event.kind = kind;
    return event;
  }
  return std::nullopt;  // a newer version's
}

bool IsPublication(const HistoryEvent& event) {
  return event.kind == HistoryEventKind::kPublished || event.kind == HistoryEventKind::kRepaired ||
         event.kind == HistoryEventKind::kCopied;
}

bool IsKey(const HistoryEvent& event, std::string_view hash) {
  return absl::StartsWith(event.key, hash) &&
         (event.key.size() == hash.size() || event.key[hash.size()] == '/');
}

// Makes the file at `path`, open as `fd`, the old one. The lock, which is not waited for, keeps two
// processes from doing so one after the other, the second with the new file.
void Rotate(int fd, const std::string& path) {
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return;
  struct stat opened;
  struct stat named;
  if (fstat(fd, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
      opened.st_dev == named.st_dev) {
    (void)rename(path.c_str(), absl::StrCat(path, ".1").c_str());
  }
}

}  // namespace

std::string_view HistoryEventName(HistoryEventKind kind) {
  switch (kind) {
    case HistoryEventKind::kPublished:
      return "published";
    case HistoryEventKind::kRepaired:
      return "repaired";
    case HistoryEventKind::kDisowned:
      return "disowned";
    case HistoryEventKind::kReset:
      return "reset";
    case HistoryEventKind::kCopied:
      return "copied";
  }
  return "unknown";
}

const HistoryEvent* HistoryView::LastPublicationOf(std::string_view key_hash) const {
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (IsPublication(*event) && IsKey(*event, key_hash)) return &*event;
  }
  return nullptr;
}

const HistoryEvent* HistoryView::FirstPublicationOf(std::string_view key_hash) const {
  for (const HistoryEvent& event : events) {
    if (IsPublication(event) && IsKey(event, key_hash)) return &event;
  }
  return nullptr;
}

const HistoryEvent* HistoryView::LastPublicationFor(std::string_view path) const {
  const std::vector<const HistoryEvent*> last = PublicationsFor(path, 1);
  return last.empty() ? nullptr : last.front();
}

std::vector<const HistoryEvent*> HistoryView::PublicationsFor(std::string_view path,
                                                              size_t limit) const {
  std::vector<const HistoryEvent*> found;
  std::set<std::string_view> keys;
  for (auto event = events.rbegin(); event != events.rend() && found.size() < limit; ++event) {
    if (IsPublication(*event) && event->input == path && keys.insert(event->key).second) {
      found.push_back(&*event);
    }
  }
  return found;
}

const HistoryEvent* HistoryView::ResetAfter(const HistoryEvent& event) const {
  const auto found = std::find_if(events.begin(), events.end(), [&](const HistoryEvent& other) {
    // By place, since clocks go back and two events can share a millisecond.
    return other.kind == HistoryEventKind::kReset && &other > &event;
  });
  return found == events.end() ? nullptr : &*found;
}

absl::Status History::Append(const HistoryEvent& event) {
  const std::string line = Encode(event, clock_());
  if (line.size() > kMaximumLine) {
    return absl::InvalidArgumentError(
        absl::StrCat("an event of ", line.size(), " bytes is too long for ", path_));
  }
  // O_NONBLOCK: a FIFO in the place of the file must not hang us.
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
  int fd = open(path_.c_str(), flags, 0666);
  if (fd < 0 && errno == ENOENT) {
    // 0700 is what the XDG Base Directory Specification says for folders that a program makes.
    ABSL_RETURN_IF_ERROR(MakeFolders(path_.substr(0, path_.rfind('/')), 0700));
    fd = open(path_.c_str(), flags, 0666);
  }
  if (fd < 0) return FileError(errno, "open", path_);
  const absl::Cleanup close_file = [fd] { close(fd); };
  ssize_t count;
  do {
    count = write(fd, line.data(), line.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return FileError(errno, "write", path_);
  if (static_cast<size_t>(count) != line.size()) {
    // A part of a line would swallow the next one.
    (void)!write(fd, "\n", 1);
    return absl::ResourceExhaustedError(absl::StrCat(path_, " could not be written whole"));
  }
  struct stat status;
  if (fstat(fd, &status) == 0 && status.st_size >= maximum_file_size_) Rotate(fd, path_);
  return absl::OkStatus();
}

HistoryView History::Read() const {
  HistoryView view;
  for (const std::string& path : {absl::StrCat(path_, ".1"), path_}) {
    const absl::StatusOr<std::string> text =
        ReadFile(path, {.exact_size = std::nullopt, .maximum_size = kMaximumRead});
    if (!text.ok()) continue;
    for (const std::string_view line : absl::StrSplit(*text, '\n')) {
      if (std::optional<HistoryEvent> event = Decode(line)) {
        view.events.push_back(*std::move(event));
      }
    }
  }
  return view;
}

}  // namespace ingot::cache
