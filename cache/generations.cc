#include "cache/generations.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/local/bounded_wait.h"
#include "cache/local/file.h"

namespace ingot::cache {
namespace {

// The file is lines of words: kHeader, "global N TIME", "target NAME N TIME" and "key HASH TIME" in
// the order of their names, times in seconds since 1970, and last "check" with the SHA-256 of all
// before it.
constexpr std::string_view kHeader = "ingot generations 1";
constexpr std::string_view kCheck = "check ";

// Some ten thousand keys. Who disowns more means all of them.
constexpr int64_t kMaximumSize = int64_t{1} << 20;

// The wait for others, who hold the lock for milliseconds.
constexpr absl::Duration kLockWait = absl::Seconds(2);

// How often a change that somebody without the lock overwrote is made again.
constexpr int kAttempts = 10;

std::string Encode(const Generations& generations) {
  std::string text = absl::StrCat(kHeader, "\nglobal ", generations.global.number, " ",
                                  absl::ToUnixSeconds(generations.global.since), "\n");
  for (const auto& [name, generation] : generations.targets) {
    absl::StrAppend(&text, "target ", name, " ", generation.number, " ",
                    absl::ToUnixSeconds(generation.since), "\n");
  }
  for (const auto& [hash, when] : generations.keys) {
    absl::StrAppend(&text, "key ", hash, " ", absl::ToUnixSeconds(when), "\n");
  }
  absl::StrAppend(&text, kCheck, Sha256(text).hash, "\n");
  return text;
}

std::optional<absl::Time> ParseTime(std::string_view word) {
  int64_t seconds = 0;
  if (!absl::SimpleAtoi(word, &seconds)) return std::nullopt;
  return absl::FromUnixSeconds(seconds);
}

bool ParseGeneration(std::string_view number, std::string_view since,
                     Generations::Generation& generation) {
  const std::optional<absl::Time> time = ParseTime(since);
  if (!time.has_value() || !absl::SimpleAtoi(number, &generation.number)) return false;
  generation.since = *time;
  return true;
}

bool ParseLine(std::string_view line, Generations& generations) {
  const std::vector<std::string_view> words = absl::StrSplit(line, ' ');
  if (words.size() == 3 && words[0] == "global") {
    return ParseGeneration(words[1], words[2], generations.global);
  }
  if (words.size() == 4 && words[0] == "target") {
    return ParseGeneration(words[2], words[3], generations.targets[std::string(words[1])]);
  }
  if (words.size() == 3 && words[0] == "key" && IsSha256Hex(words[1])) {
    const std::optional<absl::Time> when = ParseTime(words[2]);
    if (when.has_value()) generations.keys[std::string(words[1])] = *when;
    return when.has_value();
  }
  return false;
}

// Nothing for text that Encode() did not make.
std::optional<Generations> Decode(std::string_view text) {
  const size_t check = text.rfind(kCheck);
  if (check == std::string_view::npos || check == 0) return std::nullopt;
  if (text.substr(check) != absl::StrCat(kCheck, Sha256(text.substr(0, check)).hash, "\n")) {
    return std::nullopt;
  }
  Generations generations;
  std::vector<std::string_view> lines = absl::StrSplit(text.substr(0, check - 1), '\n');
  if (lines.front() != kHeader) return std::nullopt;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!ParseLine(lines[i], generations)) return std::nullopt;
  }
  return generations;
}

// An advisory lock beside the file, since the file itself is replaced. -1 where it cannot be had in
// time or at all; the caller goes on without it.
int LockBeside(const std::string& path) {
  const int fd = open(absl::StrCat(path, ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  (void)TryFor(kLockWait, absl::Microseconds(100), absl::Milliseconds(10), [fd] {
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
  });
  return fd;
}

absl::Status Validate(const DisownRequest& request) {
  for (const std::string& hash : request.key_hashes) {
    if (!IsSha256Hex(hash)) {
      return absl::InvalidArgumentError(absl::StrCat("'", hash, "' is not the hash of a key"));
    }
  }
  for (const std::string& target : request.targets) {
    if (target.empty() || target.find_first_of(" \n") != std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat("'", target, "' is not the name of a target"));
    }
  }
  return absl::OkStatus();
}

void Raise(Generations::Generation& generation, absl::Time now) {
  ++generation.number;
  generation.since = now;
}

void Apply(const DisownRequest& request, absl::Time now, Generations& generations) {
  if (request.all) Raise(generations.global, now);
  for (const std::string& target : request.targets) Raise(generations.targets[target], now);
  for (const std::string& hash : request.key_hashes) generations.keys.try_emplace(hash, now);
}

// Whether nothing that `wanted` disowns is taken back by `found`.
bool Covers(const Generations& found, const Generations& wanted) {
  if (found.global.number < wanted.global.number) return false;
  for (const auto& [name, generation] : wanted.targets) {
    const auto there = found.targets.find(name);
    if (there == found.targets.end() || there->second.number < generation.number) return false;
  }
  return std::all_of(wanted.keys.begin(), wanted.keys.end(),
                     [&](const auto& key) { return found.IsDisowned(key.first); });
}

}  // namespace

