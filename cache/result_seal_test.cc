#include "cache/result_seal.h"

#include <random>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ingot::cache {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::_;
using ::testing::HasSubstr;

const ActionKey& Key() {
  static const ActionKey& key = *new ActionKey(Sha256("an action"));
  return key;
}

// Two outputs and all streams, so that an entry cut off between two fields is a complete message.
reapi::ActionResult UnsealedResult() {
  reapi::ActionResult result;
  for (std::string_view name : {"out.o", "out.map"}) {
    reapi::OutputFile& file = *result.add_output_files();
    file.set_path(std::string(name));
    ToProto(Sha256(name), *file.mutable_digest());
    file.set_is_executable(name == "out.map");
  }
  ToProto(Sha256("stdout"), *result.mutable_stdout_digest());
  result.set_stderr_raw("a warning\n");
  reapi::ExecutedActionMetadata& metadata = *result.mutable_execution_metadata();
  metadata.mutable_execution_start_timestamp()->set_seconds(1'700'000'000);
  metadata.mutable_execution_completed_timestamp()->set_seconds(1'700'000'001);
  metadata.mutable_execution_completed_timestamp()->set_nanos(5);
  return result;
}

reapi::ActionResult SealedResult() {
  reapi::ActionResult result = UnsealedResult();
  SealActionResult(Key(), result);
  return result;
}

// What somebody else's program would have stored.
reapi::ActionResult ForeignResult() {
  reapi::ActionResult result = UnsealedResult();
  result.mutable_execution_metadata()->set_worker("worker-7");
  result.mutable_execution_metadata()->add_auxiliary_metadata()->set_type_url("type.example/Usage");
  return result;
}

// If damaged bytes are taken for an entry, then they must say what the whole ones said.
void ExpectNoOtherContent(std::string_view damaged, const reapi::ActionResult& original,
                          std::string_view what) {
  absl::StatusOr<reapi::ActionResult> decoded = DecodeActionResult(Key(), damaged);
  if (decoded.ok()) {
    ASSERT_EQ(decoded->SerializeAsString(), original.SerializeAsString()) << what;
  } else {
    ASSERT_TRUE(absl::IsDataLoss(decoded.status())) << what << ": " << decoded.status();
  }
}

TEST(ResultSealTest, SealedResultsAreAccepted) {
  const reapi::ActionResult sealed = SealedResult();
  EXPECT_THAT(CheckActionResult(Key(), sealed), IsOk());
  absl::StatusOr<reapi::ActionResult> decoded =
      DecodeActionResult(Key(), EncodeActionResult(sealed));
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(decoded->SerializeAsString(), sealed.SerializeAsString());
}

TEST(ResultSealTest, TheOrderOfFieldsDoesNotMatter) {
  // As a server that parses and writes again would give it back.
  EXPECT_THAT(DecodeActionResult(Key(), SealedResult().SerializeAsString()), IsOk());
}

TEST(ResultSealTest, ASealHasTheDocumentedForm) {
  reapi::ActionResult sealed = SealedResult();
  EXPECT_EQ(sealed.execution_metadata().worker(), "ingot/");
  ASSERT_EQ(sealed.execution_metadata().auxiliary_metadata_size(), 1);
  const google::protobuf::Any seal = sealed.execution_metadata().auxiliary_metadata(0);
  EXPECT_EQ(seal.type_url(), "type.ingot/ingot.cache.ResultSeal.v1");
  RemoveSeal(sealed);
  EXPECT_EQ(sealed.execution_metadata().auxiliary_metadata_size(), 0);
  EXPECT_EQ(seal.value(),
            absl::StrCat("\x0a\x20", Sha256Raw(absl::StrCat(Key().ToString(), "\n",
                                                            sealed.SerializeAsString()))));
}

TEST(ResultSealTest, TheMarkComesFirstInTheFile) {
  EXPECT_THAT(EncodeActionResult(SealedResult()).substr(0, 1), "\x4a");  // field 9, a message
}

TEST(ResultSealTest, SealingAgainReplacesTheSeal) {
  reapi::ActionResult result = SealedResult();
  result.set_exit_code(3);
  EXPECT_THAT(CheckActionResult(Key(), result), StatusIs(absl::StatusCode::kDataLoss, _));
  SealActionResult(Key(), result);
  EXPECT_THAT(CheckActionResult(Key(), result), IsOk());
  EXPECT_EQ(result.execution_metadata().auxiliary_metadata_size(), 1);
  EXPECT_EQ(result.execution_metadata().worker(), "ingot/");
}

TEST(ResultSealTest, OthersMetadataIsKeptAndSealed) {
  reapi::ActionResult result = ForeignResult();
  SealActionResult(Key(), result);
  EXPECT_EQ(result.execution_metadata().worker(), "ingot/worker-7");
  EXPECT_EQ(result.execution_metadata().auxiliary_metadata_size(), 2);
  EXPECT_THAT(CheckActionResult(Key(), result), IsOk());
  result.mutable_execution_metadata()->mutable_auxiliary_metadata(0)->set_value("changed");
  EXPECT_THAT(CheckActionResult(Key(), result), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST(ResultSealTest, ForeignResultsAreAcceptedAsTheyAre) {
  const reapi::ActionResult foreign = ForeignResult();
  absl::StatusOr<reapi::ActionResult> decoded =
      DecodeActionResult(Key(), foreign.SerializeAsString());
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(decoded->SerializeAsString(), foreign.SerializeAsString());
  // A machine's name is not a mark.
  reapi::ActionResult named = foreign;
  named.mutable_execution_metadata()->set_worker("ingot-builder-3");
  EXPECT_THAT(CheckActionResult(Key(), named), IsOk());
  EXPECT_THAT(CheckActionResult(Key(), UnsealedResult()), IsOk());
}

TEST(ResultSealTest, OneMarkWithoutTheOtherIsDamage) {
  reapi::ActionResult no_worker = SealedResult();
  no_worker.mutable_execution_metadata()->clear_worker();
  EXPECT_THAT(CheckActionResult(Key(), no_worker), StatusIs(absl::StatusCode::kDataLoss, _));
  reapi::ActionResult no_seal = SealedResult();
  no_seal.mutable_execution_metadata()->clear_auxiliary_metadata();
  EXPECT_THAT(CheckActionResult(Key(), no_seal), StatusIs(absl::StatusCode::kDataLoss, _));
  reapi::ActionResult two_seals = SealedResult();
  *two_seals.mutable_execution_metadata()->add_auxiliary_metadata() =
      two_seals.execution_metadata().auxiliary_metadata(0);
  EXPECT_THAT(CheckActionResult(Key(), two_seals), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST(ResultSealTest, AnotherKeysEntryIsDamage) {
  const ActionKey other(Sha256("another action"));
  EXPECT_THAT(DecodeActionResult(other, EncodeActionResult(SealedResult())),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("seal")));
}

TEST(ResultSealTest, EmptyAndUnparsableBytesAreDamage) {
  for (const std::string& bytes : {std::string(), std::string(64, '\0'), std::string(64, '\xff'),
                                   std::string("not a message at all")}) {
    EXPECT_THAT(DecodeActionResult(Key(), bytes), StatusIs(absl::StatusCode::kDataLoss, _));
  }
}

TEST(ResultSealTest, NothingIsPrinted) {
  std::string bytes = EncodeActionResult(SealedResult());
  const size_t path = bytes.find("out.o");
  bytes[path] = '\xff';  // not UTF-8, which protobuf reports on standard error
  testing::internal::CaptureStderr();
  EXPECT_THAT(DecodeActionResult(Key(), bytes), StatusIs(absl::StatusCode::kDataLoss, _));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Damage to both marks at once.
TEST(ResultSealTest, RemainsOfASealAreEnough) {
  const std::string bytes = EncodeActionResult(SealedResult());
  const size_t worker = bytes.find(kWorkerPrefix);
  const size_t type = bytes.find(kSealTypeUrl);
  ASSERT_NE(worker, std::string::npos);
  ASSERT_NE(type, std::string::npos);
  for (size_t at = 0; at < kSealTypeUrl.size(); ++at) {
    std::string damaged = bytes;
    damaged[worker] = 'x';
    damaged[type + at] = 'x';
    EXPECT_THAT(DecodeActionResult(Key(), damaged), StatusIs(absl::StatusCode::kDataLoss, _)) << at;
  }
}

TEST(ResultSealTest, UnknownFieldsAtAnyDepthAreDamage) {
  const std::string unknown("\xf8\x07\x01", 3);  // field 127, a varint
  const auto with_unknown = [&](auto& message) {
    ASSERT_TRUE(message.ParseFromString(absl::StrCat(message.SerializeAsString(), unknown)));
  };
  const auto expect_refused = [&](auto change) {
    reapi::ActionResult result = ForeignResult();
    result.add_output_symlinks()->set_path("link");
    result.add_output_directories()->set_path("dir");
    change(result);
    EXPECT_THAT(CheckActionResult(Key(), result),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("fields")));
    SealActionResult(Key(), result);
    EXPECT_THAT(CheckActionResult(Key(), result), StatusIs(absl::StatusCode::kDataLoss, _));
  };
  expect_refused([&](reapi::ActionResult& r) { with_unknown(r); });
  expect_refused([&](reapi::ActionResult& r) { with_unknown(*r.mutable_output_files(1)); });
  expect_refused(
      [&](reapi::ActionResult& r) { with_unknown(*r.mutable_output_files(0)->mutable_digest()); });
  expect_refused([&](reapi::ActionResult& r) {
    with_unknown(*r.mutable_output_files(0)->mutable_node_properties());
  });
  expect_refused([&](reapi::ActionResult& r) {
    with_unknown(*r.mutable_output_files(0)->mutable_node_properties()->mutable_mtime());
  });
  expect_refused([&](reapi::ActionResult& r) {
    with_unknown(*r.mutable_output_files(0)->mutable_node_properties()->mutable_unix_mode());
  });
  expect_refused([&](reapi::ActionResult& r) {
    with_unknown(*r.mutable_output_files(0)->mutable_node_properties()->add_properties());
  });
  expect_refused([&](reapi::ActionResult& r) { with_unknown(*r.mutable_output_symlinks(0)); });
  expect_refused([&](reapi::ActionResult& r) { with_unknown(*r.mutable_output_directories(0)); });
  expect_refused([&](reapi::ActionResult& r) {
    with_unknown(*r.mutable_output_directories(0)->mutable_tree_digest());
  });
  expect_refused([&](reapi::ActionResult& r) { with_unknown(*r.mutable_stdout_digest()); });
  expect_refused([&](reapi::ActionResult& r) { with_unknown(*r.mutable_stderr_digest()); });
  expect_refused([&](reapi::ActionResult& r) { with_unknown(*r.mutable_execution_metadata()); });
  expect_refused([&](reapi::ActionResult& r) {
    with_unknown(*r.mutable_execution_metadata()->mutable_execution_start_timestamp());
  });
  expect_refused([&](reapi::ActionResult& r) {
    with_unknown(*r.mutable_execution_metadata()->mutable_virtual_execution_duration());
  });
  expect_refused([&](reapi::ActionResult& r) {
    with_unknown(*r.mutable_execution_metadata()->mutable_auxiliary_metadata(0));
  });
}

// A result with every field of the protocol must not look like one with unknown fields.
TEST(ResultSealTest, EveryKnownFieldIsKnown) {
  reapi::ActionResult r = ForeignResult();
  const auto fill_properties = [](reapi::NodeProperties& properties) {
    reapi::NodeProperty& property = *properties.add_properties();
    property.set_name("name");
    property.set_value("value");
    properties.mutable_mtime()->set_seconds(1);
    properties.mutable_mtime()->set_nanos(2);
    properties.mutable_unix_mode()->set_value(0644);
  };
  const auto fill_symlink = [&](reapi::OutputSymlink& link) {
    link.set_path("path");
    link.set_target("target");
    fill_properties(*link.mutable_node_properties());
  };
  r.mutable_output_files(0)->set_contents("contents");
  fill_properties(*r.mutable_output_files(0)->mutable_node_properties());
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  fill_symlink(*r.add_output_file_symlinks());
  fill_symlink(*r.add_output_directory_symlinks());
#pragma GCC diagnostic pop
  fill_symlink(*r.add_output_symlinks());
  reapi::OutputDirectory& directory = *r.add_output_directories();
  directory.set_path("dir");
  ToProto(Sha256("tree"), *directory.mutable_tree_digest());
  ToProto(Sha256("root"), *directory.mutable_root_directory_digest());
  directory.set_is_topologically_sorted(true);
  r.set_exit_code(-1);
  r.set_stdout_raw("raw");
  ToProto(Sha256("stderr"), *r.mutable_stderr_digest());
  reapi::ExecutedActionMetadata& m = *r.mutable_execution_metadata();
  for (google::protobuf::Timestamp* time :
       {m.mutable_queued_timestamp(), m.mutable_worker_start_timestamp(),
        m.mutable_worker_completed_timestamp(), m.mutable_input_fetch_start_timestamp(),
        m.mutable_input_fetch_completed_timestamp(), m.mutable_execution_start_timestamp(),
        m.mutable_execution_completed_timestamp(), m.mutable_output_upload_start_timestamp(),
        m.mutable_output_upload_completed_timestamp()}) {
    time->set_seconds(1);
    time->set_nanos(2);
  }
  m.mutable_virtual_execution_duration()->set_seconds(1);
  m.mutable_virtual_execution_duration()->set_nanos(2);
  m.mutable_auxiliary_metadata(0)->set_value("value");
  EXPECT_THAT(DecodeActionResult(Key(), r.SerializeAsString()), IsOk());
  SealActionResult(Key(), r);
  EXPECT_THAT(DecodeActionResult(Key(), EncodeActionResult(r)), IsOk());
}

class DamageTest : public testing::Test {
 protected:
  const reapi::ActionResult original_ = SealedResult();
  const std::string bytes_ = EncodeActionResult(original_);
};

TEST_F(DamageTest, EveryBitAndEveryOtherValueOfEveryByte) {
  for (size_t at = 0; at < bytes_.size(); ++at) {
    std::string damaged = bytes_;
    for (int delta = 1; delta < 256; ++delta) {  // all single-bit flips are among these
      damaged[at] = static_cast<char>(bytes_[at] ^ delta);
      ASSERT_NO_FATAL_FAILURE(
          ExpectNoOtherContent(damaged, original_, absl::StrCat("byte ", at, " ^ ", delta)));
    }
  }
}

TEST_F(DamageTest, EveryTruncation) {
  for (size_t size = 0; size < bytes_.size(); ++size) {
    EXPECT_THAT(DecodeActionResult(Key(), std::string_view(bytes_).substr(0, size)),
                StatusIs(absl::StatusCode::kDataLoss, _))
        << size;
  }
}

// What a disk leaves behind when it loses power: blocks of zeros, or of somebody else's data.
TEST_F(DamageTest, EveryTailAndHeadReplaced) {
  const reapi::ActionResult foreign = ForeignResult();
  const std::string others = EncodeActionResult(foreign);
  for (size_t at = 0; at < bytes_.size(); ++at) {
    for (char filler : {'\0', '\xff'}) {
      ASSERT_NO_FATAL_FAILURE(ExpectNoOtherContent(
          absl::StrCat(bytes_.substr(0, at), std::string(bytes_.size() - at, filler)), original_,
          absl::StrCat("tail from ", at)));
      ASSERT_NO_FATAL_FAILURE(
          ExpectNoOtherContent(absl::StrCat(std::string(at + 1, filler), bytes_.substr(at + 1)),
                               original_, absl::StrCat("head to ", at)));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectNoOtherContent(absl::StrCat(bytes_, bytes_.substr(0, at + 1)),
                                                 original_, absl::StrCat("repeated to ", at)));
  }
  ASSERT_NO_FATAL_FAILURE(
      ExpectNoOtherContent(absl::StrCat(bytes_, others), original_, "followed by another"));
  ASSERT_NO_FATAL_FAILURE(
      ExpectNoOtherContent(absl::StrCat(others, bytes_), original_, "after another"));
}

TEST_F(DamageTest, EveryByteRemovedOrDoubled) {
  for (size_t at = 0; at < bytes_.size(); ++at) {
    ASSERT_NO_FATAL_FAILURE(
        ExpectNoOtherContent(absl::StrCat(bytes_.substr(0, at), bytes_.substr(at + 1)), original_,
                             absl::StrCat("removed ", at)));
    ASSERT_NO_FATAL_FAILURE(
        ExpectNoOtherContent(absl::StrCat(bytes_.substr(0, at + 1), bytes_.substr(at)), original_,
                             absl::StrCat("doubled ", at)));
  }
}

// The same for the form in tag order, which servers make of an entry. Truncation is left out: cut
// before execution_metadata, such an entry is indistinguishable from a foreign one.
TEST_F(DamageTest, EveryByteOfAnEntryInTagOrder) {
  const std::string bytes = original_.SerializeAsString();
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    for (int delta = 1; delta < 256; ++delta) {
      damaged[at] = static_cast<char>(bytes[at] ^ delta);
      ASSERT_NO_FATAL_FAILURE(
          ExpectNoOtherContent(damaged, original_, absl::StrCat("byte ", at, " ^ ", delta)));
    }
  }
}

TEST_F(DamageTest, ManyDamagedBytesAtOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < 100'000; ++round) {
    std::string damaged = bytes_;
    const size_t count = 1 + random() % 8;
    for (size_t i = 0; i < count; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    ASSERT_NO_FATAL_FAILURE(
        ExpectNoOtherContent(damaged, original_, absl::StrCat("round ", round)));
  }
}

}  // namespace
}  // namespace ingot::cache
