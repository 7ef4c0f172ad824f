#include "tools/driver/cache_show_command.h"

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "cache/blob_store.h"
#include "cache/description.h"
#include "cache/digest.h"
#include "cache/reapi.h"
#include "cache/result_seal.h"
#include "nlohmann/json.hpp"
#include "tools/driver/asked_store.h"
#include "tools/driver/environment.h"
#include "tools/driver/exit_code.h"
#include "tools/driver/json.h"
#include "tools/driver/option_table.h"
#include "tools/driver/remote_flags.h"
#include "tools/driver/store.h"
#include "tools/driver/store_command.h"

namespace ingot::driver {
namespace {

struct ShowFlags {
  StoreCommandFlags store;
  std::string key;
};

// Everything as JSON; the text is made from it, so that the two cannot say different things.

nlohmann::json FileToJson(const std::string& path, const cache::Digest& digest,
                          bool is_executable) {
  return {{"path", path},
          {"digest", digest.ToString()},
          {"size", digest.size_bytes},
          {"executable", is_executable}};
}

nlohmann::json DescriptionToJson(const cache::Description& description) {
  nlohmann::json inputs = nlohmann::json::array();
  for (const auto& [path, file] : description.files) {
    inputs.push_back(FileToJson(path, file.digest, file.is_executable));
  }
  nlohmann::json json = {{"arguments", description.arguments},
                         {"environment", description.environment_variables},
                         {"output_paths", description.output_paths},
                         {"salt", description.salt},
                         {"input_root", description.input_root.ToString()},
                         {"inputs", inputs},
                         {"symlinks", description.symlinks},
                         {"problems", description.problems}};
  if (!description.working_directory.empty()) {
    json["working_directory"] = description.working_directory;
  }
  if (description.timeout_seconds.has_value()) {
    json["timeout_seconds"] = *description.timeout_seconds;
  }
  if (description.do_not_cache) json["do_not_cache"] = true;
  json["platform"] = nlohmann::json::array();
  for (const auto& [name, value] : description.platform.value_or(cache::PlatformProperties())) {
    json["platform"].push_back({{"name", name}, {"value", value}});
  }
  return json;
}

// "present" if the blob is there and its bytes are right, else what is the matter.
std::string BlobState(cache::BlobStore& blobs, const cache::reapi::Digest& proto) {
  const absl::StatusOr<cache::Digest> digest = cache::FromProto(proto);
  if (!digest.ok()) return absl::StrCat("damaged: ", digest.status().message());
  const absl::StatusOr<std::string> bytes = blobs.Get(*digest);
  if (bytes.ok()) return "present";
  if (absl::IsNotFound(bytes.status())) return "missing";
  return absl::StrCat(absl::IsDataLoss(bytes.status()) ? "damaged: " : "unreadable: ",
                      bytes.status().message());
}

std::string ProtoText(const cache::reapi::Digest& digest) {
  return absl::StrCat(digest.hash(), "/", digest.size_bytes());
}

int64_t StreamSize(bool has_digest, const cache::reapi::Digest& digest, const std::string& raw) {
  return has_digest ? digest.size_bytes() : static_cast<int64_t>(raw.size());
}

nlohmann::json ResultToJson(const FoundEntry& entry) {
  const cache::reapi::ActionResult& result = entry.result;
  nlohmann::json outputs = nlohmann::json::array();
  for (const cache::reapi::OutputFile& file : result.output_files()) {
    outputs.push_back({{"path", file.path()},
                       {"digest", ProtoText(file.digest())},
                       {"size", file.digest().size_bytes()},
                       {"executable", file.is_executable()},
                       {"state", BlobState(*entry.place->blobs, file.digest())}});
  }
  nlohmann::json folders = nlohmann::json::array();
  for (const cache::reapi::OutputDirectory& folder : result.output_directories()) {
    folders.push_back({{"path", folder.path()},
                       {"tree_digest", ProtoText(folder.tree_digest())},
                       {"state", BlobState(*entry.place->blobs, folder.tree_digest())}});
  }
  nlohmann::json symlinks = nlohmann::json::object();
  for (const cache::reapi::OutputSymlink& link : result.output_symlinks()) {
    symlinks[link.path()] = link.target();
  }
  const auto& metadata = result.execution_metadata();
  nlohmann::json json = {
      {"outputs", outputs},
      {"output_folders", folders},
      {"output_symlinks", symlinks},
      {"exit_code", result.exit_code()},
      {"stdout_size",
       StreamSize(result.has_stdout_digest(), result.stdout_digest(), result.stdout_raw())},
      {"stderr_size",
       StreamSize(result.has_stderr_digest(), result.stderr_digest(), result.stderr_raw())},
      {"made_by", entry.is_sealed ? "ingot" : "another program"},
      {"sealed", entry.is_sealed},
      {"worker",
       entry.is_sealed ? metadata.worker().substr(cache::kWorkerPrefix.size()) : metadata.worker()},
  };
  if (metadata.has_execution_completed_timestamp()) {
    const absl::Time end = ToTime(metadata.execution_completed_timestamp());
    json["made"] = FormatForPrograms(end);
    if (metadata.has_execution_start_timestamp()) {
      json["execution_ms"] =
          absl::ToDoubleMilliseconds(end - ToTime(metadata.execution_start_timestamp()));
    }
  }
  return json;
}

void AddTimes(const AskedStore& store, const cache::ActionKey& key, const FoundEntry& entry,
              nlohmann::json& json) {
  struct stat status;
  if (!entry.place->is_remote && stat(entry.location.c_str(), &status) == 0) {
    json["last_used"] = FormatForPrograms(absl::TimeFromTimespec(status.st_mtim));
  }
  if (const auto* first = store.history.FirstPublicationOf(key.hash())) {
    json["first_stored"] = FormatForPrograms(first->time);
    json["first_stored_for"] = first->input;
  }
}

// A value as JSON has it, without the quotes of a text.
std::string Plain(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void PrintFiles(std::ostream& out, std::string_view title, const nlohmann::json& files) {
  out << title << (files.empty() ? "none" : "") << "\n";
  for (const nlohmann::json& file : files) {
    out << "  " << Plain(file["path"]) << "\n    "
        << Plain(file.contains("digest") ? file["digest"] : file["tree_digest"]);
    if (file.value("executable", false)) out << "  executable";
    if (file.contains("state")) out << "  " << Plain(file["state"]);
    out << "\n";
  }
}

void PrintText(std::ostream& out, const nlohmann::json& json) {
  const auto line = [&](std::string_view title, const char* name) {
    if (json.contains(name) && Plain(json[name]) != "") {
      out << absl::StrCat(title, std::string(14 - title.size(), ' ')) << Plain(json[name]) << "\n";
    }
  };
  line("key", "key");
  line("entry", "entry");
  line("found in", "found_in");
  line("made by", "made_by");
  line("worker", "worker");
  line("made", "made");
  line("took ms", "execution_ms");
  line("first stored", "first_stored");
  line("for", "first_stored_for");
  line("last used", "last_used");
  line("exit code", "exit_code");
  line("stdout", "stdout_size");
  line("stderr", "stderr_size");
  if (json.contains("arguments")) {
    out << "command\n";
    for (const nlohmann::json& argument : json["arguments"]) out << "  " << Plain(argument) << "\n";
    for (const auto& [name, value] : json["environment"].items()) {
      out << "  with " << name << "=" << Plain(value) << "\n";
    }
    line("in", "working_directory");
    line("time limit s", "timeout_seconds");
    for (const nlohmann::json& property : json["platform"]) {
      out << "platform      " << Plain(property["name"]) << "=" << Plain(property["value"]) << "\n";
    }
    line("salt", "salt");
    PrintFiles(out, "inputs        ", json["inputs"]);
    for (const auto& [path, target] : json["symlinks"].items()) {
      out << "  " << path << " -> " << Plain(target) << "\n";
    }
  }
  if (json.contains("outputs")) {
    PrintFiles(out, "outputs       ", json["outputs"]);
    if (!json["output_folders"].empty()) PrintFiles(out, "output folders", json["output_folders"]);
    for (const auto& [path, target] : json["output_symlinks"].items()) {
      out << "  " << path << " -> " << Plain(target) << "\n";
    }
  }
  for (const nlohmann::json& problem : json["problems"]) {
    out << "not known     " << Plain(problem) << "\n";
  }
}

int Fail(const Environment& environment, const ShowFlags& flags, const absl::Status& status,
         const std::string& remote_error) {
  if (!flags.store.json || remote_error.empty()) {
    return FailStoreCommand(environment, flags.store.json, status);
  }
  const int exit_code = ExitCodeFor(status);
  PrintJson(environment.out, {{"schema", 1},
                              {"error", status.message()},
                              {"remote_error", remote_error},
                              {"exit_code", exit_code}});
  return exit_code;
}

int RunShow(const Environment& environment, const ShowFlags& flags) {
  const absl::StatusOr<AskedStore> store =
      OpenToAsk(environment, FindStore(environment, flags.store.store), flags.store.store.remote);
  if (!store.ok()) return FailStoreCommand(environment, flags.store.json, store.status());
  const absl::StatusOr<cache::ActionKey> key = ResolveKey(flags.key, *store);
  if (!key.ok()) return FailStoreCommand(environment, flags.store.json, key.status());

  std::string remote_error;
  const absl::StatusOr<FoundEntry> entry = FindEntry(*store, *key, Reach::kRemote, &remote_error);
  const absl::StatusOr<cache::Description> description = Describe(*store, *key);
  if (!entry.ok() && !description.ok()) {
    return Fail(environment, flags, entry.status(), remote_error);
  }
  nlohmann::json json = {
      {"schema", 1}, {"key", key->ToString()}, {"problems", nlohmann::json::array()}};
  if (description.ok()) {
    json.update(DescriptionToJson(*description));
  } else {
    json["problems"].push_back(description.status().message());
  }
  if (entry.ok()) {
    json["entry"] = entry->location;
    json["found_in"] = entry->place->kind;
    json.update(ResultToJson(*entry));
    AddTimes(*store, *key, *entry, json);
  } else {
    json["problems"].push_back(entry.status().message());
    if (!remote_error.empty()) json["remote_error"] = remote_error;
  }
  if (flags.store.json) {
    PrintJson(environment.out, json);
  } else {
    PrintText(environment.out, json);
  }
  // What it would be the result of is known, but there is no result.
  return entry.ok() ? kSuccess : kProgramError;
}

}  // namespace

void AddCacheShowCommand(CLI::App& cache, const Environment& environment, int& exit_code) {
  CLI::App* command =
      cache.add_subcommand("show", "Show what one result is the result of, and who made it");
  auto flags = std::make_shared<ShowFlags>();
  command
      ->add_option("KEY", flags->key,
                   "HASH/SIZE, a hash, or its first digits (eight or more) if one key has them")
      ->type_name("")
      ->required();
  AddStoreCommandFlags(*command, flags->store);
  std::vector<OptionRow> rows;
  AppendRemoteFlags(flags->store.store.remote, rows);
  AddOptions(*command, rows);
  command->footer(
      "Asking changes nothing: the result is not used by it. Works on what Bazel stored, too, as "
      "far as that goes.\n"
      "A remote cache is asked for what is not on this machine; it knows keys by HASH/SIZE "
      "only.\n\n"
      "Examples:\n  ingot cache show 0bae4de2\n  ingot cache show 0bae4de2 --json\n"
      "  ingot cache show HASH/SIZE --remote_cache=http://cache:8080\n\n"
      "Exit codes: 0 shown; 1 there is no such result, it is damaged, or the remote cache could "
      "not\n"
      "answer; 2 usage.");
  command->callback(
      [&environment, &exit_code, flags] { exit_code = RunShow(environment, *flags); });
}

}  // namespace ingot::driver
