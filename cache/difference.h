// How two Actions differ, in plain words: why is this key not that one?
//
//   for (const Difference& difference : Compare(then, now)) std::cout << difference.text << "\n";
//   // argument --cpu was sm_80 and is sm_90
//   // the input src/k.ll has other contents: 3f5a…/1234, before 9bc0…/1230

#ifndef INGOT_CACHE_DIFFERENCE_H_
#define INGOT_CACHE_DIFFERENCE_H_

#include <string>
#include <string_view>
#include <vector>

#include "cache/description.h"

namespace ingot::cache {

enum class DifferenceKind {
  kTool,          // the program that runs, or another file of its folder
  kInputRenamed,  // the same contents under another name
  kArgument,
  kInputContents,
  kInputMode,  // executable or not
  kInputAdded,
  kInputRemoved,
  kInputFolder,  // a folder whose files are not known
  kOutputPath,
  kEnvironment,
  kPlatform,
  kWorkingDirectory,
  kTimeout,
  kSalt,
  kUnknown,  // something that could not be read on one of the sides
};

// "argument", "input contents" and so on, for programs.
std::string_view DifferenceKindName(DifferenceKind kind);

struct Difference {
  DifferenceKind kind;
  std::string subject;  // an argument's name, an input's path, a property's name; may be empty
  std::string before;   // empty if there was nothing
  std::string after;    // empty if there is nothing
  std::string text;     // a sentence without its full stop
};

// The differences of two Actions, in the order in which they help: the tool, what was asked for,
// what it was asked about, and last what separates namespaces. Empty for equal Actions. What could
// not be read on either side is named, but only if nothing else explains why the two differ or it
// differs for certain.
std::vector<Difference> Compare(const Description& before, const Description& after);

}  // namespace ingot::cache

#endif  // INGOT_CACHE_DIFFERENCE_H_
