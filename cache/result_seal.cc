#include "cache/result_seal.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#if __has_include("google/protobuf/stubs/logging.h")
#include "google/protobuf/stubs/logging.h"
#endif

// Deprecated fields are read here too: a foreign entry may have them, and damage may hide in them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace ingot::cache {
namespace {

// A message with one bytes field, number 1, of 32 bytes: tag, length, hash.
constexpr std::string_view kSealHeader("\x0a\x20", 2);

bool IsSeal(const google::protobuf::Any& any) { return any.type_url() == kSealTypeUrl; }

int CountSeals(const reapi::ActionResult& result) {
  int seals = 0;
  for (const google::protobuf::Any& any : result.execution_metadata().auxiliary_metadata()) {
    seals += IsSeal(any);
  }
  return seals;
}

// The seal's value for a result that has no seal.
std::string SealValue(const ActionKey& key, const reapi::ActionResult& unsealed) {
  return absl::StrCat(kSealHeader,
                      Sha256Raw(absl::StrCat(key.ToString(), "\n", unsealed.SerializeAsString())));
}

// Copies of messages without the fields that this program's version of the protocol does not have.
// The lite runtime keeps such fields when it parses and writes them back, but has no way to ask for
// them; so every field that an ActionResult can hold is written out here, and what is left over is
// unknown.

reapi::Digest Known(const reapi::Digest& from) {
  reapi::Digest to;
  to.set_hash(from.hash());
  to.set_size_bytes(from.size_bytes());
  return to;
}

google::protobuf::Timestamp Known(const google::protobuf::Timestamp& from) {
  google::protobuf::Timestamp to;
  to.set_seconds(from.seconds());
  to.set_nanos(from.nanos());
  return to;
}

google::protobuf::Duration Known(const google::protobuf::Duration& from) {
  google::protobuf::Duration to;
  to.set_seconds(from.seconds());
  to.set_nanos(from.nanos());
  return to;
}

google::protobuf::Any Known(const google::protobuf::Any& from) {
  google::protobuf::Any to;
  to.set_type_url(from.type_url());
  to.set_value(from.value());
  return to;
}

reapi::NodeProperties Known(const reapi::NodeProperties& from) {
  reapi::NodeProperties to;
  for (const reapi::NodeProperty& property : from.properties()) {
    reapi::NodeProperty& added = *to.add_properties();
    added.set_name(property.name());
    added.set_value(property.value());
  }
  if (from.has_mtime()) *to.mutable_mtime() = Known(from.mtime());
  if (from.has_unix_mode()) to.mutable_unix_mode()->set_value(from.unix_mode().value());
  return to;
}

reapi::OutputFile Known(const reapi::OutputFile& from) {
  reapi::OutputFile to;
  to.set_path(from.path());
  if (from.has_digest()) *to.mutable_digest() = Known(from.digest());
  to.set_is_executable(from.is_executable());
  to.set_contents(from.contents());
  if (from.has_node_properties()) *to.mutable_node_properties() = Known(from.node_properties());
  return to;
}

reapi::OutputDirectory Known(const reapi::OutputDirectory& from) {
  reapi::OutputDirectory to;
  to.set_path(from.path());
  if (from.has_tree_digest()) *to.mutable_tree_digest() = Known(from.tree_digest());
  to.set_is_topologically_sorted(from.is_topologically_sorted());
  if (from.has_root_directory_digest()) {
    *to.mutable_root_directory_digest() = Known(from.root_directory_digest());
  }
  return to;
}

reapi::OutputSymlink Known(const reapi::OutputSymlink& from) {
  reapi::OutputSymlink to;
  to.set_path(from.path());
  to.set_target(from.target());
  if (from.has_node_properties()) *to.mutable_node_properties() = Known(from.node_properties());
  return to;
}

reapi::ExecutedActionMetadata Known(const reapi::ExecutedActionMetadata& from) {
  reapi::ExecutedActionMetadata to;
  to.set_worker(from.worker());
#define INGOT_COPY_KNOWN(field) \
  if (from.has_##field()) *to.mutable_##field() = Known(from.field())
  INGOT_COPY_KNOWN(queued_timestamp);
  INGOT_COPY_KNOWN(worker_start_timestamp);
  INGOT_COPY_KNOWN(worker_completed_timestamp);
  INGOT_COPY_KNOWN(input_fetch_start_timestamp);
  INGOT_COPY_KNOWN(input_fetch_completed_timestamp);
  INGOT_COPY_KNOWN(execution_start_timestamp);
  INGOT_COPY_KNOWN(execution_completed_timestamp);
  INGOT_COPY_KNOWN(virtual_execution_duration);
  INGOT_COPY_KNOWN(output_upload_start_timestamp);
  INGOT_COPY_KNOWN(output_upload_completed_timestamp);
#undef INGOT_COPY_KNOWN
  for (const auto& any : from.auxiliary_metadata()) *to.add_auxiliary_metadata() = Known(any);
  return to;
}

reapi::ActionResult Known(const reapi::ActionResult& from) {
  reapi::ActionResult to;
  for (const auto& file : from.output_files()) *to.add_output_files() = Known(file);
  for (const auto& link : from.output_file_symlinks()) {
    *to.add_output_file_symlinks() = Known(link);
  }
  for (const auto& link : from.output_symlinks()) *to.add_output_symlinks() = Known(link);
  for (const auto& folder : from.output_directories()) {
    *to.add_output_directories() = Known(folder);
  }
  for (const auto& link : from.output_directory_symlinks()) {
    *to.add_output_directory_symlinks() = Known(link);
  }
  to.set_exit_code(from.exit_code());
  to.set_stdout_raw(from.stdout_raw());
  if (from.has_stdout_digest()) *to.mutable_stdout_digest() = Known(from.stdout_digest());
  to.set_stderr_raw(from.stderr_raw());
  if (from.has_stderr_digest()) *to.mutable_stderr_digest() = Known(from.stderr_digest());
  if (from.has_execution_metadata()) {
    *to.mutable_execution_metadata() = Known(from.execution_metadata());
  }
  return to;
}

bool HasUnknownFields(const reapi::ActionResult& result) {
  return Known(result).ByteSizeLong() != result.ByteSizeLong();
}

// Whether the bytes of an entry hold a part of the seal's type. One damaged byte can turn the tag
// of execution_metadata into that of a bytes field, which then swallows both marks whole; and
// several damaged bytes can hit both marks. What is left of them is still there to be seen, and no
// foreign entry has it.
bool HasRemainsOfSeal(std::string_view bytes) {
  constexpr size_t kPart = 8;
  for (size_t i = 0; i + kPart <= kSealTypeUrl.size(); ++i) {
    if (absl::StrContains(bytes, kSealTypeUrl.substr(i, kPart))) return true;
  }
  return false;
}

// Parses without protobuf's message on standard error about strings that are not UTF-8: what is
// wrong with an entry is for our caller to say.
bool ParseQuietly(std::string_view bytes, reapi::ActionResult& result) {
#if __has_include("google/protobuf/stubs/logging.h")
  google::protobuf::LogSilencer silencer;
#endif
  return result.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

void RemoveSeal(reapi::ActionResult& result) {
  if (CountSeals(result) == 0) return;
  auto& metadata = *result.mutable_execution_metadata()->mutable_auxiliary_metadata();
  for (int i = metadata.size() - 1; i >= 0; --i) {
    if (IsSeal(metadata.Get(i))) metadata.DeleteSubrange(i, 1);
  }
}

void SealActionResult(const ActionKey& key, reapi::ActionResult& result) {
  RemoveSeal(result);
  reapi::ExecutedActionMetadata& metadata = *result.mutable_execution_metadata();
  if (!absl::StartsWith(metadata.worker(), kWorkerPrefix)) {
    metadata.set_worker(absl::StrCat(kWorkerPrefix, metadata.worker()));
  }
  std::string value = SealValue(key, result);
  google::protobuf::Any& seal = *metadata.add_auxiliary_metadata();
  seal.set_type_url(std::string(kSealTypeUrl));
  seal.set_value(std::move(value));
}

absl::Status CheckActionResult(const ActionKey& key, const reapi::ActionResult& result) {
  if (HasUnknownFields(result)) {
    return absl::DataLossError("the entry holds fields that no ActionResult has");
  }
  const int seals = CountSeals(result);
  const bool marked = absl::StartsWith(result.execution_metadata().worker(), kWorkerPrefix);
  if (seals == 0 && !marked) {
    if (result.ByteSizeLong() == 0) return absl::DataLossError("the entry is empty");
    return absl::OkStatus();
  }
  if (seals != 1 || !marked) {
    return absl::DataLossError(
        "the entry was stored by Ingot but its worker or its seal is missing");
  }
  reapi::ActionResult unsealed = result;
  RemoveSeal(unsealed);
  for (const google::protobuf::Any& any : result.execution_metadata().auxiliary_metadata()) {
    if (IsSeal(any) && any.value() != SealValue(key, unsealed)) {
      return absl::DataLossError(kSealMismatch);
    }
  }
  return absl::OkStatus();
}

std::string EncodeActionResult(const reapi::ActionResult& result) {
  // Parsers merge the fields of concatenated messages, so two messages written one after the other
  // are one whose fields are in this order.
  reapi::ActionResult metadata_only;
  if (result.has_execution_metadata()) {
    *metadata_only.mutable_execution_metadata() = result.execution_metadata();
  }
  reapi::ActionResult rest = result;
  rest.clear_execution_metadata();
  return absl::StrCat(metadata_only.SerializeAsString(), rest.SerializeAsString());
}

absl::StatusOr<reapi::ActionResult> DecodeActionResult(const ActionKey& key,
                                                       std::string_view bytes) {
  if (bytes.empty()) return absl::DataLossError("the entry is empty");
  reapi::ActionResult result;
  if (!ParseQuietly(bytes, result)) {
    return absl::DataLossError("the entry is not an encoded ActionResult");
  }
  if (absl::Status valid = CheckActionResult(key, result); !valid.ok()) return valid;
  if (CountSeals(result) == 0 && HasRemainsOfSeal(bytes)) {
    return absl::DataLossError("the entry was stored by Ingot but its seal is out of place");
  }
  return result;
}

}  // namespace ingot::cache
