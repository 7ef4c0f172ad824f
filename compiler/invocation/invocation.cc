#include "compiler/invocation/invocation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "compiler/invocation/front_end_options.h"
#include "compiler/invocation/language.h"
#include "targets/registry.h"
#include "targets/suggest.h"

namespace ingot::compiler {
namespace {

using targets::EmitKind;

constexpr std::string_view kOptLevelNames[] = {"0", "1", "2", "3", "s", "z"};
constexpr std::string_view kEmitKindNames[] = {
    targets::EmitKindName(EmitKind::kAsm),   targets::EmitKindName(EmitKind::kObj),
    targets::EmitKindName(EmitKind::kBc),    targets::EmitKindName(EmitKind::kLl),
    targets::EmitKindName(EmitKind::kRawLl), targets::EmitKindName(EmitKind::kPreprocessed),
};
static_assert(std::size(kEmitKindNames) == targets::kAllEmitKinds.size());

constexpr std::string_view kCanonicalPathsFlag = "--canonical-paths";

constexpr std::string_view kLanguageNames[] = {
    "ir",
    "c",
    "c++",
    "cl",
    "cuda",
    "assembler",
    "assembler-with-cpp",
    "cpp-output",
    "c++-cpp-output",
};
static_assert(std::size(kLanguageNames) == kAllLanguages.size());

constexpr std::string_view kBooleans[] = {"true", "false"};

// In the order of the enumerators after the first, which asks for nothing.
constexpr std::string_view kDenormalsNames[] = {"ieee", "flush"};
constexpr std::string_view kDebugLevelNames[] = {"none", "line-tables"};

template <typename Enum>
std::string NameOf(std::span<const std::string_view> names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index == 0 ? "" : std::string(names[index - 1]);
}

// The first enumerator for a name that is none of them: the empty one.
template <typename Enum>
Enum ValueOf(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? Enum() : static_cast<Enum>(found - names.begin() + 1);
}

// The most that CUDA allows of a block and of a cluster, and of registers (CUDA C++ Programming
// Guide, "Compute Capabilities"); a CPU may allow less.
constexpr uint32_t kMostThreads = 1024;
constexpr uint32_t kMostClusterBlocks = 16;
constexpr uint32_t kMostRegisters = 255;
constexpr uint32_t kMostBlocks = 32;

// "128" or "16,8,2" as numbers; nothing if it is neither.
std::optional<targets::Dimensions> ParseDimensions(std::string_view text) {
  targets::Dimensions dimensions;
  for (const std::string_view part : absl::StrSplit(text, ',')) {
    uint32_t number = 0;
    if (!absl::SimpleAtoi(part, &number) || number == 0) return std::nullopt;
    dimensions.push_back(number);
  }
  if (dimensions.size() > 3) return std::nullopt;
  return dimensions;
}

template <uint32_t most>
std::string DimensionsObjection(std::string_view text) {
  const std::optional<targets::Dimensions> dimensions = ParseDimensions(text);
  if (!dimensions.has_value()) return "name one to three numbers from 1, as in 128 or 16,8,2";
  uint64_t product = 1;
  for (const uint32_t number : *dimensions) {
    product *= std::min<uint32_t>(number, most + 1);
  }
  return product <= most ? "" : absl::StrCat("their product is more than ", most);
}

template <uint32_t most>
std::string NumberObjection(std::string_view text) {
  uint32_t number = 0;
  if (absl::SimpleAtoi(text, &number) && number >= 1 && number <= most) return "";
  return absl::StrCat("name a number from 1 to ", most);
}

std::string NumberText(uint32_t number) { return number == 0 ? "" : absl::StrCat(number); }

uint32_t NumberOf(std::string_view text) {
  uint32_t number = 0;
  return absl::SimpleAtoi(text, &number) ? number : 0;
}

constexpr OptionSpec kOptions[] = {
    {
        .flag = "--target",
        .form = OptionForm::kEquals,
        .value_name = "TRIPLE",
        .help =
            "what to compile for: a triple or the name of a target, as `ingot targets` lists them",
        .get = [](const Invocation& i) { return i.target; },
        .set = [](Invocation& i, std::string_view value) { i.target = value; },
    },
    {
        .flag = "--cpu",
        .form = OptionForm::kEquals,
        .value_name = "CPU",
        .help =
            "which GPU generation or microcontroller; the default depends on the target. `ingot "
            "compile` takes several, with commas between them, and makes an output of each",
        .get = [](const Invocation& i) { return i.cpu; },
        .set = [](Invocation& i, std::string_view value) { i.cpu = value; },
    },
    {
        .flag = "--features",
        .form = OptionForm::kEquals,
        .value_name = "LIST",
        .help = "target features to add or take away, as in +ptx87 or +mul,-lpmx; later ones win",
        .get = [](const Invocation& i) { return i.features; },
        .set = [](Invocation& i, std::string_view value) { i.features = value; },
    },
    {
        .flag = "--ptx",
        .form = OptionForm::kEquals,
        .value_name = "VERSION",
        .help = "the version of PTX, as in 8.7, for nvptx64; the default depends on the CPU",
        .get = [](const Invocation& i) { return i.ptx; },
        .set = [](Invocation& i, std::string_view value) { i.ptx = value; },
        .is_request = true,
    },
    {
        .flag = "-O",
        .form = OptionForm::kJoined,
        .value_name = "LEVEL",
        .allowed_values = kOptLevelNames,
        .help = "how much to optimise: 0, 1, 2 (the default), 3, s (for size) or z (for size above "
                "all)",
        .get = [](const Invocation& i) { return std::string(OptLevelName(i.opt)); },
        .set =
            [](Invocation& i, std::string_view value) {
              i.opt = static_cast<OptLevel>(std::ranges::find(kOptLevelNames, value) -
                                            std::ranges::begin(kOptLevelNames));
            },
    },
    {
        .flag = "--emit",
        .form = OptionForm::kEquals,
        .value_name = "KIND",
        .allowed_values = kEmitKindNames,
        .help =
            "what to write: asm (PTX for nvptx64), obj, bc (optimised bitcode), ll (the same as "
            "text), raw-ll (before it is optimised) or preprocessed; the default depends on the "
            "target",
        .get =
            [](const Invocation& i) {
              return i.emit ? std::string(targets::EmitKindName(*i.emit)) : std::string();
            },
        .set = [](Invocation& i,
                  std::string_view value) { i.emit = targets::EmitKindFromName(value); },
    },
    {
        .flag = "-x",
        .form = OptionForm::kSeparate,
        .value_name = "LANG",
        .allowed_values = kLanguageNames,
        .help = "the language of the inputs; by default each file's suffix says it",
        .get =
            [](const Invocation& i) {
              return i.language ? std::string(LanguageName(*i.language)) : std::string();
            },
        .set = [](Invocation& i, std::string_view value) { i.language = LanguageFromName(value); },
    },
    {
        .flag = "--entry",
        .form = OptionForm::kEquals,
        .value_name = "NAMES",
        .help = "the kernels to keep, with commas between them; by default all",
        .get = [](const Invocation& i) { return absl::StrJoin(i.kernels.entries, ","); },
        .set =
            [](Invocation& i, std::string_view value) {
              i.kernels.entries = absl::StrSplit(value, ',', absl::SkipEmpty());
            },
        .is_request = true,
    },
    {
        .flag = "--max-threads",
        .form = OptionForm::kEquals,
        .value_name = "X[,Y[,Z]]",
        .help = "launch bound of the kernels: threads of a block, at most",
        .get = [](const Invocation& i) { return absl::StrJoin(i.kernels.max_threads, ","); },
        .set =
            [](Invocation& i, std::string_view value) {
              i.kernels.max_threads = ParseDimensions(value).value_or(targets::Dimensions());
            },
        .objection = DimensionsObjection<kMostThreads>,
        .is_request = true,
    },
    {
        .flag = "--required-threads",
        .form = OptionForm::kEquals,
        .value_name = "X[,Y[,Z]]",
        .help = "launch bound of the kernels: threads of a block, exactly",
        .get = [](const Invocation& i) { return absl::StrJoin(i.kernels.required_threads, ","); },
        .set =
            [](Invocation& i, std::string_view value) {
              i.kernels.required_threads = ParseDimensions(value).value_or(targets::Dimensions());
            },
        .objection = DimensionsObjection<kMostThreads>,
        .is_request = true,
    },
    {
        .flag = "--min-blocks",
        .form = OptionForm::kEquals,
        .value_name = "N",
        .help =
            "launch bound of the kernels: blocks on a multiprocessor, at least; needs one of the "
            "two above",
        .get = [](const Invocation& i) { return NumberText(i.kernels.min_blocks); },
        .set = [](Invocation& i,
                  std::string_view value) { i.kernels.min_blocks = NumberOf(value); },
        .objection = NumberObjection<kMostBlocks>,
        .is_request = true,
    },
    {
        .flag = "--max-registers",
        .form = OptionForm::kEquals,
        .value_name = "N",
        .help = "launch bound of the kernels: registers of a thread, at most",
        .get = [](const Invocation& i) { return NumberText(i.kernels.max_registers); },
        .set = [](Invocation& i,
                  std::string_view value) { i.kernels.max_registers = NumberOf(value); },
        .objection = NumberObjection<kMostRegisters>,
        .is_request = true,
    },
    {
        .flag = "--cluster-size",
        .form = OptionForm::kEquals,
        .value_name = "X[,Y[,Z]]",
        .help = "launch bound of the kernels: blocks of a cluster, exactly; from sm_90",
        .get = [](const Invocation& i) { return absl::StrJoin(i.kernels.cluster_size, ","); },
        .set =
            [](Invocation& i, std::string_view value) {
              i.kernels.cluster_size = ParseDimensions(value).value_or(targets::Dimensions());
            },
        .objection = DimensionsObjection<kMostClusterBlocks>,
        .is_request = true,
    },
    {
        .flag = "--relocatable",
        .form = OptionForm::kEquals,
        .value_name = "BOOL",
        .allowed_values = kBooleans,
        .help = "device code is to be linked with other modules: visible functions stay, and "
                "functions may be missing; false by default",
        .get = [](const Invocation& i) { return std::string(i.kernels.relocatable ? "true" : ""); },
        .set = [](Invocation& i,
                  std::string_view value) { i.kernels.relocatable = value == "true"; },
        .is_request = true,
    },
    {
        .flag = "--forbid-f64",
        .form = OptionForm::kEquals,
        .value_name = "BOOL",
        .allowed_values = kBooleans,
        .help = "64-bit floating point is an error; false by default",
        .get = [](const Invocation& i) { return std::string(i.kernels.forbid_f64 ? "true" : ""); },
        .set = [](Invocation& i,
                  std::string_view value) { i.kernels.forbid_f64 = value == "true"; },
        .is_request = true,
    },
    {
        .flag = "--fast-math",
        .form = OptionForm::kEquals,
        .value_name = "BOOL",
        .allowed_values = kBooleans,
        .help =
            "floating point may be approximate in all of the module, as under -ffast-math; false "
            "by default",
        .get = [](const Invocation& i) { return std::string(i.kernels.fast_math ? "true" : ""); },
        .set = [](Invocation& i, std::string_view value) { i.kernels.fast_math = value == "true"; },
        .is_request = true,
    },
    {
        .flag = "--denormals",
        .form = OptionForm::kEquals,
        .value_name = "MODE",
        .allowed_values = kDenormalsNames,
        .help =
            "very small numbers of 32 bits: ieee keeps them, flush takes them for zero; by default "
            "as the module has it",
        .get = [](const Invocation& i) { return NameOf(kDenormalsNames, i.kernels.denormals); },
        .set =
            [](Invocation& i, std::string_view value) {
              i.kernels.denormals = ValueOf<targets::Denormals>(kDenormalsNames, value);
            },
        .is_request = true,
    },
    {
        .flag = "--debug-level",
        .form = OptionForm::kEquals,
        .value_name = "LEVEL",
        .allowed_values = kDebugLevelNames,
        .help =
            "debug information to keep: none or line-tables; by default all that the module has",
        .get = [](const Invocation& i) { return NameOf(kDebugLevelNames, i.kernels.debug_level); },
        .set =
            [](Invocation& i, std::string_view value) {
              i.kernels.debug_level = ValueOf<targets::DebugLevel>(kDebugLevelNames, value);
            },
        .is_request = true,
    },
    {
        .flag = "-o",
        .form = OptionForm::kSeparate,
        .value_name = "FILE",
        .help = "where to write the result",
        .get = [](const Invocation& i) { return i.output; },
        .set = [](Invocation& i, std::string_view value) { i.output = value; },
    },
};

// The words that start an option, for suggestions.
std::vector<std::string_view> OptionFlags() {
  std::vector<std::string_view> flags;
  for (const OptionSpec& spec : kOptions) flags.push_back(spec.flag);
  return flags;
}

// How a message calls an option: "--cpu", "-O", "-o".
absl::Status MissingValue(const OptionSpec& spec) {
  return absl::InvalidArgumentError(
      absl::StrCat("option ", spec.flag, " needs a value: ", spec.flag,
                   spec.form == OptionForm::kEquals ? "=" : "",
                   spec.form == OptionForm::kSeparate ? " " : "", spec.value_name));
}

absl::Status Set(const OptionSpec& spec, std::string_view value, Invocation& invocation) {
  const bool may_be_empty = spec.get(Invocation()).empty();
  const bool allowed = spec.allowed_values.empty() ||
                       std::ranges::find(spec.allowed_values, value) != spec.allowed_values.end();
  if (value.empty() ? !may_be_empty : !allowed) {
    return absl::InvalidArgumentError(
        absl::StrCat("option ", spec.flag, " cannot be '", value, "'",
                     targets::DidYouMean(value, spec.allowed_values).empty()
                         ? "; "
                         : targets::DidYouMean(value, spec.allowed_values) + " ",
                     "allowed: ", absl::StrJoin(spec.allowed_values, ", ")));
  }
  if (spec.objection != nullptr && !value.empty()) {
    const std::string objection = spec.objection(value);
    if (!objection.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("option ", spec.flag, " cannot be '", value, "': ", objection));
    }
  }
  spec.set(invocation, value);
  return absl::OkStatus();
}

// The option that `argument` is, and its value where it stands in the same argument.
struct Match {
  const OptionSpec* spec = nullptr;
  std::optional<std::string_view> value;
};

Match MatchOption(std::string_view argument) {
  for (const OptionSpec& spec : kOptions) {
    if (!absl::StartsWith(argument, spec.flag)) continue;
    const std::string_view rest = argument.substr(spec.flag.size());
    switch (spec.form) {
      case OptionForm::kEquals:
        if (rest.empty()) return {&spec, std::nullopt};
        if (rest.front() == '=') return {&spec, rest.substr(1)};
        break;
      case OptionForm::kJoined:
        return {&spec, rest};
      case OptionForm::kSeparate:
        if (rest.empty()) return {&spec, std::nullopt};
        return {&spec, rest};
    }
  }
  return {};
}

bool LooksLikeOption(std::string_view argument) {
  return argument.size() > 1 && argument.front() == '-';
}

// "+a,-b" with a sign before each and nothing empty, each one checked.
absl::StatusOr<std::string> NormaliseFeatures(const targets::TargetRecord& target,
                                              std::string_view features) {
  std::vector<std::string> normal;
  for (std::string_view item : absl::StrSplit(features, ',')) {
    item = absl::StripAsciiWhitespace(item);
    if (item.empty()) continue;
    std::string_view name = item;
    const bool off = absl::ConsumePrefix(&name, "-");
    if (!off) absl::ConsumePrefix(&name, "+");
    if (absl::Status status = targets::CheckFeature(target, name); !status.ok()) return status;
    normal.push_back(absl::StrCat(off ? "-" : "+", name));
  }
  return absl::StrJoin(normal, ",");
}

// Whether there is code of the language for the target.
absl::Status CheckLanguage(const targets::TargetRecord& target, Language language) {
  const bool is_for_gpus = language == Language::kOpenCl || language == Language::kCuda;
  const bool is_assembly =
      language == Language::kAssembler || language == Language::kAssemblerWithCpp;
  if (target.is_gpu ? !is_assembly : !is_for_gpus) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("-x ", LanguageName(language), ": ",
                   is_assembly ? "there is no assembler" : "such kernels are not", " for target ",
                   target.name, target.is_gpu ? "" : ", which is no GPU"));
}

