// What a source includes as a rule for Make and Ninja, in the layout and with the escapes of
// clang's -MD: what reads such files was written for those.
//
//   DependencyRule({.targets = {"k.o"}, .files = {"k.c", "my file.h"}, .phony = true});
//   // k.o: k.c my\ file.h
//   // my\ file.h:

#ifndef INGOT_TOOLS_DRIVER_DEPENDENCY_FILE_H_
#define INGOT_TOOLS_DRIVER_DEPENDENCY_FILE_H_

#include <string>
#include <string_view>
#include <vector>

namespace ingot::driver {

struct DependencyRuleParts {
  std::vector<std::string> targets;  // as they are to be written: see QuoteTarget()
  // The source first. Standard input, which nothing can depend on, is left out.
  std::vector<std::string> files;
  // Whether each file but the first also gets a rule of its own, so that Make does not stop where
  // one is deleted.
  bool phony = false;
};

std::string DependencyRule(const DependencyRuleParts& parts);

// A file's name as a target: with what Make would take for its own escaped.
std::string QuoteTarget(std::string_view name);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_DEPENDENCY_FILE_H_
