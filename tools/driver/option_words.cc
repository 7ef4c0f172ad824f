#include "tools/driver/option_words.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "CLI/Option.hpp"

namespace ingot::driver {
namespace {

class WordReader {
 public:
  WordReader(std::span<const std::string> words, FindOption find) : words_(words), find_(find) {}

  std::vector<OptionUse> Read() && {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_];
      if (word == "--") {
        AddWord(word);
        uses_.back().words.assign(words_.begin() + static_cast<std::ptrdiff_t>(next_),
                                  words_.end());
        break;
      }
      ++next_;
      if (word.starts_with("--")) {
        ReadLong(word);
      } else if (word.starts_with("-") && word.size() > 1) {
        ReadShort(word);
      } else {
        AddWord(word);
      }
    }
    return std::move(uses_);
  }

 private:
  void AddWord(const std::string& word) { uses_.push_back({.name = word, .words = {word}}); }

  void ReadLong(const std::string& word) {
    const std::size_t equals = word.find('=');
    OptionUse use{.name = word.substr(0, equals), .words = {word}};
    use.option = find_(use.name);
    if (equals != std::string::npos) {
      use.value = word.substr(equals + 1);
    } else if (use.option != nullptr && TakesValue(*use.option)) {
      TakeValue(use);
    }
    uses_.push_back(std::move(use));
  }

  // "-v", "-j4", or "-vj4": flags may stand together, the last may be an option with its value.
  void ReadShort(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      OptionUse use{.name = std::string("-") + word[i]};
      if (i == 1) use.words = {word};
      use.option = find_(use.name);
      if (use.option == nullptr) {
        use.name = word;
        uses_.push_back(std::move(use));
        return;
      }
      const bool takes_value = TakesValue(*use.option);
      if (takes_value && i + 1 < word.size()) {
        use.value = word.substr(i + 1);
      } else if (takes_value) {
        // The value's word is written where the option's is, which is the first of the bundle.
        OptionUse& written = i == 1 ? use : uses_[uses_.size() - (i - 1)];
        if (next_ < words_.size()) {
          use.value = words_[next_];
          written.words.push_back(words_[next_++]);
        }
      }
      uses_.push_back(std::move(use));
      if (takes_value) return;
    }
  }

  void TakeValue(OptionUse& use) {
    if (next_ >= words_.size()) return;
    use.value = words_[next_];
    use.words.push_back(words_[next_++]);
  }

  const std::span<const std::string> words_;
  const FindOption find_;
  std::size_t next_ = 0;
  std::vector<OptionUse> uses_;
};

}  // namespace

std::vector<std::string> PrepareArguments(std::span<const std::string> arguments) {
  std::vector<std::string> prepared;
  prepared.reserve(arguments.size() + 1);
  bool options_ended = false;
  for (const std::string& argument : arguments) {
    options_ended = options_ended || argument == "--";
    if (!options_ended && argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      prepared.push_back(argument.substr(0, argument.size() - 1));
      prepared.emplace_back();
    } else if (argument.starts_with("[") && argument.ends_with("]")) {
      prepared.push_back("./" + argument);
    } else {
      prepared.push_back(argument);
    }
  }
  return prepared;
}

std::vector<OptionUse> ReadOptionUses(std::span<const std::string> words, FindOption find) {
  return WordReader(words, find).Read();
}

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() != 0; }

}  // namespace ingot::driver