// Options that are about kernels, for a target that runs none.
absl::Status CheckKernelOptions(const targets::TargetRecord& target, const Invocation& invocation) {
  if (target.is_gpu) return absl::OkStatus();
  for (const OptionSpec& spec : kOptions) {
    if (!spec.is_request || spec.get(invocation).empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "option ", spec.flag, " is about kernels; target ", target.name, " runs none"));
  }
  return absl::OkStatus();
}

// The feature that stands for a version of PTX: "+ptx87" for "8.7". Empty for no version.
std::string PtxFeature(std::string_view version) {
  if (version.empty()) return {};
  return absl::StrCat("+ptx", absl::StrReplaceAll(version, {{".", ""}}));
}

// "8.7" for "ptx87".
std::string PtxVersion(std::string_view feature) {
  feature.remove_prefix(std::string_view("ptx").size());
  return absl::StrCat(feature.substr(0, feature.size() - 1), ".",
                      feature.substr(feature.size() - 1));
}

// Every version of PTX that `target` knows and `cpu` can have, oldest first.
std::vector<std::string> PtxVersionsOf(const targets::TargetRecord& target,
                                       const targets::CpuRecord& cpu) {
  std::vector<std::string> versions;
  for (const std::string_view feature : target.features) {
    if (!absl::StartsWith(feature, "ptx")) continue;
    std::string version = PtxVersion(feature);
    if (version >= targets::FindFact(target, cpu, "ptx")) versions.push_back(std::move(version));
  }
  return versions;
}

