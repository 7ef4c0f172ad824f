#include "cache/description.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/action.h"
#include "cache/digest.h"
#include "cache/merkle_tree.h"
#include "cache/reapi.h"
#include "cache/testing/in_memory_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

struct Request {
  EncodedTree tree;
  EncodedAction action;
};

// A tree with every kind of node.
Request MakeRequest() {
  MerkleTree tree;
  EXPECT_THAT(tree.AddFile("toolchain/cc", Sha256("tool"), true), IsOk());
  EXPECT_THAT(tree.AddFile("src/k.ll", Sha256("source"), false), IsOk());
  EXPECT_THAT(tree.AddSymlink("src/link.ll", "k.ll"), IsOk());
  EXPECT_THAT(tree.AddEmptyDirectory("tmp"), IsOk());
  EncodedTree encoded = tree.Encode();
  absl::StatusOr<EncodedAction> action =
      EncodeAction({.arguments = {"toolchain/cc", "--cpu=a", "src/k.ll"},
                    .environment_variables = {{"LANG", "C"}},
                    .output_paths = {"out/k.o"},
                    .input_root_digest = encoded.root_digest,
                    .platform = PlatformProperties{{"OSFamily", "linux"}, {"ISA", "x86-64"}},
                    .salt = "salt"});
  EXPECT_THAT(action, IsOk());
  return {std::move(encoded), *std::move(action)};
}

class DescriptionTest : public testing::Test {
 protected:
  void StoreAll(const Request& request) {
    Store(request.action.action);
    Store(request.action.command);
    for (const EncodedDirectory& directory : request.tree.directories) Store(directory.bytes);
  }

  Digest Store(std::string_view bytes) {
    EXPECT_THAT(blobs_.Put(Sha256(bytes), bytes, PutMode::kKeep), IsOk());
    return Sha256(bytes);
  }

  // An Action with the input root `root`, stored.
  ActionKey StoreActionOf(const Digest& root) {
    return ActionKey(Store(EncodeActionMessage(Sha256("no command"), root, std::nullopt, "")));
  }

  InMemoryBlobStore blobs_;
};

void ExpectWhole(const Description& description) {
  EXPECT_THAT(description.problems, IsEmpty());
  EXPECT_TRUE(description.has_command);
  EXPECT_THAT(description.arguments, ElementsAre("toolchain/cc", "--cpu=a", "src/k.ll"));
  EXPECT_THAT(description.environment_variables, ElementsAre(Pair("LANG", "C")));
  EXPECT_THAT(description.output_paths, ElementsAre("out/k.o"));
  EXPECT_EQ(description.platform, (PlatformProperties{{"ISA", "x86-64"}, {"OSFamily", "linux"}}));
  EXPECT_EQ(description.salt, "salt");
  EXPECT_THAT(description.files,
              ElementsAre(Pair("src/k.ll", DescribedFile{Sha256("source"), false}),
                          Pair("toolchain/cc", DescribedFile{Sha256("tool"), true})));
  EXPECT_THAT(description.symlinks, ElementsAre(Pair("src/link.ll", "k.ll")));
  EXPECT_THAT(description.folders, SizeIs(4));
  EXPECT_THAT(description.empty_folders, ElementsAre("tmp"));
  EXPECT_THAT(description.unread_folders, IsEmpty());
}

TEST_F(DescriptionTest, ReadsBackWhatWasStored) {
  const Request request = MakeRequest();
  StoreAll(request);
  absl::StatusOr<Description> description = ReadDescription(blobs_, request.action.key);
  ASSERT_THAT(description, IsOk());
  ExpectWhole(*description);
}

TEST_F(DescriptionTest, DescribesARequestFromItsMessages) {
  const Request request = MakeRequest();
  absl::StatusOr<Description> description = DescribeAction(request.action, request.tree);
  ASSERT_THAT(description, IsOk());
  ExpectWhole(*description);
}

