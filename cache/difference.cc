#include "cache/difference.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cache/description.h"
#include "cache/digest.h"

namespace ingot::cache {
namespace {

// A value as a sentence can hold it: quoted where it is empty or would not be seen for what it is.
std::string Shown(std::string_view value) {
  const bool plain = !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '\'' && c != '\x7f';
  });
  return plain ? std::string(value) : absl::StrCat("'", absl::Utf8SafeCEscape(value), "'");
}

std::string WasAndIs(std::string_view what, std::string_view before, std::string_view after) {
  return absl::StrCat(what, " was ", Shown(before), " and is ", Shown(after));
}

// "--cpu" and "sm_90" of "--cpu=sm_90".
struct NamedArgument {
  std::string_view name;
  std::string_view value;
};

std::optional<NamedArgument> SplitArgument(std::string_view argument) {
  const std::string_view::size_type equals = argument.find('=');
  if (!absl::StartsWith(argument, "-") || equals == std::string_view::npos) return std::nullopt;
  return NamedArgument{argument.substr(0, equals), argument.substr(equals + 1)};
}

class Comparison {
 public:
  Comparison(const Description& before, const Description& after)
      : before_(before), after_(after) {}

  std::vector<Difference> Run() && {
    FindRenamedInputs();
    CompareTool();
    AddRenamedInputs();
    CompareArguments();
    CompareInputs();
    CompareOutputPaths();
    CompareMaps(DifferenceKind::kEnvironment, "the environment variable ",
                before_.environment_variables, after_.environment_variables);
    ComparePlatforms();
    CompareRest();
    if (differences_.empty()) AddProblems();
    return std::move(differences_);
  }

 private:
  using Files = std::map<std::string, DescribedFile>;

  void Add(DifferenceKind kind, std::string_view subject, std::string_view before,
           std::string_view after, std::string text) {
    differences_.push_back(
        {kind, std::string(subject), std::string(before), std::string(after), std::move(text)});
  }

  // The program's path is relative to the input root only where it has a slash and no root.
  static std::string_view Program(const Description& description) {
    if (description.arguments.empty()) return {};
    const std::string& program = description.arguments.front();
    return absl::StartsWith(program, "/") || !absl::StrContains(program, '/')
               ? std::string_view()
               : std::string_view(program);
  }

  // "toolchain/" for "toolchain/ingot-compile"; empty where there is no such folder.
  static std::string_view ToolFolder(const Description& description) {
    const std::string_view program = Program(description);
    return program.substr(0, program.rfind('/') + 1);
  }

  bool IsOfTool(std::string_view path) const {
    const std::string_view folder = ToolFolder(after_);
    return !folder.empty() && folder == ToolFolder(before_) && absl::StartsWith(path, folder);
  }

  void CompareTool() {
    const std::string_view folder = ToolFolder(after_);
    if (folder.empty() || folder != ToolFolder(before_)) return;
    const std::string program(Program(after_));
    CompareTwoFiles(program);
    std::set<std::string> paths;
    for (const Files* files : {&before_.files, &after_.files}) {
      for (const auto& [path, file] : *files) {
        if (IsOfTool(path) && path != program) paths.insert(path);
      }
    }
    for (const std::string& path : paths) CompareTwoFiles(path);
    CompareUnreadFolders(/*of_tool=*/true);
  }

  void CompareTwoFiles(const std::string& path) {
    const auto before = before_.files.find(path);
    const auto after = after_.files.find(path);
    const bool was = before != before_.files.end();
    const bool is = after != after_.files.end();
    const bool tool = IsOfTool(path);
    const std::string what = !tool                     ? absl::StrCat("the input ", Shown(path))
                             : path == Program(after_) ? absl::StrCat("the tool (", path, ")")
                                                       : absl::StrCat("the tool's file ", path);
    if (was && is) {
      const std::string old_digest = before->second.digest.ToString();
      const std::string new_digest = after->second.digest.ToString();
      if (old_digest != new_digest) {
        Add(tool ? DifferenceKind::kTool : DifferenceKind::kInputContents, path, old_digest,
            new_digest,
            absl::StrCat(what, tool ? " is another one: " : " has other contents: ", new_digest,
                         ", before ", old_digest));
      }
      if (before->second.is_executable != after->second.is_executable) {
        Add(DifferenceKind::kInputMode, path, before->second.is_executable ? "executable" : "",
            after->second.is_executable ? "executable" : "",
            absl::StrCat(what, after->second.is_executable ? " is executable and was not"
                                                           : " is not executable any more"));
      }
      return;
    }
    // Below a folder that could not be read, nothing is known to be new or gone.
    if (was && !is && !IsBelowUnread(after_, path)) {
      const std::string digest = before->second.digest.ToString();
      Add(tool ? DifferenceKind::kTool : DifferenceKind::kInputRemoved, path, digest, "",
          absl::StrCat(what, " is not there any more; it was ", digest));
    } else if (is && !was && !IsBelowUnread(before_, path)) {
      const std::string digest = after->second.digest.ToString();
      Add(tool ? DifferenceKind::kTool : DifferenceKind::kInputAdded, path, "", digest,
          absl::StrCat(what, " is new: ", digest));
    }
  }

