#include "tools/driver/cc_arguments.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "compiler/invocation/front_end_option_table.h"
#include "compiler/invocation/front_end_options.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "targets/record.h"
#include "targets/suggest.h"
#include "tools/driver/dependency_file.h"

namespace ingot::driver {
namespace {

using compiler::FrontEndMatch;
using compiler::Invocation;
using compiler::Language;
using compiler::OptLevel;

// How an option and its value stand on a command line.
enum class Form {
  kFlag,              // -c
  kJoined,            // -mmcu=atmega328p
  kSeparate,          // -target avr
  kJoinedOrSeparate,  // -oFILE, -o FILE
};

// An option as it stood, and what it has as its value.
struct Use {
  std::string_view value;
  std::string text;  // all of it, for messages
};

class Parser;

struct Row {
  std::string_view spelling;
  Form form;
  absl::Status (*take)(Parser& parser, const Use& use);
};

class Parser {
 public:
  Parser(std::span<const std::string> arguments, const CcName& name)
      : cxx_(name.cxx), arguments_(arguments) {
    // As clang has it; `ingot compile` would optimise.
    result_.invocation.opt = OptLevel::kO0;
  }

  absl::StatusOr<CcArguments> Parse(const CcName& name) {
    if (absl::Status status = ReadAll(arguments_); !status.ok()) return status;
    ChooseMode();
    if (result_.invocation.target.empty()) {
      result_.invocation.target = has_mmcu_ ? "avr" : name.target;
    }
    result_.dependencies.wanted = writes_dependencies_ || result_.mode == CcMode::kDependencies;
    for (const PendingInput& input : pending_) {
      if (absl::Status status = AddInput(input); !status.ok()) return status;
    }
    WarnOfUnused();
    return std::move(result_);
  }

  CcArguments& result() { return result_; }
  Invocation& invocation() { return result_.invocation; }

  absl::Status Read(std::span<const std::string> words) { return ReadAll(words); }

  absl::Status SetLanguage(std::string_view name) {
    language_.reset();
    if (name == "none") return absl::OkStatus();
    language_ = compiler::LanguageFromName(name);
    if (language_.has_value()) return absl::OkStatus();
    if (name == "c-header") {
      language_ = Language::kC;
    } else if (name == "c++-header") {
      language_ = Language::kCxx;
    } else {
      std::vector<std::string_view> known;
      for (const Language language : compiler::kAllLanguages) {
        known.push_back(compiler::LanguageName(language));
      }
      return absl::InvalidArgumentError(
          absl::StrCat("language not recognized: '", name, "'", targets::DidYouMean(name, known)));
    }
    language_is_header_ = true;
    return absl::OkStatus();
  }

  void ForLinker(const Use& use, bool as_input) {
    result_.for_linker.push_back(use.text);
    unused_.push_back(as_input
                          ? absl::StrCat(use.text, ": 'linker' input unused")
                          : absl::StrCat("argument unused during compilation: '", use.text, "'"));
  }

  void Query(CcQuery query, std::string_view value = {}) {
    if (result_.query != CcQuery::kNone) return;
    result_.query = query;
    result_.query_value = value;
  }

  bool wants_compile_only = false;
  bool wants_assembly = false;
  bool wants_preprocessed = false;
  bool wants_dependencies = false;
  bool wants_check = false;
  bool writes_dependencies_ = false;
  bool has_mmcu_ = false;
  bool cxx_ = false;
  bool hides_unused_ = false;

 private:
  struct PendingInput {
    std::string path;
    std::optional<Language> language;
  };

  absl::Status ReadAll(std::span<const std::string> arguments) {
    for (std::size_t i = 0; i < arguments.size();) {
      const absl::StatusOr<std::size_t> taken = ReadOne(arguments.subspan(i));
      if (!taken.ok()) return taken.status();
      i += *taken;
    }
    return absl::OkStatus();
  }

  // Reads what `rest` starts with; returns how many arguments that was.
  absl::StatusOr<std::size_t> ReadOne(std::span<const std::string> rest);