// Makes a feature of the version of PTX that is asked for. An older one than the CPU's own is an
// error, whichever option asks for it: the CPU came with that version.
absl::Status ResolvePtx(const targets::TargetRecord& target, const targets::CpuRecord& cpu,
                        Invocation& invocation) {
  std::string asked;
  for (std::string_view feature : absl::StrSplit(invocation.features, ',')) {
    if (absl::ConsumePrefix(&feature, "+ptx")) asked = PtxVersion(absl::StrCat("ptx", feature));
  }
  if (!invocation.ptx.empty()) {
    if (!asked.empty() && asked != invocation.ptx) {
      return absl::InvalidArgumentError(absl::StrCat("--ptx=", invocation.ptx,
                                                     " and --features=", invocation.features,
                                                     " are two versions of PTX; name one"));
    }
    if (asked.empty()) {
      absl::StrAppend(&invocation.features, invocation.features.empty() ? "" : ",",
                      PtxFeature(invocation.ptx));
    }
    asked = std::exchange(invocation.ptx, {});
  }
  if (asked.empty()) return absl::OkStatus();
  const std::vector<std::string> versions = PtxVersionsOf(target, cpu);
  if (std::ranges::find(versions, asked) != versions.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("PTX ", asked, " cannot be made for ", cpu.name,
                   "; versions that can: ", absl::StrJoin(versions, ", ")));
}

