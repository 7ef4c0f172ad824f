// A directory for one test, removed with all it holds when the object goes.
//
//   TemporaryDirectory directory;
//   LocalBlobStore store(directory.path() + "/store");

#ifndef INGOT_CACHE_TESTING_TEMPORARY_DIRECTORY_H_
#define INGOT_CACHE_TESTING_TEMPORARY_DIRECTORY_H_

#include <string>
#include <string_view>
#include <vector>

namespace ingot::cache {

// Aborts the test program if the directory cannot be made.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  // Absolute, without symlinks.
  const std::string& path() const { return path_; }

  // Paths of all files below, relative to path(), sorted. Directories and what is not a regular
  // file are left out.
  std::vector<std::string> Files() const;

 private:
  std::string path_;
};

// The bytes of a file; aborts if it can't be read.
std::string ReadTestFile(const std::string& path);

// Writes a file and the directories above it; aborts if it can't.
void WriteTestFile(const std::string& path, std::string_view bytes);

// Sets atime and mtime of a file to a number of seconds before now.
void AgeTestFile(const std::string& path, int seconds);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_TESTING_TEMPORARY_DIRECTORY_H_
