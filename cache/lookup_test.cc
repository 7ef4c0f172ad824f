#include "cache/lookup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/action.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/local/local_store.h"
#include "cache/merkle_tree.h"
#include "cache/not_asked.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"
#include "cache/testing/compilation.h"
#include "cache/testing/in_memory_store.h"
#include "cache/testing/temporary_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kObject = "the object file";
constexpr std::string_view kMap = "the map file";
constexpr std::string_view kStderr = "k.ll:1:1: warning: something\n";

class LookupTest : public testing::Test {
 protected:
  LookupTest() : outputs_{{"out.o", kObject, false}, {"out.map", kMap, true}} {}

  PublishRequest Request() { return compilation_.Request(outputs_, kStderr); }

  absl::StatusOr<PublishResult> PublishIt() { return Publish(entries_, blobs_, Request()); }

  LookupResult LookItUp() {
    return Lookup(entries_, blobs_, compilation_.action.key, compilation_.output_paths);
  }

  // Puts an entry of another program's making in the cache.
  void SetForeignEntry(const reapi::ActionResult& result) {
    entries_.SetBytes(compilation_.action.key, result.SerializeAsString());
  }

  reapi::ActionResult ForeignResult() {
    reapi::ActionResult result;
    for (const OutputContents& output : outputs_) {
      reapi::OutputFile& file = *result.add_output_files();
      file.set_path(output.path);
      ToProto(Sha256(output.contents), *file.mutable_digest());
      EXPECT_THAT(blobs_.Put(Sha256(output.contents), output.contents, PutMode::kKeep), IsOk());
    }
    result.mutable_execution_metadata()->set_worker("worker-7");
    return result;
  }

  const Compilation compilation_ = Compilation::Make();
  const std::vector<OutputContents> outputs_;
  CallLog log_;
  InMemoryBlobStore blobs_{&log_};
  InMemoryActionCache entries_{&log_};
};

TEST_F(LookupTest, NothingStoredIsAMissWithoutAMessage) {
  const LookupResult found = LookItUp();
  EXPECT_FALSE(found.hit.has_value());
  EXPECT_EQ(found.miss_reason, MissReason::kNotFound);
  EXPECT_EQ(found.message, "");
  EXPECT_FALSE(NeedsOverwrite(found.miss_reason));
}

