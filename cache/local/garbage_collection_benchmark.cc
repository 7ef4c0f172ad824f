// Makes a store of many small files in a folder and measures collecting it.
//
//   bazel run -c opt //cache/local:garbage_collection_benchmark -- /var/tmp/gc-benchmark 1000000
//
// The folder must not be there; it is removed at the end. It should be on the disk whose speed is
// in question, not in memory. Run it alone: peak memory is that of this process.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/digest.h"
#include "cache/local/garbage_collection.h"
#include "cache/local/reset.h"

namespace ingot::cache {
namespace {

constexpr int64_t kDefaultFiles = 1'000'000;
constexpr int64_t kFileSize = 64;

// A fifth are entries of the action cache, as with results of one output, Action and Command. Ages
// are spread over a month, in no order.
bool Make(const std::string& root, int64_t files, absl::Time now) {
  for (const char* kind : {"", "/ac", "/cas"}) {
    if (mkdir((root + kind).c_str(), 0777) != 0) return false;
  }
  for (const char* kind : {"/ac/", "/cas/"}) {
    for (int shard = 0; shard < 256; ++shard) {
      const std::string path = absl::StrCat(root, kind, absl::Hex(shard, absl::kZeroPad2));
      if (mkdir(path.c_str(), 0777) != 0) return false;
    }
  }
  const std::string bytes(kFileSize, 'x');
  for (int64_t i = 0; i < files; ++i) {
    const std::string hash = Sha256(absl::StrCat(i)).hash;
    const std::string path = absl::StrCat(root, i % 5 == 0 ? "/ac/" : "/cas/",
                                          std::string_view(hash).substr(0, 2), "/", hash);
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const timespec used = absl::ToTimespec(now - absl::Seconds(i * 7919 % 2'592'000));
    const timespec times[2] = {used, used};
    if (fd < 0 || write(fd, bytes.data(), bytes.size()) != kFileSize || futimens(fd, times) != 0 ||
        close(fd) != 0) {
      return false;
    }
  }
  return true;
}

// Of all threads, in the program and in the kernel: what a busy machine cannot change much.
double CpuSeconds() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return absl::ToDoubleSeconds(absl::DurationFromTimeval(usage.ru_utime) +
                               absl::DurationFromTimeval(usage.ru_stime));
}

int64_t PeakMegabytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

bool Measure(std::string_view what, const std::string& root,
             const GarbageCollectionOptions& options) {
  const absl::Time start = absl::Now();
  const double cpu = CpuSeconds();
  const absl::StatusOr<GarbageCollectionResult> result = CollectGarbage(root, options);
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
    return false;
  }
  std::printf(
      "%-26s %8.2f s, CPU %6.2f s   %9lld files before, %9lld after, %9lld removed; peak %lld MB\n",
      std::string(what).c_str(), absl::ToDoubleSeconds(absl::Now() - start), CpuSeconds() - cpu,
      static_cast<long long>(result->files_before), static_cast<long long>(result->files_after),
      static_cast<long long>(result->removed_files), static_cast<long long>(PeakMegabytes()));
  std::fflush(stdout);
  return true;
}

int Run(const std::string& root, int64_t files) {
  const absl::Time now = absl::Now();
  if (!Make(root, files, now)) {
    std::perror(root.c_str());
    return 1;
  }
  std::printf("made %lld files of %lld bytes in %.1f s\n", static_cast<long long>(files),
              static_cast<long long>(kFileSize), absl::ToDoubleSeconds(absl::Now() - now));
  std::fflush(stdout);
  sync();
  // Dropped where that is allowed, so that the first scan is a cold one.
  if (const int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC); fd >= 0) {
    std::printf("caches dropped: %s\n", write(fd, "3", 1) == 1 ? "yes" : "no");
    close(fd);
  }
  const int64_t size = files * kFileSize;
  const bool done =
      Measure("nothing to do, cold", root, {.max_size = size, .now = now}) &&
      Measure("nothing to do, warm", root, {.max_size = size, .now = now}) &&
      Measure("dry run of half", root, {.max_size = size / 2, .dry_run = true, .now = now}) &&
      Measure("the oldest fifth, by age", root, {.max_age = absl::Hours(24 * 24), .now = now}) &&
      Measure("all but a thousandth", root, {.max_size = size / 1000, .now = now});
  const absl::Time before_reset = absl::Now();
  const bool reset = ResetStore(root).ok();
  std::printf("reset of the rest          %8.2f s\n",
              absl::ToDoubleSeconds(absl::Now() - before_reset));
  for (const char* path : {"/tmp", "/gc/lock"}) (void)remove((root + path).c_str());
  for (const char* path : {"/gc", ""}) (void)rmdir((root + path).c_str());
  return done && reset ? 0 : 1;
}

}  // namespace
}  // namespace ingot::cache

int main(int argc, char** argv) {
  int64_t files = ingot::cache::kDefaultFiles;
  if (argc < 2 || argc > 3 || (argc == 3 && !absl::SimpleAtoi(argv[2], &files))) {
    std::fprintf(stderr, "Usage: %s NEW-FOLDER [NUMBER-OF-FILES]\n", argv[0]);
    return 2;
  }
  return ingot::cache::Run(argv[1], files);
}
