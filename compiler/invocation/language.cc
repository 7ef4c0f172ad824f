#include "compiler/invocation/language.h"

#include <optional>
#include <string_view>

namespace ingot::compiler {
namespace {

struct Suffix {
  std::string_view suffix;
  Language language;
};

// As clang's lib/Driver/Types.cpp maps them, for the languages that there are here.
constexpr Suffix kSuffixes[] = {
    {"ll", Language::kIr},
    {"bc", Language::kIr},
    {"c", Language::kC},
    {"cc", Language::kCxx},
    {"cp", Language::kCxx},
    {"cpp", Language::kCxx},
    {"cxx", Language::kCxx},
    {"CC", Language::kCxx},
    {"CPP", Language::kCxx},
    {"C", Language::kCxx},
    {"c++", Language::kCxx},
    {"C++", Language::kCxx},
    {"cl", Language::kOpenCl},
    {"cu", Language::kCuda},
    {"s", Language::kAssembler},
    {"S", Language::kAssemblerWithCpp},
    {"sx", Language::kAssemblerWithCpp},
    {"i", Language::kPreprocessedC},
    {"ii", Language::kPreprocessedCxx},
};

}  // namespace

std::string_view LanguageName(Language language) {
  switch (language) {
    case Language::kIr:
      return "ir";
    case Language::kC:
      return "c";
    case Language::kCxx:
      return "c++";
    case Language::kOpenCl:
      return "cl";
    case Language::kCuda:
      return "cuda";
    case Language::kAssembler:
      return "assembler";
    case Language::kAssemblerWithCpp:
      return "assembler-with-cpp";
    case Language::kPreprocessedC:
      return "cpp-output";
    case Language::kPreprocessedCxx:
      return "c++-cpp-output";
  }
  return "";
}

std::optional<Language> LanguageFromName(std::string_view name) {
  for (const Language language : kAllLanguages) {
    if (LanguageName(language) == name) return language;
  }
  return std::nullopt;
}

std::optional<Language> LanguageOfFile(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::string_view::size_type dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const Suffix& suffix : kSuffixes) {
    if (name.substr(dot + 1) == suffix.suffix) return suffix.language;
  }
  return std::nullopt;
}

bool UsesFrontEnd(Language language) { return language != Language::kIr; }

}  // namespace ingot::compiler
