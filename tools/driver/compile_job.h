// One input from request to output: key, lookup, compilation if need be, publication, delivery.

#ifndef INGOT_TOOLS_DRIVER_COMPILE_JOB_H_
#define INGOT_TOOLS_DRIVER_COMPILE_JOB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cache/dependency_sets.h"
#include "cache/generations.h"
#include "cache/lookup.h"
#include "cache/tiered_cache.h"
#include "compiler/invocation/invocation.h"
#include "tools/driver/compile_execution.h"
#include "tools/driver/store.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {

// What all jobs of a command share. Thread safe to use.
struct CompileContext {
  const Toolchain& toolchain;
  Store* store;                    // null: no caching
  cache::TieredCache* cache;       // of the store; null without one
  cache::Generations generations;  // what was disowned
  cache::DependencySets dependency_sets;
  ExecutionPlaces places;  // for work, and for reproducers
  absl::Duration time_limit;
  bool color = false;  // whether diagnostics are shown with it
};

// A file that a source includes, directly or not.
struct IncludedFile {
  std::string path;  // as the user would name it
  bool system = false;
};

struct CompileOutcome {
  std::string input;    // as the user named it
  std::string output;   // as the user named it
  absl::Status status;  // why there is no output; the message is for people
  std::string key;      // of the Action, "hash/size"; empty if it did not come to that
  std::optional<cache::MissReason> miss;  // nothing if no store was asked
  bool hit = false;
  std::string hit_from;  // for a hit: the name of the store that had it
  bool waited = false;   // for an equal compilation to end
  bool published = false;
  bool already_stored = false;  // the same, by another, meanwhile; then it is not `published`
  int64_t bytes_stored = 0;     // in stores of this machine
  bool crashed = false;
  std::string diagnostics;             // of the compiler, with the user's own paths
  std::vector<IncludedFile> included;  // in the order in which they were read
  bool included_is_known = false;      // false for a compilation that left no record of it
  std::vector<std::string> warnings;   // about the cache: the compilation does not suffer
  std::string reproducer;              // of a crash: the path of a script
  absl::Duration elapsed;
  absl::Duration compile_time;  // of the compilation now, or, for a hit, when the result was made
};

// Compiles `invocation`, which must be resolved and have one input and one output as the user named
// them.
CompileOutcome Compile(const CompileContext& context, const compiler::Invocation& invocation);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_COMPILE_JOB_H_
