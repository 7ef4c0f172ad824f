// What happened to the keys of one store: when a result was published, for which file, and when the
// store was emptied. Questions about a miss are answered from it ("evicted: it was stored then");
// no result depends on it.
//
//   History history(state_folder + "/history");
//   history.Append({.kind = HistoryEventKind::kPublished, .key = key, .input = "/home/me/k.ll",
//                   .output = "/home/me/k.ptx"});
//   HistoryView view = history.Read();
//   view.LastPublicationOf(key_hash);            // when?
//   view.LastPublicationFor("/home/me/k.ll");    // under which key?
//
// One line per event, each appended by one write(), which the kernel keeps whole between processes
// on a local disk, and each with a check value, so that a torn or damaged line is skipped. A file
// that has reached its size becomes "….1", and the one before that goes. Nothing is written for a
// hit of the store itself, and there is no lock to wait for.

#ifndef INGOT_CACHE_HISTORY_H_
#define INGOT_CACHE_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace ingot::cache {

enum class HistoryEventKind {
  kPublished,
  kRepaired,  // published over something damaged or incomplete
  kDisowned,  // `key`, or, where that is empty, what `input` says
  kReset,     // the whole store was emptied
  kCopied,    // published with a result that another store had: a layer's, or a remote one's
};

// "published", "repaired", "disowned", "reset", "copied".
std::string_view HistoryEventName(HistoryEventKind kind);

// Any bytes may stand in the texts.
struct HistoryEvent {
  HistoryEventKind kind = HistoryEventKind::kPublished;
  std::string key;     // "hash/size" of the Action; empty for a reset
  std::string input;   // absolute path of the user's input; "-" for standard input
  std::string output;  // absolute path of the output
  absl::Time time = absl::InfinitePast();  // set by Append()

  friend bool operator==(const HistoryEvent&, const HistoryEvent&) = default;
};

// The events in the order in which they were written.
struct HistoryView {
  std::vector<HistoryEvent> events;

  // The last publication, repair or copy of the key with `key_hash`. Null if there is none.
  const HistoryEvent* LastPublicationOf(std::string_view key_hash) const;
  const HistoryEvent* FirstPublicationOf(std::string_view key_hash) const;

  // The last publication for the input at `path`. Null if there is none.
  const HistoryEvent* LastPublicationFor(std::string_view path) const;

  // The publications for the input at `path`, the last first, each key once, at most `limit`.
  std::vector<const HistoryEvent*> PublicationsFor(std::string_view path, size_t limit) const;

  // The first reset after `event`. Null if there was none.
  const HistoryEvent* ResetAfter(const HistoryEvent& event) const;
};

// The journal in one file. Thread-safe, and safe between processes.
class History {
 public:
  // Two files of this size are some ten thousand events.
  static constexpr int64_t kMaximumFileSize = int64_t{1} << 20;

  // `path` need not exist; its folder is made when something is appended. `clock` stands in for the
  // real one in tests.
  explicit History(std::string path, std::function<absl::Time()> clock = absl::Now,
                   int64_t maximum_file_size = kMaximumFileSize)
      : path_(std::move(path)), clock_(std::move(clock)), maximum_file_size_(maximum_file_size) {}

  // Writes one line. InvalidArgument for an event whose line would be too long to be written whole;
  // other errors are the file system's. Callers ignore them: the event is then not known later.
  absl::Status Append(const HistoryEvent& event);

  // Both files. One that cannot be read, and lines that are damaged, are left out.
  HistoryView Read() const;

 private:
  const std::string path_;
  const std::function<absl::Time()> clock_;
  const int64_t maximum_file_size_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_HISTORY_H_