// CUDA's warp intrinsics, which every kernel of today may use, came with PTX 6.3 (PTX ISA, "Release
// Notes"); a CPU that is older than that has an older version of its own.
constexpr std::string_view kOldestPtxOfCuda = "6.3";

void AddCudaFeatures(const targets::TargetRecord& target, const targets::CpuRecord& cpu,
                     std::string& features) {
  if (absl::StrContains(features, "+ptx") ||
      targets::FindFact(target, cpu, "ptx") >= kOldestPtxOfCuda) {
    return;
  }
  absl::StrAppend(&features, features.empty() ? "" : ",", "+ptx63");
}

}  // namespace

std::string_view OptLevelName(OptLevel level) {
  return kOptLevelNames[static_cast<std::size_t>(level)];
}

std::span<const OptionSpec> Options() { return kOptions; }

absl::StatusOr<Invocation> ParseArguments(std::span<const std::string> arguments) {
  Invocation invocation;
  bool options_ended = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (options_ended || !LooksLikeOption(argument)) {
      if (argument.empty()) {
        return absl::InvalidArgumentError("an input is named by an empty argument");
      }
      invocation.inputs.push_back(argument);
      continue;
    }
    if (argument == "--") {
      options_ended = true;
      continue;
    }
    if (argument == kCanonicalPathsFlag) {
      invocation.canonical_paths = true;
      continue;
    }
    Match match = MatchOption(argument);
    if (match.spec == nullptr) {
      absl::StatusOr<std::optional<FrontEndMatch>> option =
          MatchFrontEndOption(arguments.subspan(i));
      if (!option.ok()) return option.status();
      if (option->has_value()) {
        if ((*option)->role != FrontEndRole::kNoEffect) {
          invocation.front_end_options.push_back(std::move((*option)->canonical));
        }
        i += (*option)->arguments - 1;
        continue;
      }
      const std::string_view flag = std::string_view(argument).substr(0, argument.find('='));
      const std::string did_you_mean = targets::DidYouMean(flag, OptionFlags());
      return absl::InvalidArgumentError(
          absl::StrCat("unknown option '", flag, "'",
                       did_you_mean.empty() ? "; --help lists the options" : did_you_mean));
    }
    if (!match.value) {
      if (i + 1 == arguments.size()) return MissingValue(*match.spec);
      match.value = arguments[++i];
    }
    if (absl::Status status = Set(*match.spec, *match.value, invocation); !status.ok()) {
      return status;
    }
  }
  return invocation;
}

