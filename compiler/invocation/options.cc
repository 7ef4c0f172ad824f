// Every option of an invocation: one row each.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "targets/kernel_options.h"
#include "targets/record.h"

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

}  // namespace

std::string_view OptLevelName(OptLevel level) {
  return kOptLevelNames[static_cast<std::size_t>(level)];
}

std::span<const OptionSpec> Options() { return kOptions; }

}  // namespace ingot::compiler
