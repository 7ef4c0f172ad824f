#include "tools/driver/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::driver {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() : folder_(fs::path(::testing::TempDir()) / "files_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  std::string Read(const std::string& path) const {
    absl::StatusOr<std::string> contents = ReadInput(path);
    return contents.ok() ? *contents : contents.status().ToString();
  }

  fs::path folder_;
};

TEST_F(FilesTest, WritesWhatItReads) {
  const std::string contents = std::string("a\0b\n", 4) + std::string(200000, 'x');
  ASSERT_TRUE(WriteOutput(Path("f"), contents).ok());
  EXPECT_EQ(Read(Path("f")), contents);
  ASSERT_TRUE(WriteOutput(Path("f"), "").ok());
  EXPECT_EQ(Read(Path("f")), "");
}

TEST_F(FilesTest, LeavesNothingBeside) {
  ASSERT_TRUE(WriteOutput(Path("f"), "x").ok());
  int entries = 0;
  for ([[maybe_unused]] const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    ++entries;
  }
  EXPECT_EQ(entries, 1);
}

// What a killed process leaves when there was an output to replace: the next one takes it away.
TEST_F(FilesTest, TakesAwayWhatADeadProcessLeft) {
  ASSERT_TRUE(WriteOutput(Path("f"), "x").ok());
  const std::string leftover = Path(".ingot-" + cache::Sha256("f").hash.substr(0, 16));
  std::ofstream(leftover) << "half";
  ASSERT_TRUE(WriteOutput(Path("f"), "y").ok());
  EXPECT_EQ(Read(Path("f")), "y");
  EXPECT_FALSE(fs::exists(leftover));
}

TEST_F(FilesTest, ManyWritersOfOneOutput) {
  ASSERT_TRUE(WriteOutput(Path("f"), std::string(1000, 'x')).ok());
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_TRUE(WriteOutput(Path("f"), std::string(1000, static_cast<char>('a' + i))).ok());
        const std::string seen = Read(Path("f"));
        EXPECT_EQ(seen, std::string(1000, seen.at(0)));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FilesTest, FollowsALink) {
  ASSERT_TRUE(WriteOutput(Path("target"), "old").ok());
  fs::create_symlink("target", Path("link"));
  ASSERT_TRUE(WriteOutput(Path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Read(Path("target")), "new");
}

TEST_F(FilesTest, FollowsALinkToNothingYet) {
  fs::create_symlink("target", Path("link"));
  ASSERT_TRUE(WriteOutput(Path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Read(Path("target")), "new");
  fs::create_symlink("loop", Path("loop"));
  EXPECT_FALSE(WriteOutput(Path("loop"), "x").ok());
}

TEST_F(FilesTest, KeepsTheModeOfAFile) {
  ASSERT_TRUE(WriteOutput(Path("f"), "x").ok());
  fs::permissions(Path("f"), fs::perms::owner_all);
  ASSERT_TRUE(WriteOutput(Path("f"), "y").ok());
  EXPECT_EQ(fs::status(Path("f")).permissions(), fs::perms::owner_all);
}

TEST_F(FilesTest, TakesTheLongestNames) {
  const std::string longest(255, 'n');
  EXPECT_TRUE(WriteOutput(Path(longest), "x").ok());
  EXPECT_EQ(Read(Path(longest)), "x");
  const absl::Status too_long = WriteOutput(Path(longest + "n"), "x");
  EXPECT_EQ(too_long.code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(FilesTest, WritesToADevice) {
  EXPECT_TRUE(WriteOutput("/dev/null", "x").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FilesTest, UsesTheUmask) {
  ASSERT_TRUE(WriteOutput(Path("f"), "x").ok());
  const mode_t mask = umask(0);
  umask(mask);
  struct stat info = {};
  ASSERT_EQ(stat(Path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0666 & ~mask);
}

TEST_F(FilesTest, TheSameFileByTwoNames) {
  ASSERT_TRUE(WriteOutput(Path("f"), "x").ok());
  fs::create_symlink("f", Path("link"));
  EXPECT_TRUE(IsSameFile(Path("f"), Path("./f")));
  EXPECT_TRUE(IsSameFile(Path("f"), Path("link")));
  EXPECT_FALSE(IsSameFile(Path("f"), Path("gone")));
  EXPECT_FALSE(IsSameFile("-", "-"));
}

TEST_F(FilesTest, ErrorsNameThePath) {
  EXPECT_EQ(ReadInput(Path("gone")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(ReadInput(Path("gone")).status().message()), HasSubstr(Path("gone")));
  EXPECT_THAT(std::string(ReadInput(folder_.string()).status().message()), HasSubstr("folder"));
  EXPECT_THAT(std::string(WriteOutput(Path("no/f"), "x").message()), HasSubstr("does not exist"));
  EXPECT_THAT(std::string(WriteOutput(folder_.string(), "x").message()), HasSubstr("folder"));
}

}  // namespace
}  // namespace ingot::driver