TEST_F(LookupTest, APublishedResultIsAHit) {
  absl::StatusOr<PublishResult> published = PublishIt();
  ASSERT_THAT(published, IsOk());
  EXPECT_FALSE(published->different_result);
  EXPECT_FALSE(published->already_present);
  EXPECT_GT(published->bytes_written,
            static_cast<int64_t>(kObject.size() + kMap.size() + kStderr.size()));

  const LookupResult found = LookItUp();
  ASSERT_TRUE(found.hit.has_value()) << found.message;
  EXPECT_EQ(found.miss_reason, MissReason::kNone);
  ASSERT_THAT(found.hit->output_files, SizeIs(2));
  EXPECT_EQ(found.hit->output_files[0].path, "out.o");
  EXPECT_EQ(found.hit->output_files[0].contents, kObject);
  EXPECT_EQ(found.hit->output_files[0].digest, Sha256(kObject));
  EXPECT_FALSE(found.hit->output_files[0].is_executable);
  EXPECT_EQ(found.hit->output_files[1].path, "out.map");
  EXPECT_EQ(found.hit->output_files[1].contents, kMap);
  EXPECT_TRUE(found.hit->output_files[1].is_executable);
  EXPECT_EQ(found.hit->stdout_raw, "");
  EXPECT_EQ(found.hit->stderr_raw, kStderr);
  EXPECT_EQ(found.hit->execution_metadata.execution_start_timestamp().seconds(), 1'700'000'000);
  EXPECT_EQ(found.hit->execution_metadata.auxiliary_metadata_size(), 0);
  EXPECT_EQ(found.bytes_read, static_cast<int64_t>(kObject.size() + kMap.size() + kStderr.size()));
}

TEST_F(LookupTest, SaysWhetherTheStoreWasAsked) {
  entries_.SetFault(absl::UnavailableError("down"));
  EXPECT_FALSE(LookItUp().not_asked);
  entries_.SetFault(MarkNotAsked(absl::UnavailableError("not asked any more")));
  EXPECT_TRUE(LookItUp().not_asked);
  EXPECT_EQ(LookItUp().miss_reason, MissReason::kStoreError);
  entries_.SetFault(absl::OkStatus());
  ASSERT_THAT(PublishIt(), IsOk());
  EXPECT_FALSE(LookItUp().not_asked);
  blobs_.SetFault(MarkNotAsked(absl::UnavailableError("not asked any more")));
  EXPECT_TRUE(LookItUp().not_asked);
}

TEST_F(LookupTest, BlobsComeBeforeWhatNamesThem) {
  ASSERT_THAT(PublishIt(), IsOk());
  std::vector<std::string> expected = {
      absl::StrCat("get ac ", compilation_.action.key.hash()),
      absl::StrCat("put cas ", Sha256(kObject).hash),
      absl::StrCat("put cas ", Sha256(kMap).hash),
      absl::StrCat("put cas ", Sha256(kStderr).hash),
  };
  for (const EncodedDirectory& directory : compilation_.tree.directories) {
    expected.push_back(absl::StrCat("put cas ", directory.digest.hash));
  }
  expected.push_back(absl::StrCat("put cas ", compilation_.action.command_digest.hash));
  expected.push_back(absl::StrCat("put cas ", compilation_.action.key.hash()));
  expected.push_back(absl::StrCat("insert ac ", compilation_.action.key.hash()));
  EXPECT_THAT(log_.Take(), ElementsAreArray(expected));
}

TEST_F(LookupTest, AHitReadsTheEntryFirst) {
  ASSERT_THAT(PublishIt(), IsOk());
  log_.Take();
  ASSERT_TRUE(LookItUp().hit.has_value());
  EXPECT_THAT(log_.Take(), ElementsAre(absl::StrCat("get ac ", compilation_.action.key.hash()),
                                       absl::StrCat("get cas ", Sha256(kObject).hash),
                                       absl::StrCat("get cas ", Sha256(kMap).hash),
                                       absl::StrCat("get cas ", Sha256(kStderr).hash)));
}

TEST_F(LookupTest, WhatAnExplanationNeedsIsStored) {
  ASSERT_THAT(PublishIt(), IsOk());
  EXPECT_THAT(blobs_.Get(compilation_.action.key.digest()),
              IsOkAndHolds(compilation_.action.action));
  EXPECT_THAT(blobs_.Get(compilation_.action.command_digest),
              IsOkAndHolds(compilation_.action.command));
  EXPECT_THAT(blobs_.Get(compilation_.tree.root_digest),
              IsOkAndHolds(compilation_.tree.directories[0].bytes));
}

TEST_F(LookupTest, EmptyOutputsNeedNoBlob) {
  const std::vector<OutputContents> empty = {{"out.o", "", false}, {"out.map", "", false}};
  PublishRequest request = Request();
  request.output_files = empty;
  request.stderr_raw = "";
  ASSERT_THAT(Publish(entries_, blobs_, request), IsOk());
  const LookupResult found = LookItUp();
  ASSERT_TRUE(found.hit.has_value()) << found.message;
  EXPECT_EQ(found.hit->output_files[0].contents, "");
  EXPECT_EQ(found.bytes_read, 0);
}

struct DamageCase {
  std::string_view name;
  MissReason reason;
  void (*damage)(InMemoryBlobStore&, InMemoryActionCache&, const ActionKey&);
  std::string_view message;

  friend void PrintTo(const DamageCase& damage_case, std::ostream* out) {
    *out << damage_case.name;
  }
};

class DamagedLookupTest : public LookupTest, public testing::WithParamInterface<DamageCase> {};

TEST_P(DamagedLookupTest, IsAMissWithItsReasonAndIsRepairedByOverwriting) {
  ASSERT_THAT(PublishIt(), IsOk());
  GetParam().damage(blobs_, entries_, compilation_.action.key);

  const LookupResult found = LookItUp();
  EXPECT_FALSE(found.hit.has_value());
  EXPECT_EQ(found.miss_reason, GetParam().reason) << MissReasonName(found.miss_reason);
  EXPECT_THAT(found.message, HasSubstr(GetParam().message));
  EXPECT_THAT(found.message, HasSubstr("memory:"));  // where to look
  EXPECT_TRUE(NeedsOverwrite(found.miss_reason));

  PublishRequest request = Request();
  request.overwrite = NeedsOverwrite(found.miss_reason);
  absl::StatusOr<PublishResult> repaired = Publish(entries_, blobs_, request);
  ASSERT_THAT(repaired, IsOk());
  EXPECT_FALSE(repaired->different_result) << repaired->difference;
  EXPECT_FALSE(repaired->already_present);
  const LookupResult again = LookItUp();
  ASSERT_TRUE(again.hit.has_value()) << again.message;
  EXPECT_EQ(again.hit->output_files[0].contents, kObject);
}

void ReplaceEntry(InMemoryActionCache& entries, const ActionKey& key,
                  void (*change)(reapi::ActionResult&)) {
  reapi::ActionResult result;
  ASSERT_TRUE(result.ParseFromString(*entries.Bytes(key)));
  change(result);
  SealActionResult(key, result);
  entries.SetBytes(key, EncodeActionResult(result));
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedLookupTest,
    testing::Values(
        DamageCase{"FlippedEntry", MissReason::kCorruptEntry,
                   [](auto&, auto& entries, const ActionKey& key) {
                     std::string bytes = *entries.Bytes(key);
                     bytes[bytes.size() / 2] ^= 4;
                     entries.SetBytes(key, bytes);
                   },
                   ""},
        DamageCase{"TruncatedEntry", MissReason::kCorruptEntry,
                   [](auto&, auto& entries, const ActionKey& key) {
                     entries.SetBytes(key, entries.Bytes(key)->substr(0, 100));
                   },
                   ""},
        DamageCase{"EmptyEntry", MissReason::kCorruptEntry,
                   [](auto&, auto& entries, const ActionKey& key) { entries.SetBytes(key, ""); },
                   "empty"},
        DamageCase{"OutputNamedTwice", MissReason::kCorruptEntry,
                   [](auto&, auto& entries, const ActionKey& key) {
                     ReplaceEntry(entries, key, [](reapi::ActionResult& result) {
                       *result.add_output_files() = result.output_files(0);
                     });
                   },
                   "twice"},
        DamageCase{"OutputWithoutDigest", MissReason::kCorruptEntry,
                   [](auto&, auto& entries, const ActionKey& key) {
                     ReplaceEntry(entries, key, [](reapi::ActionResult& result) {
                       result.mutable_output_files(0)->clear_digest();
                     });
                   },
                   "no digest"},
        DamageCase{"BadDigest", MissReason::kCorruptEntry,
                   [](auto&, auto& entries, const ActionKey& key) {
                     ReplaceEntry(entries, key, [](reapi::ActionResult& result) {
                       result.mutable_output_files(0)->mutable_digest()->set_hash("../../x");
                     });
                   },
                   "bad digest"},
        DamageCase{"InlinedContentsOfAnotherDigest", MissReason::kCorruptEntry,
                   [](auto&, auto& entries, const ActionKey& key) {
                     ReplaceEntry(entries, key, [](reapi::ActionResult& result) {
                       result.mutable_output_files(0)->set_contents("other");
                     });
                   },
                   "does not match its digest"},
        DamageCase{"NonZeroExit", MissReason::kNonZeroExit,
                   [](auto&, auto& entries, const ActionKey& key) {
                     ReplaceEntry(entries, key,
                                  [](reapi::ActionResult& result) { result.set_exit_code(137); });
                   },
                   "137"},
        DamageCase{"MissingOutput", MissReason::kMissingOutput,
                   [](auto&, auto& entries, const ActionKey& key) {
                     ReplaceEntry(entries, key, [](reapi::ActionResult& result) {
                       result.mutable_output_files()->DeleteSubrange(1, 1);
                     });
                   },
                   "out."},
        DamageCase{"MissingBlob", MissReason::kMissingBlob,
                   [](auto& blobs, auto&, const ActionKey&) { blobs.Remove(Sha256(kMap)); },
                   "out.map"},
        DamageCase{"MissingStderr", MissReason::kMissingBlob,
                   [](auto& blobs, auto&, const ActionKey&) { blobs.Remove(Sha256(kStderr)); },
                   "standard error"},
        DamageCase{"FlippedBlob", MissReason::kCorruptBlob,
                   [](auto& blobs, auto&, const ActionKey&) {
                     blobs.SetBytes(Sha256(kObject), "the_object file");
                   },
                   "out.o"},
        DamageCase{
            "EmptyBlob", MissReason::kCorruptBlob,
            [](auto& blobs, auto&, const ActionKey&) { blobs.SetBytes(Sha256(kObject), ""); },
            "out.o"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(LookupTest, AStoreThatFailsIsAMissThatIsNotOverwritten) {
  ASSERT_THAT(PublishIt(), IsOk());
  blobs_.SetFault(absl::PermissionDeniedError("memory: no permission"));
  LookupResult found = LookItUp();
  EXPECT_EQ(found.miss_reason, MissReason::kStoreError);
  EXPECT_THAT(found.message, HasSubstr("no permission"));
  EXPECT_FALSE(NeedsOverwrite(found.miss_reason));
  EXPECT_THAT(PublishIt(), StatusIs(absl::StatusCode::kPermissionDenied, _));

  entries_.SetFault(absl::UnavailableError("memory: gone"));
  found = LookItUp();
  EXPECT_EQ(found.miss_reason, MissReason::kStoreError);
  EXPECT_THAT(found.message, HasSubstr("gone"));
}

TEST_F(LookupTest, AForeignEntryIsAHit) {
  reapi::ActionResult foreign = ForeignResult();
  foreign.mutable_output_files(0)->set_contents(std::string(kObject));  // inlined as well
  foreign.set_stdout_raw("inlined stdout");
  ToProto(Sha256(kStderr), *foreign.mutable_stderr_digest());
  foreign.set_stderr_raw(std::string(kStderr));
  foreign.mutable_stdout_digest();  // there, but names nothing
  SetForeignEntry(foreign);
  const LookupResult found = LookItUp();
  ASSERT_TRUE(found.hit.has_value()) << found.message;
  EXPECT_EQ(found.hit->output_files[0].contents, kObject);
  EXPECT_EQ(found.hit->stdout_raw, "inlined stdout");
  EXPECT_EQ(found.hit->stderr_raw, kStderr);
  EXPECT_EQ(found.hit->execution_metadata.worker(), "worker-7");
}

// An entry with the fields that Bazel 7.7.1 sets: every output executable, no worker, the empty
// standard output by a digest that has no size on the wire.
TEST_F(LookupTest, AnEntryOfBazelsIsAHit) {
  reapi::ActionResult bazels = ForeignResult();
  for (reapi::OutputFile& file : *bazels.mutable_output_files()) file.set_is_executable(true);
  ToProto(EmptyDigest(), *bazels.mutable_stdout_digest());
  ToProto(Sha256(kStderr), *bazels.mutable_stderr_digest());
  ASSERT_THAT(blobs_.Put(Sha256(kStderr), kStderr, PutMode::kKeep), IsOk());
  reapi::ExecutedActionMetadata& metadata = *bazels.mutable_execution_metadata();
  metadata.clear_worker();
  for (google::protobuf::Timestamp* time :
       {metadata.mutable_worker_start_timestamp(), metadata.mutable_worker_completed_timestamp(),
        metadata.mutable_execution_start_timestamp(),
        metadata.mutable_execution_completed_timestamp()}) {
    time->set_seconds(1'700'000'000);
    time->set_nanos(855'272);
  }
  SetForeignEntry(bazels);
  const LookupResult found = LookItUp();
  ASSERT_TRUE(found.hit.has_value()) << found.message;
  EXPECT_EQ(found.hit->stdout_raw, "");
  EXPECT_EQ(found.hit->stderr_raw, kStderr);
}

TEST_F(LookupTest, AForeignFailureIsAMissAndIsReplacedWithoutAlarm) {
  reapi::ActionResult foreign = ForeignResult();
  foreign.set_exit_code(1);
  ToProto(Sha256("other"), *foreign.mutable_output_files(0)->mutable_digest());
  SetForeignEntry(foreign);
  EXPECT_EQ(LookItUp().miss_reason, MissReason::kNonZeroExit);
  absl::StatusOr<PublishResult> published = PublishIt();
  ASSERT_THAT(published, IsOk());
  EXPECT_FALSE(published->different_result);
  EXPECT_TRUE(LookItUp().hit.has_value());
}

TEST_F(LookupTest, MoreOutputsThanDeclaredAreNoReasonToMiss) {
  reapi::ActionResult foreign = ForeignResult();
  foreign.add_output_files()->set_path("not/asked/for");
  SetForeignEntry(foreign);
  const LookupResult found = LookItUp();
  ASSERT_TRUE(found.hit.has_value()) << found.message;
  EXPECT_THAT(found.hit->output_files, SizeIs(2));
}

TEST_F(LookupTest, AnEqualResultIsLeftAsItIs) {
  ASSERT_THAT(PublishIt(), IsOk());
  const std::string before = *entries_.Bytes(compilation_.action.key);
  log_.Take();
  PublishRequest request = Request();
  request.execution_metadata.mutable_execution_start_timestamp()->set_seconds(1'800'000'000);
  absl::StatusOr<PublishResult> again = Publish(entries_, blobs_, request);
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE(again->already_present);
  EXPECT_FALSE(again->different_result);
  EXPECT_EQ(again->bytes_written, 0);
  EXPECT_EQ(entries_.Bytes(compilation_.action.key), before);
  EXPECT_THAT(log_.Take(), ElementsAre(absl::StrCat("get ac ", compilation_.action.key.hash())));
}

TEST_F(LookupTest, AnEqualResultsLostBlobsAreStoredAgain) {
  ASSERT_THAT(PublishIt(), IsOk());
  blobs_.Remove(Sha256(kObject));
  absl::StatusOr<PublishResult> again = PublishIt();
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE(again->already_present);
  EXPECT_EQ(again->bytes_written, static_cast<int64_t>(kObject.size()));
  EXPECT_TRUE(LookItUp().hit.has_value());
}

TEST_F(LookupTest, ADifferentResultIsAnAlarmAndTheFirstStays) {
  ASSERT_THAT(PublishIt(), IsOk());
  const std::vector<OutputContents> different = {{"out.o", "another object", false},
                                                 {"out.map", kMap, true}};
  PublishRequest request = Request();
  request.output_files = different;
  absl::StatusOr<PublishResult> second = Publish(entries_, blobs_, request);
  ASSERT_THAT(second, IsOk());
  EXPECT_TRUE(second->different_result);
  EXPECT_FALSE(second->already_present);
  EXPECT_EQ(second->bytes_written, 0);
  EXPECT_THAT(second->difference, AllOf(HasSubstr("out.o"), HasSubstr(Sha256(kObject).ToString()),
                                        HasSubstr(Sha256("another object").ToString())));
  LookupResult found = LookItUp();
  ASSERT_TRUE(found.hit.has_value());
  EXPECT_EQ(found.hit->output_files[0].contents, kObject);

  // A repair says so too, but wins.
  request.overwrite = true;
  second = Publish(entries_, blobs_, request);
  ASSERT_THAT(second, IsOk());
  EXPECT_TRUE(second->different_result);
  found = LookItUp();
  ASSERT_TRUE(found.hit.has_value());
  EXPECT_EQ(found.hit->output_files[0].contents, "another object");
}

TEST_F(LookupTest, DifferentStreamsAreADifferentResult) {
  ASSERT_THAT(PublishIt(), IsOk());
  PublishRequest request = Request();
  request.stderr_raw = "another warning\n";
  absl::StatusOr<PublishResult> second = Publish(entries_, blobs_, request);
  ASSERT_THAT(second, IsOk());
  EXPECT_TRUE(second->different_result);
  EXPECT_THAT(second->difference, HasSubstr("standard error"));
  PublishRequest other_request = Request();
  other_request.stdout_raw = "output";
  second = Publish(entries_, blobs_, other_request);
  ASSERT_THAT(second, IsOk());
  EXPECT_THAT(second->difference, HasSubstr("standard output"));
}

TEST_F(LookupTest, AnEqualForeignResultIsNoAlarm) {
  reapi::ActionResult foreign = ForeignResult();
  foreign.set_stderr_raw(std::string(kStderr));
  SetForeignEntry(foreign);
  absl::StatusOr<PublishResult> published = PublishIt();
  ASSERT_THAT(published, IsOk());
  EXPECT_FALSE(published->different_result) << published->difference;
  EXPECT_TRUE(published->already_present);
}

TEST_F(LookupTest, FailuresAndIncompleteResultsAreRefused) {
  const auto refused = [&](auto change) {
    PublishRequest request = Request();
    change(request);
    EXPECT_THAT(Publish(entries_, blobs_, request),
                StatusIs(absl::StatusCode::kInvalidArgument, _));
    EXPECT_THAT(log_.Take(), IsEmpty());
  };
  refused([](PublishRequest& r) { r.exit_code = 1; });
  refused([](PublishRequest& r) { r.exit_code = -6; });
  refused([](PublishRequest& r) { r.output_files = r.output_files.first(1); });
  refused([](PublishRequest& r) { r.output_files = {}; });
  const std::vector<OutputContents> twice = {
      {"out.o", kObject, false}, {"out.map", kMap, true}, {"out.o", kObject, false}};
  refused([&](PublishRequest& r) { r.output_files = twice; });
  const std::vector<OutputContents> other = {{"out.o", kObject, false}, {"out.x", kMap, true}};
  refused([&](PublishRequest& r) { r.output_files = other; });
}

TEST_F(LookupTest, NothingNamesBlobsThatCouldNotBeStored) {
  blobs_.SetFault(absl::ResourceExhaustedError("memory: full"));
  EXPECT_THAT(PublishIt(), StatusIs(absl::StatusCode::kResourceExhausted, _));
  EXPECT_EQ(entries_.Bytes(compilation_.action.key), std::nullopt);
}

TEST_F(LookupTest, EveryReasonHasAName) {
  EXPECT_EQ(MissReasonName(MissReason::kNone), "hit");
  EXPECT_EQ(MissReasonName(MissReason::kCorruptBlob), "corrupt blob");
}

// The same on a disk, with the files themselves damaged: each is a miss that names the file, and
// whole again after.
class LocalLookupTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  LocalBlobStore blobs_{directory_.path() + "/store"};
  LocalActionCache entries_{directory_.path() + "/store"};
  const Compilation compilation_ = Compilation::Make();
  const std::vector<OutputContents> outputs_ = {{"out.o", kObject, false}, {"out.map", kMap, true}};

  absl::StatusOr<PublishResult> PublishIt(bool overwrite) {
    return Publish(entries_, blobs_,
                   PublishRequest{.action = compilation_.action,
                                  .input_directories = compilation_.tree.directories,
                                  .output_files = outputs_,
                                  .stdout_raw = "",
                                  .stderr_raw = kStderr,
                                  .exit_code = 0,
                                  .execution_metadata = {},
                                  .overwrite = overwrite});
  }
  LookupResult LookItUp() {
    return Lookup(entries_, blobs_, compilation_.action.key, compilation_.output_paths);
  }
};

TEST_F(LocalLookupTest, AnyDamagedFileIsNamedAndRepaired) {
  ASSERT_THAT(PublishIt(false), IsOk());
  const std::vector<std::string> files = directory_.Files();
  // Two outputs, stderr, two Directories, Command, Action and the entry.
  ASSERT_THAT(files, SizeIs(8));
  const std::vector<std::string> read_by_a_lookup = {
      entries_.LocationOf(compilation_.action.key), blobs_.LocationOf(Sha256(kObject)),
      blobs_.LocationOf(Sha256(kMap)), blobs_.LocationOf(Sha256(kStderr))};
  for (const std::string& file : files) {
    const std::string path = absl::StrCat(directory_.path(), "/", file);
    const std::string bytes = ReadTestFile(path);
    std::string flipped = bytes;
    flipped[flipped.size() / 2] ^= 0x10;
    for (const std::optional<std::string>& damaged :
         {std::optional(flipped), std::optional(bytes.substr(0, bytes.size() / 2)),
          std::optional(std::string()), std::optional<std::string>()}) {
      if (damaged.has_value()) {
        WriteTestFile(path, *damaged);
      } else {
        ASSERT_EQ(unlink(path.c_str()), 0);
      }
      const LookupResult found = LookItUp();
      const bool is_read = testing::Matches(testing::Contains(path))(read_by_a_lookup);
      EXPECT_EQ(found.hit.has_value(), !is_read) << path;
      if (found.hit.has_value()) {
        WriteTestFile(path, bytes);
        continue;
      }
      if (found.miss_reason != MissReason::kNotFound) {
        EXPECT_THAT(found.message, HasSubstr(path));
      }
      ASSERT_THAT(PublishIt(NeedsOverwrite(found.miss_reason)), IsOk());
      EXPECT_TRUE(LookItUp().hit.has_value()) << path;
      EXPECT_EQ(directory_.Files(), files);
    }
  }
}

TEST_F(LocalLookupTest, AfterAHitNoBlobIsOlderThanItsEntry) {
  ASSERT_THAT(PublishIt(false), IsOk());
  for (const std::string& file : directory_.Files()) {
    AgeTestFile(absl::StrCat(directory_.path(), "/", file), 10'000);
  }
  ASSERT_TRUE(LookItUp().hit.has_value());
  const auto used = [](const std::string& path) {
    struct stat status;
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  };
  const int64_t entry = used(entries_.LocationOf(compilation_.action.key));
  EXPECT_GT(entry, used(blobs_.LocationOf(compilation_.action.command_digest)));
  for (std::string_view content : {kObject, kMap, kStderr}) {
    EXPECT_GE(used(blobs_.LocationOf(Sha256(content))), entry);
  }
}

}  // namespace
}  // namespace ingot::cache