  static bool IsBelowUnread(const Description& description, std::string_view path) {
    return std::any_of(description.unread_folders.begin(), description.unread_folders.end(),
                       [&](const std::string& folder) {
                         return folder.empty() || absl::StartsWith(path, absl::StrCat(folder, "/"));
                       });
  }

  void CompareUnreadFolders(bool of_tool) {
    std::set<std::string> paths;
    for (const Description* side : {&before_, &after_}) {
      for (const std::string& path : side->unread_folders) {
        if (IsOfTool(absl::StrCat(path, "/")) == of_tool) paths.insert(path);
      }
    }
    for (const std::string& path : paths) {
      const auto before = before_.folders.find(path);
      const auto after = after_.folders.find(path);
      if (before == before_.folders.end() || after == after_.folders.end() ||
          before->second == after->second) {
        continue;
      }
      const std::string was = before->second.ToString();
      const std::string is = after->second.ToString();
      const std::string what =
          path.empty() ? "the input root" : absl::StrCat("the input folder ", Shown(path));
      Add(of_tool ? DifferenceKind::kTool : DifferenceKind::kInputFolder, path, was, is,
          absl::StrCat(what, of_tool ? ", where the tool is," : "", " is another one: ", is,
                       ", before ", was, "; which of its files differ is not known"));
    }
  }

  // An input that is gone and a new one of the same contents are one that was renamed. Only where
  // the match is unambiguous.
  void FindRenamedInputs() {
    const auto only_in = [this](const Description& side, const Description& other) {
      std::map<Digest, std::vector<std::string>> found;
      for (const auto& [path, file] : side.files) {
        if (!other.files.contains(path) && !IsOfTool(path) && !IsBelowUnread(other, path)) {
          found[file.digest].push_back(path);
        }
      }
      return found;
    };
    const auto gone = only_in(before_, after_);
    const auto added = only_in(after_, before_);
    for (const auto& [digest, paths] : gone) {
      const auto match = added.find(digest);
      if (match == added.end() || paths.size() != 1 || match->second.size() != 1) continue;
      renamed_[paths.front()] = match->second.front();
    }
  }

  void AddRenamedInputs() {
    for (const auto& [before, after] : renamed_) {
      Add(DifferenceKind::kInputRenamed, after, before, after,
          absl::StrCat("the input ", Shown(before), " is called ", Shown(after),
                       " now, with the same contents"));
    }
  }

  // What an argument at `i` is called: "--cpu", or "-o" for the one after it, or its place.
  static std::string ArgumentName(const std::vector<std::string>& arguments, std::size_t i) {
    if (const auto named = SplitArgument(arguments[i])) return std::string(named->name);
    constexpr std::size_t kShortOption = 2;
    if (i > 0 && arguments[i - 1].size() == kShortOption && arguments[i - 1].front() == '-' &&
        !absl::StartsWith(arguments[i], "-")) {
      return arguments[i - 1];
    }
    return absl::StrCat("number ", i);
  }

  void CompareArguments() {
    if (!before_.has_command || !after_.has_command) return;
    const std::vector<std::string>& before = before_.arguments;
    const std::vector<std::string>& after = after_.arguments;
    if (before == after) return;
    if (before.size() == after.size()) {
      bool aligned = true;
      for (std::size_t i = 0; i < before.size() && aligned; ++i) {
        const auto a = SplitArgument(before[i]);
        const auto b = SplitArgument(after[i]);
        aligned = a.has_value() == b.has_value() && (!a.has_value() || a->name == b->name);
      }
      if (aligned) {
        for (std::size_t i = 0; i < before.size(); ++i) CompareTwoArguments(i);
        return;
      }
    }
    CompareUnalignedArguments();
  }

