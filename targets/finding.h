// What is wrong with a module or with the code made of it, in a form that says what to do.
//
//   Findings findings;
//   findings.push_back({.kind = "unresolved-function",
//                       .message = "call of function 'foo', which has no definition",
//                       .action = "define it, or link the library that does",
//                       .kernel = "k",
//                       .chain = {{"helper", {"k.cu", 7, 3}}}});
//   absl::Status status = FindingsStatus(findings, "k.cu", warnings);
//
// A finding owns all of its text: it outlives the module that it is about.

#ifndef INGOT_TARGETS_FINDING_H_
#define INGOT_TARGETS_FINDING_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace ingot::targets {

// A place in a source; `line` is 0 where it is not known.
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;
};

// A function, and the place in it where the next one is called or the problem is.
struct CallSite {
  std::string function;
  SourcePlace place;
};

struct Finding {
  enum class Severity { kError, kWarning };

  Severity severity = Severity::kError;
  std::string kind;             // a word of its own for each: "unresolved-function"
  std::string message;          // what is wrong, naming the construct
  std::string action;           // what to do about it; may be empty
  std::string kernel;           // the kernel that reaches it; empty if it concerns the module
  std::vector<CallSite> chain;  // from that kernel to the function that has the problem
  SourcePlace place;            // of the problem itself
};

using Findings = std::vector<Finding>;

// `findings` as diagnostics, one after another, each with a newline at its end and, as notes, its
// call chain and what to do:
//
//   k.cu:7:3: error: call of function 'foo', which has no definition [unresolved-function]
//   k.cu:12:1: note: in kernel 'k'
//   k.cu: note: define it, or link the library that does
//
// `path` stands where a place is not known.
std::string FormatFindings(const Findings& findings, std::string_view path);

// OK where no finding is an error, with the warnings in `warnings`; otherwise InvalidArgument with
// all of them.
absl::Status FindingsStatus(const Findings& findings, std::string_view path, std::string& warnings);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_FINDING_H_
