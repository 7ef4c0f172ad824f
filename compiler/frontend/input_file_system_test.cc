#include "compiler/frontend/input_file_system.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "compiler/invocation/dependencies.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/MemoryBuffer.h"

namespace ingot::compiler {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kSource = "int main(void);\n";
constexpr std::string_view kSha256OfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// A folder of the user's, and the file systems that look into it.
class InputFileSystemTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "input_file_system_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    start_ = fs::current_path();
  }

  void TearDown() override {
    fs::current_path(start_);
    fs::remove_all(folder_);
  }

  void Write(std::string_view path, std::string_view contents) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path, std::ios::binary) << contents;
  }

  // `src` is folder_/lib and `inc/0` is folder_/include, which -isystem named.
  llvm::IntrusiveRefCntPtr<InputFileSystem> OnHost() const {
    return Make({.canonical = true,
                 .host_roots = {{"src", folder_ / "lib"}, {"inc/0", folder_ / "include"}},
                 .system_roots = {"inc/0"}});
  }

  // As on a worker: the working directory is an input root.
  llvm::IntrusiveRefCntPtr<InputFileSystem> OnWorker() const {
    fs::current_path(folder_);
    return Make({.canonical = true});
  }

  // As under Bazel.
  llvm::IntrusiveRefCntPtr<InputFileSystem> Plain() const {
    fs::current_path(folder_);
    return Make({});
  }

  static llvm::IntrusiveRefCntPtr<InputFileSystem> Make(FileSources sources) {
    return llvm::makeIntrusiveRefCnt<InputFileSystem>(
        std::move(sources), llvm::MemoryBufferRef({kSource.data(), kSource.size()}, "src/main.c"));
  }

  // The contents, or the error in angle brackets.
  static std::string Read(InputFileSystem& files, const std::string& path) {
    auto buffer = files.getBufferForFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "<" + buffer.getError().message() + ">";
  }

  static std::string Missing() {
    return "<" + std::make_error_code(std::errc::no_such_file_or_directory).message() + ">";
  }

  fs::path folder_;
  fs::path start_;
};

TEST_F(InputFileSystemTest, TheMainSourceIsTheStagedOneWhateverIsOnDisk) {
  Write("lib/main.c", "changed since");
  const auto files = OnHost();
  EXPECT_EQ(Read(*files, "src/main.c"), kSource);
  EXPECT_EQ(Read(*files, "./src/main.c"), kSource);
  EXPECT_EQ(Read(*files, "/ingot/src/main.c"), kSource);
  EXPECT_EQ(files->dependencies(), Dependencies());
}

