// What happened to one store over time, added up across processes and kept in a small file.
//
//   Counters counters(state_folder + "/counters");
//   counters.Add({{Counter::kHit, 1}, {Counter::kBytesRead, 1234}});
//   counters.Read()[Counter::kHit];
//
// The file holds 8-byte numbers in the machine's own byte order: a magic number that says the
// version too, the number of counters, their values, and last the first 8 bytes of the SHA-256 of
// all before. It never leaves its machine.

#ifndef INGOT_CACHE_COUNTERS_H_
#define INGOT_CACHE_COUNTERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/lookup.h"

namespace ingot::cache {

// The numbers are the places in the file. A counter that is dropped leaves its number unused for
// ever; a new one takes the next. The table in counters.cc gives each its name.
enum class Counter : uint32_t {
  kHit = 0,
  kMissNotFound = 1,
  kMissCorruptEntry = 2,
  kMissNonZeroExit = 3,
  kMissMissingOutput = 4,
  kMissMissingBlob = 5,
  kMissCorruptBlob = 6,
  kMissStoreError = 7,
  kPublished = 8,
  kPublishFailed = 9,
  kRepaired = 10,  // published over something damaged or incomplete
  kConflict = 11,  // a second, different result for one key
  kCompileFailed = 12,
  kToolCrashed = 13,
  kBytesRead = 14,
  kBytesWritten = 15,
  kInputChanged = 16,           // not published, since an input changed during the compilation
  kHitLocal = 17,               // of the hits, those from a store on this machine
  kHitRemote = 18,              // of the hits, those from a remote one
  kCopied = 19,                 // hits of a slower store that were copied into a faster one
  kWaited = 20,                 // compilations that waited for an equal one to end
  kWaitTimedOut = 21,           // of those that waited, those that then went ahead
  kStoreFault = 22,             // times that a store could not be asked, copied to or repaired
  kStoreRefused = 23,           // compilations that did without a store that others can write to
  kGenerationsUnreadable = 24,  // commands without a store, since what was disowned is not known
  kUncacheable = 25,            // not published, since no key describes what was read
};
inline constexpr size_t kCounterCount = 26;

// The name by which text and JSON show a counter, such as "miss_corrupt_entry".
std::string_view CounterName(Counter counter);

// Every counter, by number.
std::span<const Counter> AllCounters();

// The counter for a lookup with this outcome; kHit for MissReason::kNone.
Counter CounterFor(MissReason reason);

struct CounterDelta {
  Counter counter;
  uint64_t delta = 1;
};

struct CounterValues {
  std::array<uint64_t, kCounterCount> values = {};

  uint64_t operator[](Counter counter) const { return values[static_cast<size_t>(counter)]; }
  uint64_t Misses() const;   // all misses, whatever the reason
  uint64_t Corrupt() const;  // misses for damage of an entry or a blob
};

// The counters in one file. Thread-safe, and safe between processes.
class Counters {
 public:
  // How long Add() waits for other processes: a statistic is not worth more.
  static constexpr absl::Duration kLockWait = absl::Milliseconds(100);

  // `path` need not exist; its folder is made when something is added.
  explicit Counters(std::string path) : path_(std::move(path)) {}

  // Adds all of `deltas` or, with an error that callers ignore, none: Unavailable if others hold
  // the file too long, else what the file system said. A damaged file is started over.
  absl::Status Add(std::span<const CounterDelta> deltas);
  absl::Status Add(std::initializer_list<CounterDelta> deltas) {
    return Add(std::span<const CounterDelta>(deltas.begin(), deltas.size()));
  }

  // Sets all counters to zero, also those of newer versions, and returns what they were. Nothing
  // that others add meanwhile is lost: it is in what is returned or in the file. Makes no file.
  // Errors as Add().
  absl::StatusOr<CounterValues> Zero();

  // The values so far; all zero if nothing was added yet or the file is damaged. An error only if
  // the file is there and cannot be read.
  absl::StatusOr<CounterValues> Read() const;

 private:
  std::string path_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_COUNTERS_H_