TEST_F(DescriptionTest, WithoutTheActionThereIsNone) {
  const Request request = MakeRequest();
  EXPECT_THAT(ReadDescription(blobs_, request.action.key),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("the Action")));
  StoreAll(request);
  blobs_.SetBytes(request.action.key.digest(), "damaged");
  EXPECT_THAT(ReadDescription(blobs_, request.action.key), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(DescriptionTest, EachMissingOrDamagedPartIsAProblemAndTheRestIsThere) {
  const Request request = MakeRequest();
  for (const bool damaged : {false, true}) {
    const auto spoil = [&](const Digest& digest) {
      StoreAll(request);
      if (damaged) {
        blobs_.SetBytes(digest, "damaged");
      } else {
        blobs_.Remove(digest);
      }
      absl::StatusOr<Description> description = ReadDescription(blobs_, request.action.key);
      EXPECT_THAT(description, IsOk());
      EXPECT_THAT(description->problems, SizeIs(1));
      blobs_.Remove(digest);
      return *std::move(description);
    };
    const Description without_command = spoil(request.action.command_digest);
    EXPECT_FALSE(without_command.has_command);
    EXPECT_THAT(without_command.files, SizeIs(2));
    EXPECT_EQ(without_command.salt, "salt");
    const Description without_root = spoil(request.tree.root_digest);
    EXPECT_TRUE(without_root.has_command);
    EXPECT_THAT(without_root.files, IsEmpty());
    EXPECT_THAT(without_root.unread_folders, ElementsAre(""));
    for (const EncodedDirectory& directory : request.tree.directories) {
      if (directory.digest == request.tree.root_digest || directory.bytes.empty()) continue;
      const Description without_folder = spoil(directory.digest);
      EXPECT_THAT(without_folder.files, SizeIs(1));
      EXPECT_THAT(without_folder.unread_folders, SizeIs(1));
    }
  }
}

// Each level names the one below twice: a tree of few messages and 2^60 files.
TEST_F(DescriptionTest, ATreeThatExplodesIsCutOff) {
  reapi::Directory leaf;
  reapi::FileNode& file = *leaf.add_files();
  file.set_name("f");
  ToProto(Sha256("f"), *file.mutable_digest());
  Digest digest = Store(leaf.SerializeAsString());
  for (int level = 0; level < 60; ++level) {
    reapi::Directory folder;
    for (const char* name : {"a", "b"}) {
      reapi::DirectoryNode& node = *folder.add_directories();
      node.set_name(name);
      ToProto(digest, *node.mutable_digest());
    }
    digest = Store(folder.SerializeAsString());
  }
  absl::StatusOr<Description> description =
      ReadDescription(blobs_, StoreActionOf(digest), {.maximum_nodes = 1000});
  ASSERT_THAT(description, IsOk());
  EXPECT_LE(description->files.size() + description->folders.size(), 1001u);
  EXPECT_THAT(description->problems.back(), HasSubstr("more than 1000 entries"));
}

TEST_F(DescriptionTest, ATreeThatIsTooDeepIsCutOff) {
  reapi::Directory leaf;
  leaf.add_files()->set_name("f");
  Digest digest = Store(leaf.SerializeAsString());
  for (int level = 0; level < 100; ++level) {
    reapi::Directory folder;
    reapi::DirectoryNode& node = *folder.add_directories();
    node.set_name("d");
    ToProto(digest, *node.mutable_digest());
    digest = Store(folder.SerializeAsString());
  }
  absl::StatusOr<Description> description = ReadDescription(blobs_, StoreActionOf(digest));
  ASSERT_THAT(description, IsOk());
  EXPECT_THAT(description->unread_folders, SizeIs(1));
  EXPECT_THAT(description->problems, testing::Contains(HasSubstr("too deep")));
}

TEST_F(DescriptionTest, ImpossibleNamesAndDigestsAreProblems) {
  reapi::Directory root;
  for (const std::string_view name : {"", ".", "..", "a/b"}) {
    reapi::FileNode& node = *root.add_files();
    node.set_name(std::string(name));
    ToProto(Sha256("f"), *node.mutable_digest());
  }
  root.add_files()->set_name("no-digest");
  reapi::DirectoryNode& outside = *root.add_directories();
  outside.set_name("dir");
  outside.mutable_digest()->set_hash("../../etc/passwd");
  absl::StatusOr<Description> description =
      ReadDescription(blobs_, StoreActionOf(Store(root.SerializeAsString())));
  ASSERT_THAT(description, IsOk());
  EXPECT_THAT(description->files, IsEmpty());
  EXPECT_THAT(description->problems, SizeIs(7));  // with the Command
}

TEST_F(DescriptionTest, AMessageOfAnImpossibleSizeIsNotRead) {
  Digest huge = Sha256("root");
  huge.size_bytes = int64_t{1} << 40;
  absl::StatusOr<Description> description = ReadDescription(blobs_, StoreActionOf(huge));
  ASSERT_THAT(description, IsOk());
  EXPECT_THAT(description->problems, testing::Contains(HasSubstr("too large")));
}

// What Bazel writes: output_paths beside a timeout and a platform, and names of its own.
TEST_F(DescriptionTest, ReadsActionsOfOthers) {
  reapi::Command command;
  command.add_arguments("/bin/bash");
  command.add_output_paths("bazel-out/x");
  command.set_working_directory("w");
  reapi::Action action;
  ToProto(Store(command.SerializeAsString()), *action.mutable_command_digest());
  ToProto(EmptyDigest(), *action.mutable_input_root_digest());
  action.mutable_timeout()->set_seconds(90);
  action.set_do_not_cache(true);
  absl::StatusOr<Description> description =
      ReadDescription(blobs_, ActionKey(Store(action.SerializeAsString())));
  ASSERT_THAT(description, IsOk());
  EXPECT_THAT(description->problems, IsEmpty());
  EXPECT_EQ(description->working_directory, "w");
  EXPECT_EQ(description->timeout_seconds, 90);
  EXPECT_TRUE(description->do_not_cache);
  EXPECT_FALSE(description->platform.has_value());
}

}  // namespace
}  // namespace ingot::cache