  // Arguments of the same name, or both without one.
  void CompareTwoArguments(std::size_t i) {
    const std::string& before = before_.arguments[i];
    const std::string& after = after_.arguments[i];
    if (before == after) return;
    // The difference has been told.
    const auto renamed = renamed_.find(before);
    if (renamed != renamed_.end() && renamed->second == after) return;
    const std::string name = ArgumentName(after_.arguments, i);
    const auto old_value = SplitArgument(before);
    const auto new_value = SplitArgument(after);
    const std::string_view was = old_value.has_value() ? old_value->value : before;
    const std::string_view is = new_value.has_value() ? new_value->value : after;
    Add(DifferenceKind::kArgument, name, was, is,
        WasAndIs(absl::StrCat("argument ", name), was, is));
  }

  void CompareUnalignedArguments() {
    std::multiset<std::string> gone(before_.arguments.begin(), before_.arguments.end());
    std::vector<std::string> added;
    for (const std::string& argument : after_.arguments) {
      const auto same = gone.find(argument);
      if (same == gone.end()) {
        added.push_back(argument);
      } else {
        gone.erase(same);
      }
    }
    if (gone.empty() && added.empty()) {
      Add(DifferenceKind::kArgument, "", absl::StrJoin(before_.arguments, " "),
          absl::StrJoin(after_.arguments, " "), "the arguments are in another order");
      return;
    }
    // In the order of the command lines.
    for (const std::string& argument : before_.arguments) {
      const auto found = gone.find(argument);
      if (found == gone.end()) continue;
      gone.erase(found);
      const auto named = SplitArgument(argument);
      const auto successor =
          std::find_if(added.begin(), added.end(), [&](const std::string& candidate) {
            const auto other = SplitArgument(candidate);
            return named.has_value() && other.has_value() && other->name == named->name;
          });
      if (successor != added.end()) {
        const std::string_view is = SplitArgument(*successor)->value;
        Add(DifferenceKind::kArgument, named->name, named->value, is,
            WasAndIs(absl::StrCat("argument ", named->name), named->value, is));
        added.erase(successor);
      } else {
        Add(DifferenceKind::kArgument, argument, argument, "",
            absl::StrCat("argument ", Shown(argument), " is not there any more"));
      }
    }
    for (const std::string& argument : added) {
      Add(DifferenceKind::kArgument, argument, "", argument,
          absl::StrCat("argument ", Shown(argument), " is new"));
    }
  }

  void CompareInputs() {
    std::set<std::string> paths;
    for (const Files* files : {&before_.files, &after_.files}) {
      for (const auto& [path, file] : *files) {
        if (!IsOfTool(path)) paths.insert(path);
      }
    }
    for (const auto& [before, after] : renamed_) {
      paths.erase(before);
      paths.erase(after);
    }
    // Changed files before those that are new or gone, each in the order of their paths.
    for (const bool on_both_sides : {true, false}) {
      for (const std::string& path : paths) {
        const bool both = before_.files.contains(path) && after_.files.contains(path);
        if (both == on_both_sides) CompareTwoFiles(path);
      }
    }
    CompareMaps(DifferenceKind::kInputContents, "the symlink ", before_.symlinks, after_.symlinks);
    const auto names = [](const Description& side) {
      std::map<std::string, std::string> folders;
      for (const std::string& path : side.empty_folders) folders[path] = "empty";
      return folders;
    };
    CompareMaps(DifferenceKind::kInputFolder, "the input folder ", names(before_), names(after_));
    CompareUnreadFolders(/*of_tool=*/false);
  }

  void CompareMaps(DifferenceKind kind, std::string_view what,
                   const std::map<std::string, std::string>& before,
                   const std::map<std::string, std::string>& after) {
    std::set<std::string> names;
    for (const auto* side : {&before, &after}) {
      for (const auto& [name, value] : *side) names.insert(name);
    }
    for (const std::string& name : names) {
      const auto was = before.find(name);
      const auto is = after.find(name);
      const std::string subject = absl::StrCat(what, Shown(name));
      if (is == after.end()) {
        Add(kind, name, was->second, "",
            absl::StrCat(subject, " is not there any more; it was ", Shown(was->second)));
      } else if (was == before.end()) {
        Add(kind, name, "", is->second, absl::StrCat(subject, " is new: ", Shown(is->second)));
      } else if (was->second != is->second) {
        Add(kind, name, was->second, is->second, WasAndIs(subject, was->second, is->second));
      }
    }
  }

