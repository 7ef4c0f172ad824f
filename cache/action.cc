#include "cache/action.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/digest.h"
#include "cache/path.h"
#include "cache/reapi.h"
#include "cache/utf8.h"

// Command.platform is deprecated, but clients set it beside Action.platform: servers older than
// REAPI 2.2 look only there.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace ingot::cache {
namespace {

absl::Status Invalid(std::string_view what, std::string_view value, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " '", absl::CHexEscape(value), "' of an Action ", why));
}

absl::Status ValidateText(std::string_view what, std::string_view value) {
  if (!IsValidUtf8(value)) return Invalid(what, value, "is not valid UTF-8");
  if (value.find('\0') != std::string_view::npos) return Invalid(what, value, "holds a NUL byte");
  return absl::OkStatus();
}

absl::Status Validate(const ActionSpec& spec) {
  if (spec.arguments.empty() || spec.arguments.front().empty()) {
    return absl::InvalidArgumentError("an Action needs arguments, the first of them its program");
  }
  for (const std::string& argument : spec.arguments) {
    if (absl::Status valid = ValidateText("argument", argument); !valid.ok()) return valid;
  }
  for (const auto& [name, value] : spec.environment_variables) {
    if (absl::Status valid = ValidateText("environment variable", name); !valid.ok()) return valid;
    if (absl::Status valid = ValidateText("environment value", value); !valid.ok()) return valid;
    if (name.empty() || absl::StrContains(name, '=')) {
      return Invalid("environment variable", name, "has no usable name");
    }
  }
  if (spec.platform.has_value()) {
    for (const auto& [name, value] : *spec.platform) {
      if (absl::Status valid = ValidateText("platform property", name); !valid.ok()) return valid;
      if (absl::Status valid = ValidateText("platform value", value); !valid.ok()) return valid;
      if (name.empty()) return Invalid("platform property", name, "has no name");
    }
  }
  if (!IsSha256Hex(spec.input_root_digest.hash) || spec.input_root_digest.size_bytes < 0) {
    return Invalid("input root", spec.input_root_digest.ToString(), "is not a digest");
  }
  return absl::OkStatus();
}

// Sorted, each once; an error for a path that is no path or lies below another.
absl::StatusOr<std::vector<std::string>> CanonicalOutputPaths(std::vector<std::string> paths) {
  for (const std::string& path : paths) {
    if (absl::Status valid = ValidateRelativePath(path); !valid.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("output path ", valid.message()));
    }
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const std::string& path : paths) {
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (std::binary_search(paths.begin(), paths.end(), path.substr(0, slash))) {
        return Invalid("output path", path,
                       absl::StrCat("lies below another one, '", path.substr(0, slash), "'"));
      }
    }
  }
  return paths;
}

void SetPlatform(PlatformProperties properties, reapi::Platform& platform) {
  std::sort(properties.begin(), properties.end());
  for (auto& [name, value] : properties) {
    reapi::Platform::Property& property = *platform.add_properties();
    property.set_name(std::move(name));
    property.set_value(std::move(value));
  }
}

}  // namespace

// The generated serialiser is canonical for messages like these: built here from nothing (so
// without unknown fields), fields written in tag order, default values left out, and no maps.
std::string EncodeActionMessage(const Digest& command_digest, const Digest& input_root_digest,
                                const std::optional<PlatformProperties>& platform,
                                std::string_view salt) {
  reapi::Action action;
  ToProto(command_digest, *action.mutable_command_digest());
  ToProto(input_root_digest, *action.mutable_input_root_digest());
  action.set_salt(std::string(salt));
  if (platform.has_value()) SetPlatform(*platform, *action.mutable_platform());
  return action.SerializeAsString();
}

absl::StatusOr<EncodedAction> EncodeAction(const ActionSpec& spec) {
  if (absl::Status valid = Validate(spec); !valid.ok()) return valid;
  absl::StatusOr<std::vector<std::string>> output_paths = CanonicalOutputPaths(spec.output_paths);
  if (!output_paths.ok()) return output_paths.status();

  reapi::Command command;
  for (const std::string& argument : spec.arguments) command.add_arguments(argument);
  for (const auto& [name, value] : spec.environment_variables) {
    reapi::Command::EnvironmentVariable& variable = *command.add_environment_variables();
    variable.set_name(name);
    variable.set_value(value);
  }
  for (std::string& path : *output_paths) command.add_output_paths(std::move(path));
  if (spec.platform.has_value()) SetPlatform(*spec.platform, *command.mutable_platform());
  std::string command_bytes = command.SerializeAsString();
  Digest command_digest = Sha256(command_bytes);

  std::string action_bytes =
      EncodeActionMessage(command_digest, spec.input_root_digest, spec.platform, spec.salt);
  ActionKey key(Sha256(action_bytes));

  return EncodedAction{.key = std::move(key),
                       .action = std::move(action_bytes),
                       .command_digest = std::move(command_digest),
                       .command = std::move(command_bytes)};
}

}  // namespace ingot::cache
