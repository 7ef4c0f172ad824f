// The options of clang that Ingot takes, by name: `-I`, `-D`, `-std`, `-W…`, `-f…` and so on.
//
// They mean what clang says they mean, since the compile tool hands them to clang's own parser.
// front_end_option_table.h says which are taken at all: those that neither read nor write a file
// behind the cache's back, run no other program and are not about a linker. Everything else is
// refused by name; no option is ignored.
//
//   absl::StatusOr<std::optional<FrontEndMatch>> match = MatchFrontEndOption({"-I", "include"});
//   // (*match)->canonical == "-Iinclude", (*match)->arguments == 2

#ifndef INGOT_COMPILER_INVOCATION_FRONT_END_OPTIONS_H_
#define INGOT_COMPILER_INVOCATION_FRONT_END_OPTIONS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "compiler/invocation/front_end_option_table.h"

namespace ingot::compiler {

// The option of Clang's that names a CUDA toolkit: only for CUDA, and its headers are used instead
// of Ingot's own.
inline constexpr std::string_view kCudaPathFlag = "--cuda-path=";

struct FrontEndMatch {
  std::string_view spelling;  // of the table: "-I", "-std=", "-fshort-enums"
  std::string value;          // of an option that has one: "include"
  // kNoEffect: whoever takes the option leaves it out of Invocation::front_end_options.
  FrontEndRole role = FrontEndRole::kPlain;
  std::string canonical;      // the option as one argument: "-Iinclude"
  std::size_t arguments = 1;  // how many arguments of the command line it took
};

// The front-end option that `arguments` starts with. Nothing if that is no option of clang that
// this table speaks of. InvalidArgument, naming the option and what to do instead, for one that is
// known and refused (precompiled headers, modules, plugins, …) and for one that lacks its value.
absl::StatusOr<std::optional<FrontEndMatch>> MatchFrontEndOption(
    std::span<const std::string> arguments);

// The same for options as they stand in Invocation::front_end_options: one argument each.
absl::StatusOr<std::optional<FrontEndMatch>> MatchFrontEndOption(std::string_view canonical);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_INVOCATION_FRONT_END_OPTIONS_H_