TEST_F(InputFileSystemTest, RootsAreWhereTheUserHasThem) {
  Write("lib/near.h", "abc");
  Write("include/deep/far.h", "far");
  const auto files = OnHost();
  EXPECT_EQ(Read(*files, "src/near.h"), "abc");
  EXPECT_EQ(Read(*files, "inc/0/deep/far.h"), "far");
  EXPECT_EQ(Read(*files, "src/near.h"), "abc");
  ASSERT_THAT(files->dependencies().files, SizeIs(2)) << "each once, in the order of reading";
  const compiler::ReadFile& near = files->dependencies().files[0];
  EXPECT_EQ(near.requested, "src/near.h");
  EXPECT_EQ(near.sha256, kSha256OfAbc);
  EXPECT_FALSE(near.system);
  struct stat status = {};
  ASSERT_EQ(stat((folder_ / "lib/near.h").c_str(), &status), 0);
  EXPECT_EQ(near.identity.inode, status.st_ino);
  EXPECT_EQ(near.identity.device, status.st_dev);
  EXPECT_EQ(near.identity.size, 3u);
  EXPECT_EQ(near.identity.mtime_ns / 1'000'000'000, status.st_mtim.tv_sec);
  EXPECT_EQ(files->dependencies().files[1].requested, "inc/0/deep/far.h");
  EXPECT_TRUE(files->dependencies().files[1].system);
  EXPECT_THAT(files->dependencies().conflict, IsEmpty());
}

TEST_F(InputFileSystemTest, AFolderThatWasNotNamedSpoilsTheRecord) {
  const auto files = OnHost();
  EXPECT_EQ(Read(*files, "inc/7/x.h"), Missing());
  EXPECT_EQ(files->dependencies().conflict,
            "no result can be stored, since inc/7/x.h is below a folder that was not named");
}

TEST_F(InputFileSystemTest, AbsencesAndDirectoriesAreRecorded) {
  Write("lib/sub/x.h", "x");
  Write("lib/file", "x");
  const auto files = OnHost();
  EXPECT_EQ(Read(*files, "src/none.h"), Missing());
  EXPECT_FALSE(files->status("src/file/x.h"));
  EXPECT_FALSE(files->status("src/none.h"));
  EXPECT_FALSE(files->openFileForRead("src/sub"));
  const auto directory = files->status("src/sub");
  ASSERT_TRUE(directory);
  EXPECT_TRUE(directory->isDirectory());
  EXPECT_THAT(files->dependencies().absences,
              ElementsAre(Absence{.requested = "src/none.h"}, Absence{.requested = "src/file/x.h"},
                          Absence{.requested = "src/sub", .directory = true}));
  EXPECT_THAT(files->dependencies().files, IsEmpty());
}

TEST_F(InputFileSystemTest, AnswersDoNotChange) {
  Write("lib/x.h", "old");
  const auto files = OnHost();
  EXPECT_EQ(Read(*files, "src/x.h"), "old");
  EXPECT_EQ(Read(*files, "src/y.h"), Missing());
  Write("lib/x.h", "new");
  Write("lib/y.h", "new");
  EXPECT_EQ(Read(*files, "src/x.h"), "old");
  EXPECT_EQ(Read(*files, "src/y.h"), Missing());
}

TEST_F(InputFileSystemTest, RootsExistWhereverTheUserIs) {
  const auto files = OnHost();
  for (const std::string root : {".", "src", "inc/0", "inc/5"}) {
    const auto status = files->status(root);
    ASSERT_TRUE(status) << root;
    EXPECT_TRUE(status->isDirectory()) << root;
  }
  EXPECT_NE(files->status("src")->getUniqueID(), files->status("inc/0")->getUniqueID());
  EXPECT_EQ(files->dependencies(), Dependencies());
}

TEST_F(InputFileSystemTest, ParentsOfARootAreTheUsersOnTheHost) {
  Write("lib/x.h", "lib");
  Write("config.h", "abc");
  const auto files = OnHost();
  EXPECT_EQ(Read(*files, "src/../config.h"), "abc");
  EXPECT_EQ(Read(*files, "src/../none.h"), Missing());
  EXPECT_THAT(files->dependencies().files,
              ElementsAre(AllOf(Field(&compiler::ReadFile::requested, "src/../config.h"),
                                Field(&compiler::ReadFile::sha256, kSha256OfAbc))));
  EXPECT_THAT(files->dependencies().absences, ElementsAre(Absence{.requested = "src/../none.h"}));
}

TEST_F(InputFileSystemTest, AWorkerReadsCanonicalPaths) {
  Write("inc/0/x.h", "include");
  Write("up/src/1/config.h", "up");
  Write("abs/opt/y.h", "absolute");
  Write("config.h", "beside the roots");
  const auto files = OnWorker();
  EXPECT_EQ(Read(*files, "inc/0/x.h"), "include");
  EXPECT_EQ(Read(*files, "inc/0/nowhere/../x.h"), "include") << "there are no folders but of files";
  EXPECT_EQ(Read(*files, "src/../config.h"), "up");
  EXPECT_EQ(Read(*files, "/opt/y.h"), "absolute");
  EXPECT_EQ(Read(*files, "config.h"), Missing());
}

TEST_F(InputFileSystemTest, AbsolutePathsAreTheHosts) {
  Write("x.h", "abc");
  const auto files = OnHost();
  EXPECT_EQ(Read(*files, folder_ / "x.h"), "abc");
  EXPECT_THAT(files->dependencies().files,
              ElementsAre(Field(&compiler::ReadFile::requested, (folder_ / "x.h").string())));
}

TEST_F(InputFileSystemTest, NamesOfOneFileHaveOneIdentity) {
  Write("include/x.h", "abc");
  Write("include/same.h", "abc");
  fs::create_directories(folder_ / "lib");
  fs::create_symlink("../include/x.h", folder_ / "lib/alias.h");
  const auto files = OnHost();
  const auto id = files->status("inc/0/x.h")->getUniqueID();
  EXPECT_EQ(files->status("src/alias.h")->getUniqueID(), id);
  EXPECT_EQ(files->status("src/../include/x.h")->getUniqueID(), id);
  EXPECT_NE(files->status("inc/0/same.h")->getUniqueID(), id) << "equal bytes are not one file";
  EXPECT_EQ(files->dependencies().files[0].identity, files->dependencies().files[1].identity);
}

// The kernel follows `away`, a canonical path does not. The record shows both files;
// BuildSourceTree() (compiler/plan) then makes no input root of them.
TEST_F(InputFileSystemTest, TwoFilesOfOneCanonicalPathAreToldApartInTheRecord) {
  Write("lib/x.h", "near");
  Write("elsewhere/x.h", "far");
  fs::create_directories(folder_ / "elsewhere/sub");
  fs::create_symlink("../elsewhere/sub", folder_ / "lib/away");
  const auto files = OnHost();
  EXPECT_EQ(Read(*files, "src/x.h"), "near");
  EXPECT_EQ(Read(*files, "src/away/../x.h"), "far");
  ASSERT_THAT(files->dependencies().files, SizeIs(2));
  const compiler::ReadFile& near = files->dependencies().files[0];
  const compiler::ReadFile& far = files->dependencies().files[1];
  EXPECT_EQ(CanonicalPath(near.requested), CanonicalPath(far.requested));
  EXPECT_NE(near.identity.inode, far.identity.inode);
}

TEST_F(InputFileSystemTest, WhatCouldBlockIsRefused) {
  fs::create_directories(folder_ / "lib");
  ASSERT_EQ(mkfifo((folder_ / "lib/pipe.h").c_str(), 0600), 0);
  const auto files = OnHost();
  const auto status = files->status("src/pipe.h");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.getError(), std::errc::operation_not_supported);
  EXPECT_THAT(files->dependencies().conflict,
              HasSubstr("no result can be stored, since src/pipe.h cannot be read: "));
  EXPECT_THAT(files->dependencies().absences, IsEmpty());
  EXPECT_FALSE(OnHost()->status("/dev/zero"));
}

