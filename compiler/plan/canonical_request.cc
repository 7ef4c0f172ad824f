#include "compiler/plan/canonical_request.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cache/utf8.h"
#include "compiler/invocation/dependencies.h"
#include "compiler/invocation/front_end_options.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "targets/record.h"
#include "targets/registry.h"

namespace ingot::compiler {
namespace {

std::string_view Stem(std::string_view name) {
  const std::string_view::size_type dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

// The folder of the file at `path`, as a path that can be put before "/NAME".
std::string FolderOf(std::string_view path) {
  const std::string_view::size_type slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string Join(std::string_view folder, std::string_view name) {
  if (folder == ".") return std::string(name);
  return absl::StrCat(folder, absl::EndsWith(folder, "/") ? "" : "/", name);
}

// Rewrites the front end's options, giving each folder that they name a root.
class OptionRewriter {
 public:
  OptionRewriter(const Invocation& invocation,
                 const std::function<bool(const std::string&)>& is_file,
                 std::vector<HostRoot>& roots)
      : invocation_(invocation), is_file_(is_file), roots_(roots) {}

  absl::StatusOr<std::vector<std::string>> Rewrite() {
    std::vector<std::string> canonical;
    for (const std::string& option : invocation_.front_end_options) {
      absl::StatusOr<std::optional<FrontEndMatch>> match = MatchFrontEndOption(option);
      if (!match.ok()) return match.status();
      if (!match->has_value()) {
        return absl::InternalError(absl::StrCat("unknown front-end option '", option, "'"));
      }
      if ((*match)->role != FrontEndRole::kNoEffect) canonical.push_back(RewriteOne(**match));
    }
    return canonical;
  }

 private:
  std::string RewriteOne(const FrontEndMatch& match) {
    switch (match.role) {
      case FrontEndRole::kPlain:
      case FrontEndRole::kNoEffect:
        break;
      case FrontEndRole::kSearchFolder:
        return absl::StrCat(match.spelling, AddRoot(match.value));
      case FrontEndRole::kForcedFile: {
        const std::optional<std::string> found = FindForced(match.value);
        // Left as it is, clang says that it is not there.
        if (!found.has_value()) break;
        return absl::StrCat(match.spelling, AddRoot(FolderOf(*found)), "/",
                            found->substr(found->rfind('/') + 1));
      }
    }
    return match.canonical;
  }

  std::string AddRoot(const std::string& folder) {
    std::string root = absl::StrCat("inc/", next_++);
    roots_.push_back({root, folder});
    return root;
  }

  // As clang's Preprocessor looks for what the predefines include: in the working directory, then
  // the folders of -iquote, -I, -isystem and -idirafter.
  std::optional<std::string> FindForced(const std::string& name) const {
    if (is_file_(name)) return name;
    if (absl::StartsWith(name, "/")) return std::nullopt;
    for (const std::string_view spelling : {"-iquote", "-I", "-isystem", "-idirafter"}) {
      for (const std::string& option : invocation_.front_end_options) {
        const auto match = MatchFrontEndOption(option);
        if (!match.ok() || !match->has_value() || (*match)->spelling != spelling) continue;
        std::string path = Join((*match)->value, name);
        if (is_file_(path)) return path;
      }
    }
    return std::nullopt;
  }

  const Invocation& invocation_;
  const std::function<bool(const std::string&)>& is_file_;
  std::vector<HostRoot>& roots_;
  std::size_t next_ = 0;
};

}  // namespace

std::string CanonicalName(std::string_view user_path) {
  if (user_path == "-") return "stdin";
  const std::string_view name = user_path.substr(user_path.rfind('/') + 1);
  const bool valid = cache::IsValidUtf8(name);
  std::string canonical;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || byte == '\\' || (byte >= 0x80 && !valid)) {
      absl::StrAppendFormat(&canonical, "%%%02X", byte);
    } else {
      canonical += c;
    }
  }
  return canonical;
}

absl::StatusOr<CanonicalRequest> Canonicalise(
    const Invocation& invocation, const std::function<bool(const std::string&)>& is_file) {
  if (invocation.inputs.size() != 1 || !invocation.emit.has_value() ||
      !invocation.language.has_value()) {
    return absl::InternalError("Canonicalise needs a resolved invocation with one input");
  }
  const absl::StatusOr<const targets::TargetRecord*> target =
      targets::FindTarget(invocation.target);
  if (!target.ok()) return target.status();
  const targets::EmitRecord* emit = targets::FindEmit(**target, *invocation.emit);
  if (emit == nullptr) {
    return absl::InternalError("Canonicalise needs an emit kind that the target has");
  }

  CanonicalRequest request{.invocation = invocation};
  request.user_source = invocation.inputs.front();
  const std::string name = CanonicalName(request.user_source);
  request.source_path = absl::StrCat("src/", name);
  // A name may be as long as the file system lets it be, and then leaves no room for another
  // extension.
  constexpr std::size_t kLongestStem = 240;
  const std::string_view stem = Stem(name).size() <= kLongestStem ? Stem(name) : "output";
  request.output_path = absl::StrCat("out/", stem, ".", emit->extension);
  request.invocation.inputs = {request.source_path};
  request.invocation.output = request.output_path;
  if (!UsesFrontEnd(*invocation.language)) return request;

  request.invocation.canonical_paths = true;
  request.roots.push_back({"src", FolderOf(request.user_source)});
  absl::StatusOr<std::vector<std::string>> options =
      OptionRewriter(invocation, is_file, request.roots).Rewrite();
  if (!options.ok()) return options.status();
  request.invocation.front_end_options = *std::move(options);
  return request;
}

std::string HostPath(std::string_view requested, const std::vector<HostRoot>& roots) {
  const RootedPath path = SplitRoot(requested);
  if (path.root == "/") return std::string(requested);
  for (const HostRoot& root : roots) {
    if (root.root == path.root) return Join(root.folder, path.rest);
  }
  return {};
}

}  // namespace ingot::compiler
