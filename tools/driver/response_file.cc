#include "tools/driver/response_file.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace ingot::driver {
namespace {

// A file that names itself would be read for ever.
constexpr int kDeepest = 32;

absl::Status Expand(std::span<const std::string> arguments, const ReadFileFunction& read, int depth,
                    std::vector<std::string>& expanded) {
  for (const std::string& argument : arguments) {
    if (argument.size() < 2 || argument.front() != '@') {
      expanded.push_back(argument);
      continue;
    }
    const std::string path = argument.substr(1);
    if (depth == kDeepest) {
      return absl::InvalidArgumentError(
          absl::StrCat("response files name each other without end: ", path));
    }
    const absl::StatusOr<std::string> text = read(path);
    if (!text.ok()) return text.status();
    if (absl::Status status = Expand(SplitCommandLine(*text), read, depth + 1, expanded);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandResponseFiles(std::span<const std::string> arguments,
                                                             const ReadFileFunction& read) {
  std::vector<std::string> expanded;
  if (absl::Status status = Expand(arguments, read, 0, expanded); !status.ok()) return status;
  return expanded;
}

std::vector<std::string> SplitCommandLine(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;  // an empty pair of quotes is a word
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace ingot::driver