  void ChooseMode() {
    if (wants_dependencies) {
      result_.mode = CcMode::kDependencies;
    } else if (wants_preprocessed) {
      result_.mode = CcMode::kPreprocess;
    } else if (wants_check) {
      result_.mode = CcMode::kCheck;
    } else if (wants_assembly) {
      result_.mode = CcMode::kAssembly;
    } else if (wants_compile_only) {
      result_.mode = CcMode::kObject;
    }
  }

  bool MakesCode() const {
    return result_.mode == CcMode::kObject || result_.mode == CcMode::kAssembly ||
           result_.mode == CcMode::kLink;
  }

  absl::Status AddInput(const PendingInput& input) {
    std::optional<Language> language = input.language;
    if (input.path == "-" && !language.has_value()) {
      if (MakesCode() || result_.mode == CcMode::kCheck) {
        return absl::InvalidArgumentError("-E or -x required when input is from standard input");
      }
      language = cxx_ ? Language::kCxx : Language::kC;
    }
    const std::string_view name = std::string_view(input.path).substr(input.path.rfind('/') + 1);
    const std::string_view suffix =
        absl::StrContains(name, '.') ? name.substr(name.rfind('.') + 1) : "";
    const bool is_header = !language.has_value() && IsHeaderSuffix(suffix);
    if ((is_header || (language_is_header_ && language.has_value())) && MakesCode()) {
      return absl::InvalidArgumentError(
          absl::StrCat(input.path,
                       ": precompiled headers are not supported; compile the sources "
                       "that include it, or add -fsyntax-only to check it alone"));
    }
    if (is_header) language = suffix == "h" && !cxx_ ? Language::kC : Language::kCxx;
    if (!language.has_value()) {
      language = compiler::LanguageOfFile(input.path);
      if (cxx_ && language == Language::kC) language = Language::kCxx;
    }
    if (!language.has_value()) {
      if (!IsLinkerSuffix(suffix)) {
        return absl::InvalidArgumentError(
            absl::StrCat(input.path,
                         ": its name does not say which language it is in; put -x before it, as in "
                         "-x c ",
                         input.path));
      }
      ForLinker({.value = {}, .text = input.path}, /*as_input=*/true);
      return absl::OkStatus();
    }
    result_.inputs.push_back({input.path, *language});
    return absl::OkStatus();
  }

  static bool IsHeaderSuffix(std::string_view suffix) {
    for (const std::string_view header : {"h", "hh", "hpp", "hxx", "H"}) {
      if (suffix == header) return true;
    }
    return false;
  }

  static bool IsLinkerSuffix(std::string_view suffix) {
    for (const std::string_view object : {"o", "obj", "a", "lib", "so", "ld", "lds", "x"}) {
      if (suffix == object) return true;
    }
    return false;
  }

  void WarnOfUnused() {
    if (hides_unused_ || result_.mode == CcMode::kLink) return;
    for (const std::string& text : unused_) {
      result_.warnings.push_back(absl::StrCat(text, " [-Wunused-command-line-argument]"));
    }
  }

