#include "cache/in_flight.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/local/bounded_wait.h"
#include "cache/local/file.h"

namespace ingot::cache {
namespace {

// 15 hexadecimal digits are 60 bits, which an offset of a file can be; the file need not be that
// long.
off_t OffsetOf(const ActionKey& key) {
  uint64_t offset = 0;
  (void)absl::SimpleHexAtoi(key.hash().substr(0, 15), &offset);
  return static_cast<off_t>(offset);
}

int OpenLockFile(const std::string& path) {
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  int fd = open(path.c_str(), flags, 0666);
  if (fd < 0 && errno == ENOENT) {
    if (!MakeFolders(path.substr(0, path.rfind('/')), 0700).ok()) return -1;
    fd = open(path.c_str(), flags, 0666);
  }
  return fd;
}

}  // namespace

InFlightClaim::~InFlightClaim() {
  if (fd_ >= 0) close(fd_);
}

InFlightClaim ClaimInFlight(const std::string& path, const ActionKey& key,
                            absl::Duration maximum_wait) {
  using Outcome = InFlightClaim::Outcome;
  const int fd = OpenLockFile(path);
  if (fd < 0) return {Outcome::kUnavailable, -1};
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = OffsetOf(key);
  lock.l_len = 1;
  // The pause grows to a small part of what a compilation takes.
  constexpr absl::Duration kFirstPause = absl::Microseconds(200);
  constexpr absl::Duration kLongestPause = absl::Milliseconds(5);
  Outcome outcome = Outcome::kFirst;
  const bool decided = TryFor(maximum_wait, kFirstPause, kLongestPause, [&] {
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0) return true;
    const bool is_held = errno == EAGAIN || errno == EACCES || errno == EINTR;
    outcome = is_held ? Outcome::kWaited : Outcome::kUnavailable;
    return !is_held;
  });
  if (!decided) outcome = Outcome::kTimedOut;
  if (outcome == Outcome::kFirst || outcome == Outcome::kWaited) return {outcome, fd};
  close(fd);
  return {outcome, -1};
}

}  // namespace ingot::cache
