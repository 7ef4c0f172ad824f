// The languages that Ingot compiles, and how a file's name says which.
//
//   LanguageOfFile("blink.c");     // Language::kC
//   LanguageFromName("cuda");      // Language::kCuda, as in `-x cuda`

#ifndef INGOT_COMPILER_INVOCATION_LANGUAGE_H_
#define INGOT_COMPILER_INVOCATION_LANGUAGE_H_

#include <array>
#include <optional>
#include <string_view>

namespace ingot::compiler {

enum class Language {
  kIr,  // LLVM IR, as text or bitcode
  kC,
  kCxx,
  kOpenCl,            // OpenCL C
  kCuda,              // CUDA C++, the device's side
  kAssembler,         // assembly as it is
  kAssemblerWithCpp,  // assembly to be preprocessed
  kPreprocessedC,
  kPreprocessedCxx,
};

inline constexpr std::array<Language, 9> kAllLanguages = {Language::kIr,
                                                          Language::kC,
                                                          Language::kCxx,
                                                          Language::kOpenCl,
                                                          Language::kCuda,
                                                          Language::kAssembler,
                                                          Language::kAssemblerWithCpp,
                                                          Language::kPreprocessedC,
                                                          Language::kPreprocessedCxx};

// The word of clang's -x: "ir", "c", "c++", "cl", "cuda", "assembler", "assembler-with-cpp",
// "cpp-output" or "c++-cpp-output".
std::string_view LanguageName(Language language);

// The inverse; nothing for any other word.
std::optional<Language> LanguageFromName(std::string_view name);

// By the suffix of the last part of `path`, case-sensitively, as clang does it; nothing if there is
// no suffix or none that is known.
std::optional<Language> LanguageOfFile(std::string_view path);

// Whether clang reads it, so that it takes front-end options and may name further files: every
// language but LLVM IR.
bool UsesFrontEnd(Language language);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_INVOCATION_LANGUAGE_H_