TEST_F(InputFileSystemTest, TheNullDeviceIsAnEmptyFile) {
  const auto files = OnHost();
  EXPECT_EQ(Read(*files, "/dev/null"), "");
  EXPECT_TRUE(files->status("/dev/null")->isRegularFile());
  EXPECT_THAT(files->dependencies().files,
              ElementsAre(Field(&compiler::ReadFile::requested, "/dev/null")));
  EXPECT_THAT(files->dependencies().conflict, IsEmpty());
}

TEST_F(InputFileSystemTest, APlainPathIsBelowTheWorkingDirectory) {
  Write("work/pkg/x.h", "abc");
  Write("outside.h", "outside");
  folder_ /= "work";
  {
    const auto files = Plain();
    EXPECT_EQ(Read(*files, "pkg/x.h"), "abc");
    EXPECT_EQ(Read(*files, "pkg/../pkg/./x.h"), "abc");
    EXPECT_EQ(Read(*files, "../outside.h"), Missing());
    EXPECT_EQ(Read(*files, "pkg/../../outside.h"), Missing());
    EXPECT_EQ(Read(*files, "../work/pkg/x.h"), Missing()) << "it would show where that is";
    EXPECT_EQ(Read(*files, folder_ / "pkg/x.h"), "<Operation not permitted>");
    EXPECT_EQ(files->dependencies(), Dependencies()) << "Bazel knows the inputs";
  }
  folder_ = folder_.parent_path();
}

TEST_F(InputFileSystemTest, NothingShowsTheMachine) {
  Write("lib/x.h", "abc");
  const auto files = OnHost();
  const auto status = files->status("src/x.h");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->getLastModificationTime(), llvm::sys::TimePoint<>());
  EXPECT_EQ(status->getUser(), 0u);
  EXPECT_EQ(status->getName(), "src/x.h");
  EXPECT_EQ(*files->getCurrentWorkingDirectory(), "/ingot");
  EXPECT_TRUE(files->setCurrentWorkingDirectory("/"));
  llvm::SmallString<64> real;
  EXPECT_FALSE(files->getRealPath("src/x.h", real));
  EXPECT_EQ(real, "src/x.h");
  std::error_code error;
  files->dir_begin("src", error);
  EXPECT_TRUE(error);
}

TEST_F(InputFileSystemTest, ResourceHeadersAreServedAndNotRecorded) {
  for (const auto& files : {OnHost(), OnWorker(), Plain()}) {
    EXPECT_THAT(Read(*files, "toolchain/include/stdint.h"), HasSubstr("int32_t"));
    EXPECT_EQ(Read(*files, "toolchain/include/no_such.h"), Missing());
    EXPECT_TRUE(files->status("toolchain/include")->isDirectory());
    EXPECT_EQ(files->dependencies(), Dependencies());
  }
}

}  // namespace
}  // namespace ingot::compiler
