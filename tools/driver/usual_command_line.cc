#include "tools/driver/usual_command_line.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/driver/option_origin.h"
#include "tools/driver/option_table.h"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

// Read by whoever looks for rc files, not an option.
constexpr std::string_view kIgnoreRc = "INGOT_IGNORE_RC";
constexpr std::string_view kVariablePrefix = "INGOT_";

bool IsFlag(const OptionRow& row) { return std::holds_alternative<bool*>(row.value); }

bool IsNamed(const OptionRow& row) { return row.names.starts_with("-"); }

// Calls `visit` with each name of a row, until it returns true.
template <typename Visit>
bool AnyName(const OptionRow& row, Visit visit) {
  std::string_view names = row.names;
  while (true) {
    const std::size_t comma = names.find(',');
    if (visit(names.substr(0, comma))) return true;
    if (comma == std::string_view::npos) return false;
    names.remove_prefix(comma + 1);
  }
}

// Whether `variable`, without its prefix, is that of the option `name`: "DISK_CACHE" of
// "--disk_cache".
bool IsVariableOf(std::string_view variable, std::string_view name) {
  if (!name.starts_with("--")) return false;
  return std::ranges::equal(variable, name.substr(2), [](char upper, char c) {
    if (c == '-') c = '_';
    return upper == (c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  });
}

// CLI11 has rules of its own for lists in brackets and for what is quoted.
bool IsPlain(std::string_view value) {
  return value.empty() ||
         std::string_view("[{(\"'`%").find(value.front()) == std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::span<const OptionRow> rows) : rows_(rows), is_set_(rows.size()) {}

  bool ReadWords(std::span<const std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words[i];
      if (!word.starts_with("-") || word == "-") {
        if (!AddInput(word)) return false;
        continue;
      }
      const Match match = Find(word);
      if (match.row == nullptr) return false;
      if (IsFlag(*match.row)) {
        if (match.value.has_value() || is_set_[IndexOf(*match.row)]) return false;
        is_set_[IndexOf(*match.row)] = true;
        *std::get<bool*>(match.row->value) = true;
        continue;
      }
      std::optional<std::string_view> value = match.value;
      if (!value.has_value()) {
        if (++i == words.size()) return false;
        value = words[i];
        // Which of the two is meant is CLI11's to say.
        if (value->empty() || (value->starts_with("-") && *value != "-")) return false;
      }
      if (!Set(*match.row, *value)) return false;
    }
    return true;
  }

  // After the words, which override it.
  bool ReadVariable(std::string_view name, std::string_view value,
                    std::vector<OptionOrigin>& uses) {
    for (const OptionRow& row : rows_) {
      std::string_view option;
      if (!AnyName(row, [&](std::string_view one) {
            option = one;
            return IsVariableOf(name.substr(kVariablePrefix.size()), one);
          })) {
        continue;
      }
      // A flag may say true or false here, and a list that adds up begins with this.
      const auto* const list = std::get_if<std::vector<std::string>*>(&row.value);
      if (IsFlag(row) || (list != nullptr && row.places == ListPlaces::kAddUp)) return false;
      uses.push_back({std::string(option), std::string(name)});
      if (is_set_[IndexOf(row)]) return IsValid(row, value);
      return Set(row, value);
    }
    // CLI11 may know it.
    return false;
  }

 private:
  struct Match {
    const OptionRow* row = nullptr;
    std::optional<std::string_view> value;
  };

  std::size_t IndexOf(const OptionRow& row) const {
    return static_cast<std::size_t>(&row - rows_.data());
  }

  Match Find(std::string_view word) const {
    const bool is_long = word.starts_with("--");
    const std::size_t name_size = is_long ? std::min(word.find('='), word.size()) : 2;
    const std::string_view name = word.substr(0, name_size);
    for (const OptionRow& row : rows_) {
      if (!AnyName(row, [&](std::string_view one) { return one == name; })) continue;
      Match match{.row = &row, .value = {}};
      if (word.size() > name_size) match.value = word.substr(name_size + (is_long ? 1 : 0));
      // "-o=x" is seldom meant as it stands.
      if (!is_long && match.value.has_value() && match.value->starts_with("=")) return {};
      return match;
    }
    return {};
  }

  bool AddInput(std::string_view word) {
    // "++" is CLI11's own word for the end of a command.
    if (word.empty() || word == "++" || !IsPlain(word)) return false;
    for (const OptionRow& row : rows_) {
      if (IsNamed(row)) continue;
      std::get<std::vector<std::string>*>(row.value)->emplace_back(word);
      return true;
    }
    return false;
  }

  static std::optional<unsigned> ParseNumber(std::string_view text) {
    constexpr std::size_t kMostDigits = 6;
    if (text.empty() || text.size() > kMostDigits || (text.size() > 1 && text.front() == '0')) {
      return std::nullopt;
    }
    unsigned number = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') return std::nullopt;
      number = number * 10 + static_cast<unsigned>(c - '0');
    }
    return number;
  }

  static bool IsValid(const OptionRow& row, std::string_view value) {
    return IsPlain(value) &&
           (!std::holds_alternative<unsigned*>(row.value) || ParseNumber(value).has_value());
  }

  bool Set(const OptionRow& row, std::string_view value) {
    if (!IsValid(row, value)) return false;
    is_set_[IndexOf(row)] = true;
    if (auto* const* text = std::get_if<std::optional<std::string>*>(&row.value)) {
      (*text)->emplace(value);
    } else if (auto* const* list = std::get_if<std::vector<std::string>*>(&row.value)) {
      (*list)->emplace_back(value);
    } else {
      *std::get<unsigned*>(row.value) = *ParseNumber(value);
    }
    return true;
  }

  const std::span<const OptionRow> rows_;
  std::vector<bool> is_set_;
};

}  // namespace

std::optional<std::vector<OptionOrigin>> ReadUsualCommandLine(
    std::span<const OptionRow> rows, std::span<const std::string> words,
    std::span<const std::string_view> variables,
    const std::function<std::optional<std::string>(std::string_view)>& variable) {
  Reader reader(rows);
  if (!reader.ReadWords(words)) return std::nullopt;
  std::vector<OptionOrigin> uses;
  for (const std::string_view name : variables) {
    if (name == kIgnoreRc) continue;
    const std::optional<std::string> value = variable(name);
    if (!value.has_value() || !reader.ReadVariable(name, *value, uses)) {
      return std::nullopt;
    }
  }
  return uses;
}

}  // namespace ingot::driver
