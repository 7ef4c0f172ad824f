#include "cache/description.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cache/action.h"
#include "cache/blob_store.h"
#include "cache/digest.h"
#include "cache/merkle_tree.h"
#include "cache/reapi.h"
#include "cache/utf8.h"
#if __has_include("google/protobuf/stubs/logging.h")
#include "google/protobuf/stubs/logging.h"
#endif

// Command.platform and the older names of outputs are deprecated, but Actions of others have them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace ingot::cache {
namespace {

using GetBlob = absl::FunctionRef<absl::StatusOr<std::string>(const Digest& digest)>;

// Without protobuf's own message on standard error.
template <typename Message>
bool ParseQuietly(std::string_view bytes, Message& message) {
#if __has_include("google/protobuf/stubs/logging.h")
  google::protobuf::LogSilencer silencer;
#endif
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

bool IsNodeName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && IsValidUtf8(name) &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

class Reader {
 public:
  Reader(GetBlob get_blob, const DescriptionLimits& limits)
      : get_blob_(get_blob), limits_(limits) {}

  absl::StatusOr<Description> Read(const Digest& action_digest) && {
    reapi::Action action;
    if (absl::Status status = ReadMessage(action_digest, action); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat("the Action: ", status.message()));
    }
    description_.salt = action.salt();
    description_.do_not_cache = action.do_not_cache();
    if (action.has_timeout()) {
      description_.timeout_seconds =
          static_cast<double>(action.timeout().seconds()) + action.timeout().nanos() / 1e9;
    }
    if (action.has_platform()) description_.platform = ToProperties(action.platform());
    ReadCommand(action);
    ReadInputRoot(action);
    return std::move(description_);
  }

 private:
  template <typename Message>
  absl::Status ReadMessage(const Digest& digest, Message& message) {
    if (digest.size_bytes > limits_.maximum_message_bytes) {
      return absl::DataLossError(
          absl::StrCat(digest.ToString(), " is too large for a message and was not read"));
    }
    ABSL_ASSIGN_OR_RETURN(const std::string bytes, get_blob_(digest));
    if (ParseQuietly(bytes, message)) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(digest.ToString(), " does not parse"));
  }

  static PlatformProperties ToProperties(const reapi::Platform& platform) {
    PlatformProperties properties;
    for (const auto& property : platform.properties()) {
      properties.emplace_back(property.name(), property.value());
    }
    std::sort(properties.begin(), properties.end());
    return properties;
  }

  void ReadCommand(const reapi::Action& action) {
    const absl::StatusOr<Digest> digest = FromProto(action.command_digest());
    reapi::Command command;
    const absl::Status read = digest.ok() ? ReadMessage(*digest, command) : digest.status();
    if (!read.ok()) {
      AddProblem("the Command", read);
      return;
    }
    description_.has_command = true;
    description_.arguments.assign(command.arguments().begin(), command.arguments().end());
    for (const auto& variable : command.environment_variables()) {
      description_.environment_variables[variable.name()] = variable.value();
    }
    for (const auto* paths :
         {&command.output_paths(), &command.output_files(), &command.output_directories()}) {
      description_.output_paths.insert(description_.output_paths.end(), paths->begin(),
                                       paths->end());
    }
    description_.working_directory = command.working_directory();
    if (!description_.platform.has_value() && command.has_platform()) {
      description_.platform = ToProperties(command.platform());
    }
  }

  void ReadInputRoot(const reapi::Action& action) {
    const absl::StatusOr<Digest> digest = FromProto(action.input_root_digest());
    if (!digest.ok()) {
      AddProblem("the input root", digest.status());
      return;
    }
    description_.input_root = *digest;
    ReadFolder("", *digest, 0);
    if (too_many_) {
      description_.problems.push_back(absl::StrCat("the input root has more than ",
                                                   limits_.maximum_nodes,
                                                   " entries; the rest was not read"));
    }
  }

  // `path` is empty for the root.
  void ReadFolder(const std::string& path, const Digest& digest, std::size_t depth) {
    if (too_many_) return;
    description_.folders[path] = digest;
    if (depth > limits_.maximum_depth) {
      description_.problems.push_back(
          absl::StrCat("the input folder ", path, " is too deep and was not read"));
      description_.unread_folders.insert(path);
      return;
    }
    reapi::Directory folder;
    if (absl::Status read = ReadMessage(digest, folder); !read.ok()) {
      AddProblem(path.empty() ? "the input root" : absl::StrCat("the input folder ", path), read);
      description_.unread_folders.insert(path);
      return;
    }
    if (folder.files().empty() && folder.symlinks().empty() && folder.directories().empty() &&
        !path.empty()) {
      description_.empty_folders.insert(path);
    }
    for (const reapi::FileNode& node : folder.files()) {
      if (!MayAdd(path, node.name())) continue;
      const absl::StatusOr<Digest> file = FromProto(node.digest());
      if (!file.ok()) {
        AddProblem(absl::StrCat("the input ", Join(path, node.name())), file.status());
        continue;
      }
      description_.files[Join(path, node.name())] = {*file, node.is_executable()};
    }
    for (const reapi::SymlinkNode& node : folder.symlinks()) {
      if (MayAdd(path, node.name())) description_.symlinks[Join(path, node.name())] = node.target();
    }
    for (const reapi::DirectoryNode& node : folder.directories()) {
      if (!MayAdd(path, node.name())) continue;
      const absl::StatusOr<Digest> child = FromProto(node.digest());
      if (!child.ok()) {
        AddProblem(absl::StrCat("the input folder ", Join(path, node.name())), child.status());
        continue;
      }
      ReadFolder(Join(path, node.name()), *child, depth + 1);
    }
  }

  static std::string Join(const std::string& folder, const std::string& name) {
    return folder.empty() ? name : absl::StrCat(folder, "/", name);
  }

  bool MayAdd(const std::string& folder, const std::string& name) {
    if (too_many_) return false;
    if (++nodes_ > limits_.maximum_nodes) {
      too_many_ = true;
      return false;
    }
    if (IsNodeName(name)) return true;
    description_.problems.push_back(absl::StrCat("the input folder '", folder,
                                                 "' has an entry of the impossible name '",
                                                 absl::CHexEscape(name), "'"));
    return false;
  }

  void AddProblem(std::string_view what, const absl::Status& status) {
    description_.problems.push_back(absl::StrCat(what, ": ", status.message()));
  }

  const GetBlob get_blob_;
  const DescriptionLimits limits_;
  Description description_;
  std::size_t nodes_ = 0;
  bool too_many_ = false;
};

}  // namespace

absl::StatusOr<Description> ReadDescription(BlobStore& blob_store, const ActionKey& key,
                                            const DescriptionLimits& limits) {
  const auto get = [&](const Digest& digest) { return blob_store.Get(digest); };
  return Reader(get, limits).Read(key.digest());
}

absl::StatusOr<Description> DescribeAction(const EncodedAction& action, const EncodedTree& tree) {
  std::map<Digest, std::string_view> messages = {{action.key.digest(), action.action},
                                                 {action.command_digest, action.command}};
  for (const EncodedDirectory& directory : tree.directories) {
    messages.emplace(directory.digest, directory.bytes);
  }
  const auto get = [&](const Digest& digest) -> absl::StatusOr<std::string> {
    if (digest == EmptyDigest()) return std::string();
    const auto found = messages.find(digest);
    if (found != messages.end()) return std::string(found->second);
    return absl::NotFoundError(absl::StrCat(digest.ToString(), " is not among the messages"));
  };
  return Reader(get, {}).Read(action.key.digest());
}

}  // namespace ingot::cache