  void CompareOutputPaths() {
    if (!before_.has_command || !after_.has_command) return;
    const auto sorted = [](std::vector<std::string> paths) {
      std::sort(paths.begin(), paths.end());
      return paths;
    };
    const std::vector<std::string> before = sorted(before_.output_paths);
    const std::vector<std::string> after = sorted(after_.output_paths);
    if (before == after) return;
    const auto list = [](const std::vector<std::string>& paths) {
      return absl::StrJoin(paths, " ",
                           [](std::string* out, const std::string& path) { *out += Shown(path); });
    };
    Add(DifferenceKind::kOutputPath, "", absl::StrJoin(before, " "), absl::StrJoin(after, " "),
        absl::StrCat("the declared outputs were ", list(before), " and are ", list(after)));
  }

  void ComparePlatforms() {
    if (before_.platform.has_value() != after_.platform.has_value()) {
      Add(DifferenceKind::kPlatform, "", before_.platform.has_value() ? "set" : "",
          after_.platform.has_value() ? "set" : "",
          after_.platform.has_value() ? "a platform is named, and none was"
                                      : "no platform is named any more");
    }
    const auto by_name = [](const Description& side) {
      std::map<std::string, std::string> values;
      if (!side.platform.has_value()) return values;
      for (const auto& [name, value] : *side.platform) {
        std::string& joined = values[name];
        absl::StrAppend(&joined, joined.empty() ? "" : ", ", value);
      }
      return values;
    };
    CompareMaps(DifferenceKind::kPlatform, "the platform property ", by_name(before_),
                by_name(after_));
  }

  void CompareRest() {
    if (before_.has_command && after_.has_command &&
        before_.working_directory != after_.working_directory) {
      Add(DifferenceKind::kWorkingDirectory, "", before_.working_directory,
          after_.working_directory,
          WasAndIs("the working directory", before_.working_directory, after_.working_directory));
    }
    if (before_.timeout_seconds != after_.timeout_seconds) {
      const auto text = [](const std::optional<double>& seconds) {
        return seconds.has_value() ? absl::StrCat(*seconds, "s") : std::string("none");
      };
      Add(DifferenceKind::kTimeout, "", text(before_.timeout_seconds), text(after_.timeout_seconds),
          WasAndIs("the time limit", text(before_.timeout_seconds), text(after_.timeout_seconds)));
    }
    if (before_.salt != after_.salt) {
      Add(DifferenceKind::kSalt, "", before_.salt, after_.salt,
          absl::StrCat(WasAndIs("the salt", before_.salt, after_.salt),
                       ": another namespace or, after results were disowned, another generation"));
    }
    if (before_.do_not_cache != after_.do_not_cache) {
      Add(DifferenceKind::kUnknown, "", "", "",
          after_.do_not_cache ? "the result is not to be cached, and it was before"
                              : "the result may be cached, and it was not to be before");
    }
  }

  // Two keys that differ, and nothing that was read says why: what was not read must be it.
  void AddProblems() {
    for (const Description* side : {&before_, &after_}) {
      for (const std::string& problem : side->problems) {
        Add(DifferenceKind::kUnknown, "", "", "",
            absl::StrCat(side == &before_ ? "of the earlier one" : "of the later one",
                         " a part cannot be read: ", problem));
      }
    }
  }

  const Description& before_;
  const Description& after_;
  std::map<std::string, std::string> renamed_;  // old path -> new path
  std::vector<Difference> differences_;
};

}  // namespace

std::string_view DifferenceKindName(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::kTool:
      return "tool";
    case DifferenceKind::kInputRenamed:
      return "input renamed";
    case DifferenceKind::kArgument:
      return "argument";
    case DifferenceKind::kInputContents:
      return "input contents";
    case DifferenceKind::kInputMode:
      return "input mode";
    case DifferenceKind::kInputAdded:
      return "input added";
    case DifferenceKind::kInputRemoved:
      return "input removed";
    case DifferenceKind::kInputFolder:
      return "input folder";
    case DifferenceKind::kOutputPath:
      return "output path";
    case DifferenceKind::kEnvironment:
      return "environment variable";
    case DifferenceKind::kPlatform:
      return "platform";
    case DifferenceKind::kWorkingDirectory:
      return "working directory";
    case DifferenceKind::kTimeout:
      return "timeout";
    case DifferenceKind::kSalt:
      return "salt";
    case DifferenceKind::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::vector<Difference> Compare(const Description& before, const Description& after) {
  return Comparison(before, after).Run();
}

}  // namespace ingot::cache