std::string Generations::Salt(std::string_view base, std::string_view target, uint64_t hops) const {
  const auto found = targets.find(std::string(target));
  const uint64_t of_target = found == targets.end() ? 0 : found->second.number;
  if (global.number == 0 && of_target == 0 && hops == 0) return std::string(base);
  return absl::StrCat(base, "+g", global.number, ".t", of_target, ".n", hops);
}

std::vector<std::string> Generations::EarlierSalts(std::string_view base, std::string_view target,
                                                   uint64_t hops, size_t limit) const {
  std::vector<std::string> salts;
  while (hops > 0 && salts.size() < limit) salts.push_back(Salt(base, target, --hops));
  // Which of the two was raised last is not known, nor how many hops there were then: the likeliest
  // first.
  Generations earlier = *this;
  Generation& of_target = earlier.targets[std::string(target)];
  const uint64_t target_number = of_target.number;
  while (salts.size() < limit) {
    if (of_target.number > 0) {
      --of_target.number;
    } else if (earlier.global.number > 0) {
      --earlier.global.number;
      of_target.number = target_number;
    } else {
      break;
    }
    salts.push_back(earlier.Salt(base, target, 0));
  }
  return salts;
}

bool Generations::IsCurrent(std::string_view base, std::string_view target,
                            std::string_view salt) const {
  const auto without_hops = [](std::string_view text) { return text.substr(0, text.rfind(".n")); };
  const std::string now = Salt(base, target, 1);
  if (salt == base) return without_hops(now) == without_hops(Generations().Salt(base, target, 1));
  return !absl::StartsWith(salt, absl::StrCat(base, "+g")) ||
         without_hops(salt) == without_hops(now);
}

std::string GenerationsFile(std::string_view state_directory) {
  return absl::StrCat(state_directory, "/generations");
}

absl::StatusOr<Generations> ReadGenerations(const std::string& path) {
  absl::StatusOr<std::string> text =
      ReadFile(path, {.exact_size = std::nullopt, .maximum_size = kMaximumSize});
  if (absl::IsNotFound(text.status())) return Generations();
  // No state directory, since a file has its place or that of a folder above it.
  if (!text.ok() && access(path.c_str(), F_OK) != 0 && errno == ENOTDIR) return Generations();
  if (!text.ok()) {
    return absl::Status(
        text.status().code(),
        absl::StrCat("what was disowned is not known: ", text.status().message(),
                     "; mend it, or disown everything with `ingot cache disown --all`"));
  }
  if (std::optional<Generations> generations = Decode(*text)) return *std::move(generations);
  return absl::DataLossError(
      absl::StrCat("what was disowned is not known: ", path,
                   " is damaged; disown everything with `ingot cache disown --all`"));
}

absl::StatusOr<Generations> Disown(const std::string& path, const DisownRequest& request,
                                   const std::function<absl::Time()>& clock) {
  ABSL_RETURN_IF_ERROR(Validate(request));
  const std::string folder = path.substr(0, path.rfind('/'));
  // 0700 is what the XDG Base Directory Specification says for folders that a program makes.
  ABSL_RETURN_IF_ERROR(MakeFolders(folder, 0700));
  const int lock = LockBeside(path);
  const absl::Cleanup unlock = [lock] {
    if (lock >= 0) close(lock);
  };
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    absl::StatusOr<Generations> generations = ReadGenerations(path);
    if (!generations.ok()) {
      if (!request.all) return generations.status();
      // Counted up from the time, which is above all that was ever counted up from 0.
      generations = Generations();
      generations->global.number = static_cast<uint64_t>(absl::ToUnixSeconds(clock()));
    }
    Apply(request, clock(), *generations);
    const std::string text = Encode(*generations);
    if (static_cast<int64_t>(text.size()) > kMaximumSize) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, " would hold more keys than one file may; disown a target, or all"));
    }
    ABSL_RETURN_IF_ERROR(WriteFileAtomically(folder, path, text, Durability::kSync));
    // Without a lock, another process that read the file before us may have replaced it since.
    const absl::StatusOr<Generations> written = ReadGenerations(path);
    if (written.ok() && Covers(*written, *generations)) return written;
  }
  return absl::UnavailableError(
      absl::StrCat(path, " is being changed by other processes; try again"));
}

}  // namespace ingot::cache