std::vector<std::string> CanonicalArguments(const Invocation& invocation) {
  std::vector<std::string> arguments;
  for (const OptionSpec& spec : kOptions) {
    std::string value = spec.get(invocation);
    if (spec.is_request && value.empty()) continue;
    switch (spec.form) {
      case OptionForm::kEquals:
        arguments.push_back(absl::StrCat(spec.flag, "=", value));
        break;
      case OptionForm::kJoined:
        arguments.push_back(absl::StrCat(spec.flag, value));
        break;
      case OptionForm::kSeparate:
        arguments.emplace_back(spec.flag);
        arguments.push_back(std::move(value));
        break;
    }
  }
  arguments.insert(arguments.end(), invocation.front_end_options.begin(),
                   invocation.front_end_options.end());
  if (invocation.canonical_paths) arguments.emplace_back(kCanonicalPathsFlag);
  if (std::ranges::any_of(invocation.inputs, LooksLikeOption)) arguments.emplace_back("--");
  arguments.insert(arguments.end(), invocation.inputs.begin(), invocation.inputs.end());
  return arguments;
}

absl::StatusOr<Invocation> Resolve(const Invocation& invocation) {
  if (invocation.target.empty()) {
    return absl::InvalidArgumentError(
        "no target was named: add --target=TRIPLE; `ingot targets` lists them");
  }
  absl::StatusOr<const targets::TargetRecord*> found = targets::FindTarget(invocation.target);
  if (!found.ok()) return found.status();
  const targets::TargetRecord& target = **found;

  Invocation resolved = invocation;
  resolved.target = target.triple;
  if (resolved.cpu.empty()) resolved.cpu = target.default_cpu;
  absl::StatusOr<const targets::CpuRecord*> cpu = targets::FindCpu(target, resolved.cpu);
  if (!cpu.ok()) return cpu.status();
  absl::StatusOr<std::string> features = NormaliseFeatures(target, resolved.features);
  if (!features.ok()) return features.status();
  resolved.features = *std::move(features);
  if (absl::Status status = CheckKernelOptions(target, resolved); !status.ok()) return status;
  if (absl::Status status = ResolvePtx(target, **cpu, resolved); !status.ok()) return status;
  if (!resolved.emit) resolved.emit = target.default_emit;
  if (targets::FindEmit(target, *resolved.emit) == nullptr) {
    std::vector<std::string_view> kinds;
    for (const targets::EmitRecord& emit : target.emits) {
      kinds.push_back(targets::EmitKindName(emit.kind));
    }
    return absl::InvalidArgumentError(absl::StrCat("target ", target.name, " cannot emit '",
                                                   targets::EmitKindName(*resolved.emit),
                                                   "'; it emits ", absl::StrJoin(kinds, ", ")));
  }
  if (!resolved.language) {
    resolved.language =
        resolved.inputs.empty() ? std::nullopt : LanguageOfFile(resolved.inputs.front());
    if (!resolved.language) resolved.language = Language::kIr;
  }
  if (absl::Status status = CheckLanguage(target, *resolved.language); !status.ok()) return status;
  if (resolved.language == Language::kCuda) AddCudaFeatures(target, **cpu, resolved.features);
  if (!UsesFrontEnd(*resolved.language) && !resolved.front_end_options.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("option ", resolved.front_end_options.front(),
                     " has no meaning for LLVM IR, which is not preprocessed or parsed by clang",
                     resolved.inputs.empty() ? "" : ": ",
                     resolved.inputs.empty() ? "" : resolved.inputs.front()));
  }
  if (resolved.language != Language::kCuda) {
    for (const std::string& option : resolved.front_end_options) {
      if (!absl::StartsWith(option, "--cuda-path=")) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("option --cuda-path= has no meaning for ", LanguageName(*resolved.language),
                       ", only for CUDA", resolved.inputs.empty() ? "" : ": ",
                       resolved.inputs.empty() ? "" : resolved.inputs.front()));
    }
  }
  if (resolved.emit == EmitKind::kPreprocessed && !UsesFrontEnd(*resolved.language)) {
    return absl::InvalidArgumentError(
        "LLVM IR cannot be preprocessed; --emit=preprocessed is for sources");
  }
  return resolved;
}

std::string OptionsHelp() {
  std::string help;
  for (const OptionSpec& spec : kOptions) {
    absl::StrAppend(&help, "  ", spec.flag, spec.form == OptionForm::kEquals ? "=" : "",
                    spec.form == OptionForm::kSeparate ? " " : "", spec.value_name, "\n      ",
                    spec.help, "\n");
  }
  return help;
}

}  // namespace ingot::compiler
