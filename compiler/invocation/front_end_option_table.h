// The options of clang that Ingot knows of, as data: which are taken, which make no difference and
// which are refused, and why.
//
//   const FrontEndRow* row = FindFrontEndRow("-fno-short-enums");
//   // row->spelling == "-fshort-enums", row->take == FrontEndTake::kTaken
//
// An option is taken only if all that it means in clang comes true here: it changes what clang's
// front end makes of a source. What clang would hand on to its code generator beside the module, to
// a linker or to a file of its own, is refused: it would silently be lost. The test in
// compiler/frontend asks clang about every row.

#ifndef INGOT_COMPILER_INVOCATION_FRONT_END_OPTION_TABLE_H_
#define INGOT_COMPILER_INVOCATION_FRONT_END_OPTION_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace ingot::compiler {

// How an option's value stands.
enum class FrontEndForm : uint8_t {
  kFlag,              // -ansi: there is none
  kJoined,            // -std=c11
  kPrefix,            // -Wall, -W: may be empty; what begins like this is this option
  kJoinedOrSeparate,  // -Iinclude, -I include
};

// What the driver must know about an option.
enum class FrontEndRole : uint8_t {
  kPlain,         // its text is all there is to it
  kSearchFolder,  // its value is a folder: -I, -iquote, -isystem, -idirafter, --embed-dir=
  kForcedFile,    // its value is a file: -include, -imacros
  kNoEffect,      // it says what is so anyway, or what has no meaning here: it is left out
};

enum class FrontEndTake : uint8_t {
  kTaken,
  kRefused,
  // The same, but it is off unless asked for: so -fno-X makes no difference and is taken.
  kRefusedUnlessOff,
};

struct FrontEndRow {
  std::string_view spelling;
  FrontEndForm form = FrontEndForm::kFlag;
  FrontEndRole role = FrontEndRole::kPlain;
  FrontEndTake take = FrontEndTake::kTaken;
  bool negatable = false;  // -fX is also there as -fno-X, -gX as -gno-X
  // Of a refused one: why, and what to do. Of others: the spelling that it is another name of.
  std::string_view note = {};
};

// Every row, in byte order of the spellings.
std::span<const FrontEndRow> FrontEndRows();

// The row of the longest spelling that `argument` is or begins with, as the row's form allows, or
// of the option that it is the negative of; null if there is none. No allocation.
const FrontEndRow* FindFrontEndRow(std::string_view argument);

// Whether `argument`, for which `row` was found, is its negative: -fno-X for -fX.
bool IsNegated(const FrontEndRow& row, std::string_view argument);

}  // namespace ingot::compiler

#endif  // INGOT_COMPILER_INVOCATION_FRONT_END_OPTION_TABLE_H_
