#include "cache/testing/temporary_directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/log/check.h"

namespace ingot::cache {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory() {
  const char* parent = getenv("TEST_TMPDIR");
  std::string path =
      fs::canonical(parent != nullptr ? parent : "/tmp").string() + "/ingot-test-XXXXXX";
  CHECK(mkdtemp(path.data()) != nullptr) << path;
  path_ = path;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  // What a test made read-only must go too.
  for (fs::recursive_directory_iterator it(path_, ignored), end; it != end; it.increment(ignored)) {
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
      chmod(it->path().c_str(), 0700);
    }
  }
  fs::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryDirectory::Files() const {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), path_).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadTestFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  CHECK(in.good()) << path;
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

void WriteTestFile(const std::string& path, std::string_view bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  CHECK(out.good()) << path;
}

void AgeTestFile(const std::string& path, int seconds) {
  struct timespec times[2];
  CHECK_EQ(clock_gettime(CLOCK_REALTIME, &times[0]), 0);
  times[0].tv_sec -= seconds;
  times[1] = times[0];
  CHECK_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0) << path;
}

}  // namespace ingot::cache