  std::span<const std::string> arguments_;
  CcArguments result_;
  std::vector<PendingInput> pending_;
  std::optional<Language> language_;  // of -x, for the inputs that follow
  bool language_is_header_ = false;
  bool options_ended_ = false;
  std::vector<std::string> unused_;
};

absl::Status SetOptLevel(Parser& parser, const Use& use) {
  struct Level {
    std::string_view name;
    OptLevel level;
  };
  // -O and -Og are clang's -O1, -O4 and above its -O3.
  constexpr Level kLevels[] = {{"", OptLevel::kO1},  {"0", OptLevel::kO0}, {"1", OptLevel::kO1},
                               {"g", OptLevel::kO1}, {"2", OptLevel::kO2}, {"3", OptLevel::kO3},
                               {"4", OptLevel::kO3}, {"s", OptLevel::kOs}, {"z", OptLevel::kOz}};
  for (const Level& level : kLevels) {
    if (level.name != use.value) continue;
    parser.invocation().opt = level.level;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("invalid optimisation level '", use.text,
                                                 "'; there are -O0 to -O3, -Os and -Oz"));
}

absl::Status SetCpu(Parser& parser, const Use& use) {
  parser.invocation().cpu = use.value;
  return absl::OkStatus();
}

absl::Status SetTarget(Parser& parser, const Use& use) {
  parser.invocation().target = use.value;
  return absl::OkStatus();
}

absl::Status SetSysroot(Parser& parser, const Use& use) {
  parser.result().sysroot = use.value;
  return absl::OkStatus();
}

absl::Status AddFeatures(Parser& parser, const Use& use) {
  std::string& features = parser.invocation().features;
  absl::StrAppend(&features, features.empty() ? "" : ",", use.value);
  return absl::OkStatus();
}

absl::Status TakeLinkerInput(Parser& parser, const Use& use) {
  parser.ForLinker(use, /*as_input=*/true);
  return absl::OkStatus();
}

absl::Status TakeLinkerOption(Parser& parser, const Use& use) {
  parser.ForLinker(use, /*as_input=*/false);
  return absl::OkStatus();
}

// What is so in any case.
absl::Status Accept(Parser&, const Use&) { return absl::OkStatus(); }

// -Wp,-MD,FILE is gcc's spelling of -MD -MF FILE; else these are options like all others.
absl::Status TakePreprocessorOptions(Parser& parser, const Use& use) {
  std::vector<std::string> words;
  for (const std::string_view word : absl::StrSplit(use.value, ',')) {
    const bool is_file = !words.empty() && (words.back() == "-MD" || words.back() == "-MMD") &&
                         !absl::StartsWith(word, "-");
    if (is_file) words.emplace_back("-MF");
    words.emplace_back(word);
  }
  return parser.Read(words);
}

template <CcQuery kQuery>
absl::Status Ask(Parser& parser, const Use& use) {
  parser.Query(kQuery, use.value);
  return absl::OkStatus();
}

template <bool kColor>
absl::Status SetColor(Parser& parser, const Use&) {
  parser.result().color = kColor;
  return absl::OkStatus();
}

template <DiagnosticsFormat kFormat>
absl::Status SetFormat(Parser& parser, const Use&) {
  parser.result().diagnostics_format = kFormat;
  return absl::OkStatus();
}

template <bool Parser::* kMember>
absl::Status Set(Parser& parser, const Use&) {
  parser.*kMember = true;
  return absl::OkStatus();
}

template <bool CcArguments::* kMember>
absl::Status SetResult(Parser& parser, const Use&) {
  parser.result().*kMember = true;
  return absl::OkStatus();
}

template <bool kWithoutSystem, bool kInsteadOfCompiling>
absl::Status AskForDependencies(Parser& parser, const Use&) {
  (kInsteadOfCompiling ? parser.wants_dependencies : parser.writes_dependencies_) = true;
  if (kWithoutSystem) parser.result().dependencies.leave_out_system = true;
  return absl::OkStatus();
}

// Not among them: what only the front end reads, which is in front_end_options.h. Of several that
// match, the longest counts.
constexpr Row kRows[] = {
    {"-c", Form::kFlag, Set<&Parser::wants_compile_only>},
    {"-S", Form::kFlag, Set<&Parser::wants_assembly>},
    {"-E", Form::kFlag, Set<&Parser::wants_preprocessed>},
    {"-fsyntax-only", Form::kFlag, Set<&Parser::wants_check>},
    {"-emit-llvm", Form::kFlag, SetResult<&CcArguments::emit_llvm>},
    {"-o", Form::kJoinedOrSeparate,
     [](Parser& parser, const Use& use) {
       parser.result().output = use.value;
       return absl::OkStatus();
     }},
    {"-x", Form::kJoinedOrSeparate,
     [](Parser& parser, const Use& use) { return parser.SetLanguage(use.value); }},
    {"-O", Form::kJoined, SetOptLevel},

    {"--target=", Form::kJoined, SetTarget},
    {"-target", Form::kSeparate, SetTarget},
    {"-mmcu=", Form::kJoined,
     [](Parser& parser, const Use& use) {
       parser.has_mmcu_ = true;
       return SetCpu(parser, use);
     }},
    {"-mcpu=", Form::kJoined, SetCpu},
    {"-march=", Form::kJoined, SetCpu},
    {"--cuda-gpu-arch=", Form::kJoined, SetCpu},
    {"--offload-arch=", Form::kJoined, SetCpu},
    {"--cuda-feature=", Form::kJoined, AddFeatures},
    {"--features=", Form::kJoined, AddFeatures},
    {"--sysroot=", Form::kJoined, SetSysroot},
    {"--sysroot", Form::kSeparate, SetSysroot},
    {"--driver-mode=gcc", Form::kFlag,
     [](Parser& parser, const Use&) {
       parser.cxx_ = false;
       return absl::OkStatus();
     }},
    {"--driver-mode=g++", Form::kFlag, Set<&Parser::cxx_>},

    {"-M", Form::kFlag, AskForDependencies<false, true>},
    {"-MM", Form::kFlag, AskForDependencies<true, true>},
    {"-MD", Form::kFlag, AskForDependencies<false, false>},
    {"-MMD", Form::kFlag, AskForDependencies<true, false>},
    {"-MP", Form::kFlag,
     [](Parser& parser, const Use&) {
       parser.result().dependencies.phony = true;
       return absl::OkStatus();
     }},
    {"-MF", Form::kJoinedOrSeparate,
     [](Parser& parser, const Use& use) {
       parser.result().dependencies.file = use.value;
       return absl::OkStatus();
     }},
    {"-MT", Form::kJoinedOrSeparate,
     [](Parser& parser, const Use& use) {
       parser.result().dependencies.targets.emplace_back(use.value);
       return absl::OkStatus();
     }},
    {"-MQ", Form::kJoinedOrSeparate,
     [](Parser& parser, const Use& use) {
       parser.result().dependencies.targets.push_back(QuoteTarget(use.value));
       return absl::OkStatus();
     }},
    {"-MG", Form::kFlag,
     [](Parser&, const Use&) {
       return absl::InvalidArgumentError(
           "-MG is not supported: a header that is not there is an error; generate it first");
     }},
    {"-Wp,", Form::kJoined, TakePreprocessorOptions},

    {"-v", Form::kFlag, SetResult<&CcArguments::verbose>},
    {"-###", Form::kFlag, SetResult<&CcArguments::dry_run>},
    {"--help", Form::kFlag, Ask<CcQuery::kHelp>},
    {"-help", Form::kFlag, Ask<CcQuery::kHelp>},
    {"--version", Form::kFlag, Ask<CcQuery::kVersion>},
    {"-dumpmachine", Form::kFlag, Ask<CcQuery::kDumpMachine>},
    {"-dumpversion", Form::kFlag, Ask<CcQuery::kDumpVersion>},
    {"-print-target-triple", Form::kFlag, Ask<CcQuery::kTargetTriple>},
    {"-print-effective-triple", Form::kFlag, Ask<CcQuery::kTargetTriple>},
    {"-print-resource-dir", Form::kFlag, Ask<CcQuery::kResourceDirectory>},
    {"-print-search-dirs", Form::kFlag, Ask<CcQuery::kSearchDirectories>},
    {"-print-file-name=", Form::kJoined, Ask<CcQuery::kFileName>},
    {"-print-prog-name=", Form::kJoined, Ask<CcQuery::kProgramName>},
    {"-print-libgcc-file-name", Form::kFlag, Ask<CcQuery::kLibgccFileName>},
    {"-print-multi-directory", Form::kFlag, Ask<CcQuery::kMultiDirectory>},
    {"-print-multi-lib", Form::kFlag, Ask<CcQuery::kMultiLib>},
    {"-print-sysroot", Form::kFlag, Ask<CcQuery::kSysroot>},

    {"-fdiagnostics-color", Form::kFlag, SetColor<true>},
    {"-fdiagnostics-color=always", Form::kFlag, SetColor<true>},
    {"-fdiagnostics-color=never", Form::kFlag, SetColor<false>},
    {"-fdiagnostics-color=auto", Form::kFlag,
     [](Parser& parser, const Use&) {
       parser.result().color.reset();
       return absl::OkStatus();
     }},
    {"-fno-diagnostics-color", Form::kFlag, SetColor<false>},
    {"-fcolor-diagnostics", Form::kFlag, SetColor<true>},
    {"-fno-color-diagnostics", Form::kFlag, SetColor<false>},
    {"-fdiagnostics-format=text", Form::kFlag, SetFormat<DiagnosticsFormat::kText>},
    {"-fdiagnostics-format=clang", Form::kFlag, SetFormat<DiagnosticsFormat::kText>},
    {"-fdiagnostics-format=json", Form::kFlag, SetFormat<DiagnosticsFormat::kJson>},
    {"-fdiagnostics-format=json-stderr", Form::kFlag, SetFormat<DiagnosticsFormat::kJson>},
    {"-fdiagnostics-format=sarif", Form::kFlag, SetFormat<DiagnosticsFormat::kSarif>},
    {"-fdiagnostics-format=sarif-stderr", Form::kFlag, SetFormat<DiagnosticsFormat::kSarif>},
    {"-fansi-escape-codes", Form::kFlag, Accept},
    {"-Qunused-arguments", Form::kFlag, Set<&Parser::hides_unused_>},

    {"-pipe", Form::kFlag, Accept},
    {"-integrated-as", Form::kFlag, Accept},
    {"-fintegrated-as", Form::kFlag, Accept},
    {"-fintegrated-cc1", Form::kFlag, Accept},
    {"--cuda-device-only", Form::kFlag, Accept},

    {"-Wl,", Form::kJoined, TakeLinkerInput},
    {"-Xlinker", Form::kSeparate, TakeLinkerInput},
    {"-l", Form::kJoinedOrSeparate, TakeLinkerInput},
    {"-z", Form::kSeparate, TakeLinkerInput},
    {"-L", Form::kJoinedOrSeparate, TakeLinkerOption},
    {"-T", Form::kJoinedOrSeparate, TakeLinkerOption},
    {"-u", Form::kSeparate, TakeLinkerOption},
    {"-e", Form::kSeparate, TakeLinkerOption},
    {"-s", Form::kFlag, TakeLinkerOption},
    {"-r", Form::kFlag, TakeLinkerOption},
    {"-nostdlib", Form::kFlag, TakeLinkerOption},
    {"-nostartfiles", Form::kFlag, TakeLinkerOption},
    {"-nodefaultlibs", Form::kFlag, TakeLinkerOption},
    {"-nolibc", Form::kFlag, TakeLinkerOption},
    {"-nostdlib++", Form::kFlag, TakeLinkerOption},
    {"-static", Form::kFlag, TakeLinkerOption},
    {"-shared", Form::kFlag, TakeLinkerOption},
    {"-rdynamic", Form::kFlag, TakeLinkerOption},
    {"-pie", Form::kFlag, TakeLinkerOption},
    {"-no-pie", Form::kFlag, TakeLinkerOption},
    {"-static-libgcc", Form::kFlag, TakeLinkerOption},
    {"-static-libstdc++", Form::kFlag, TakeLinkerOption},
    {"-fuse-ld=", Form::kJoined, TakeLinkerOption},
    {"--ld-path=", Form::kJoined, TakeLinkerOption},
    {"-rtlib=", Form::kJoined, TakeLinkerOption},
    {"--rtlib=", Form::kJoined, TakeLinkerOption},
};

// The row that `argument` is a use of.
const Row* FindRow(std::string_view argument) {
  const Row* found = nullptr;
  for (const Row& row : kRows) {
    const bool matches = row.form == Form::kFlag || row.form == Form::kSeparate
                             ? argument == row.spelling
                             : absl::StartsWith(argument, row.spelling);
    if (matches && (found == nullptr || row.spelling.size() > found->spelling.size())) found = &row;
  }
  return found;
}

absl::Status UnknownOption(std::string_view argument) {
  std::vector<std::string_view> known;
  for (const Row& row : kRows) known.push_back(row.spelling);
  for (const std::string_view more : {"-I", "-D", "-U", "-include", "-isystem", "-std=", "-Wall"}) {
    known.push_back(more);
  }
  const std::string_view flag = argument.substr(0, argument.find('='));
  std::string suggestion = targets::DidYouMean(argument, known);
  if (suggestion.empty()) suggestion = targets::DidYouMean(flag, known);
  return absl::InvalidArgumentError(absl::StrCat("unknown argument: '", argument, "'", suggestion));
}

absl::StatusOr<std::size_t> Parser::ReadOne(std::span<const std::string> rest) {
  const std::string& argument = rest.front();
  if (options_ended_ || argument.size() < 2 || argument.front() != '-') {
    if (argument.empty())
      return absl::InvalidArgumentError("an input is named by an empty argument");
    pending_.push_back({argument, language_});
    return 1;
  }
  if (argument == "--") {
    options_ended_ = true;
    return 1;
  }
  const Row* row = FindRow(argument);
  // Where both tables know it, the longer spelling counts: -ObjC is no -O.
  const compiler::FrontEndRow* front_end = compiler::FindFrontEndRow(argument);
  if (row == nullptr ||
      (front_end != nullptr && front_end->spelling.size() > row->spelling.size())) {
    absl::StatusOr<std::optional<FrontEndMatch>> match = compiler::MatchFrontEndOption(rest);
    if (!match.ok() && row == nullptr) return match.status();
    if (match.ok() && match->has_value()) {
      if ((*match)->canonical == "-Wno-unused-command-line-argument" ||
          (*match)->canonical == "-w") {
        hides_unused_ = true;
      }
      if ((*match)->role != compiler::FrontEndRole::kNoEffect) {
        invocation().front_end_options.push_back(std::move((*match)->canonical));
      }
      return (*match)->arguments;
    }
    if (row == nullptr) return UnknownOption(argument);
  }
  Use use{.value = std::string_view(argument).substr(row->spelling.size()), .text = argument};
  std::size_t taken = 1;
  if (row->form == Form::kSeparate || (row->form == Form::kJoinedOrSeparate && use.value.empty())) {
    if (rest.size() < 2) {
      return absl::InvalidArgumentError(absl::StrCat("argument to '", argument, "' is missing"));
    }
    use.value = rest[1];
    absl::StrAppend(&use.text, " ", rest[1]);
    taken = 2;
  }
  if (absl::Status status = row->take(*this, use); !status.ok()) return status;
  return taken;
}

}  // namespace

std::optional<CcName> CompilerOfProgram(std::string_view path) {
  constexpr std::string_view kIngot = "ingot-";
  const std::string_view program = path.substr(path.rfind('/') + 1);
  const std::size_t ingot = program.find(kIngot);
  if (ingot == std::string_view::npos) return std::nullopt;
  if (ingot > 0 && program[ingot - 1] != '-') return std::nullopt;
  const std::string_view compiler = program.substr(ingot + kIngot.size());
  for (const std::string_view known : {"cc", "gcc", "clang", "c++", "g++", "clang++"}) {
    if (compiler != known) continue;
    return CcName{.target = std::string(program.substr(0, ingot == 0 ? 0 : ingot - 1)),
                  .cxx = absl::EndsWith(known, "++")};
  }
  return std::nullopt;
}

absl::StatusOr<CcArguments> ParseCcArguments(std::span<const std::string> arguments,
                                             const CcName& name) {
  return Parser(arguments, name).Parse(name);
}

}  // namespace ingot::driver
