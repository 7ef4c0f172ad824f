#include "tools/driver/rc_file.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace ingot::driver {
namespace {

constexpr std::string_view kWorkspacePrefix = "%workspace%";

absl::Status ErrorAt(std::string_view place, std::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", message));
}

// Takes one line off the front of `text`, and with it those that a backslash at the end joins to
// it. Like Bazel, this looks at nothing but the backslash: it also continues a comment.
std::string TakeJoinedLine(std::string_view& text, int& lines_taken) {
  std::string joined;
  bool goes_on = true;
  while (goes_on && !text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++lines_taken;
    absl::ConsumeSuffix(&line, "\r");
    goes_on = absl::ConsumeSuffix(&line, "\\");
    joined.append(line);
  }
  return joined;
}

// Splits a line at spaces. Quotes of either kind keep what is between them together, a backslash
// keeps the character after it from meaning anything, also between quotes, and # begins a comment.
absl::StatusOr<std::vector<std::string>> SplitIntoWords(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      in_word = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '#') {
      break;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (in_word) words.push_back(std::exchange(word, ""));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != '\0') {
    return absl::InvalidArgumentError(
        absl::StrCat("the quote ", std::string(1, quote), " is not closed; write \\",
                     std::string(1, quote), " for the character itself"));
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

class Reader {
 public:
  Reader(ReadRcText read, FindWorkspaceFolder workspace) : read_(read), workspace_(workspace) {}

  // Appends the lines of `text`, the file at `path`.
  absl::Status AddText(const std::string& path, std::string_view text) {
    open_.push_back(path);
    // What editors of other systems put before UTF-8.
    absl::ConsumePrefix(&text, "\xef\xbb\xbf");
    int line = 1;
    while (!text.empty()) {
      int lines_taken = 0;
      const std::string joined = TakeJoinedLine(text, lines_taken);
      ABSL_RETURN_IF_ERROR(AddLine(path, line, joined));
      line += lines_taken;
    }
    open_.pop_back();
    return absl::OkStatus();
  }

  std::vector<RcLine> TakeLines() { return std::move(lines_); }

 private:
  absl::Status AddLine(const std::string& path, int number, std::string_view text) {
    RcLine line{.file = path, .line = number};
    absl::StatusOr<std::vector<std::string>> words = SplitIntoWords(text);
    if (!words.ok()) return ErrorAt(line.Place(), words.status().message());
    if (words->empty()) return absl::OkStatus();
    const std::string& first = words->front();
    if (first == "import" || first == "try-import") {
      if (words->size() != 2) {
        return ErrorAt(line.Place(), absl::StrCat(first, " takes the path of one file"));
      }
      return Import(line, (*words)[1], /*required=*/first == "import");
    }
    const std::size_t colon = first.find(':');
    line.command = first.substr(0, colon);
    if (colon != std::string::npos) {
      line.config = first.substr(colon + 1);
      if (line.config.empty()) {
        return ErrorAt(line.Place(), absl::StrCat("'", first, "' names no configuration; write ",
                                                  first, "NAME, for --config=NAME"));
      }
    }
    words->erase(words->begin());
    line.words = *std::move(words);
    lines_.push_back(std::move(line));
    return absl::OkStatus();
  }

  absl::Status Import(const RcLine& at, std::string_view written, bool required) {
    std::filesystem::path path;
    if (absl::ConsumePrefix(&written, kWorkspacePrefix)) {
      const std::string workspace = workspace_();
      if (workspace.empty()) {
        if (!required) return absl::OkStatus();
        return ErrorAt(at.Place(),
                       "there is no workspace that %workspace% could stand for; "
                       "try-import leaves the file out where there is none");
      }
      path = absl::StrCat(workspace, written);
    } else {
      path = std::filesystem::path(at.file).parent_path() / std::filesystem::path(written);
    }
    const std::string imported = path.lexically_normal().string();
    if (std::find(open_.begin(), open_.end(), imported) != open_.end()) {
      return ErrorAt(at.Place(), absl::StrCat(imported, " would import itself without end"));
    }
    if (++imports_ > kMaximumImports) {
      return ErrorAt(at.Place(),
                     absl::StrCat("more than ", kMaximumImports, " imports by ", open_.front()));
    }
    const absl::StatusOr<std::string> text = read_(imported, at.Place());
    if (absl::IsNotFound(text.status())) {
      if (!required) return absl::OkStatus();
      return ErrorAt(at.Place(), absl::StrCat("there is no ", imported,
                                              "; try-import leaves a missing file out"));
    }
    if (!text.ok()) return ErrorAt(at.Place(), text.status().message());
    return AddText(imported, *text);
  }

  const ReadRcText read_;
  const FindWorkspaceFolder workspace_;
  std::vector<std::string> open_;  // the files that are being read, each imported by the one before
  int imports_ = 0;
  std::vector<RcLine> lines_;
};

}  // namespace

std::string RcLine::Place() const { return absl::StrCat(file, ":", line); }

absl::StatusOr<std::vector<RcLine>> ReadRcFile(const std::string& path, ReadRcText read,
                                               FindWorkspaceFolder workspace) {
  const absl::StatusOr<std::string> text = read(path, "");
  if (absl::IsNotFound(text.status())) return text.status();
  if (!text.ok()) return absl::InvalidArgumentError(text.status().message());
  Reader reader(read, workspace);
  ABSL_RETURN_IF_ERROR(
      reader.AddText(std::filesystem::path(path).lexically_normal().string(), *text));
  return reader.TakeLines();
}

}  // namespace ingot::driver
