// The backends that this build of Ingot links, as an explicit list: the LLVM half of
// targets/registry.h.

#ifndef INGOT_TARGETS_BACKENDS_H_
#define INGOT_TARGETS_BACKENDS_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/backend.h"

namespace ingot::targets {

// Every backend, in the registry's order.
std::vector<const Backend*> AllBackends();

// The backend of a target's name, triple or alias. InvalidArgument, with a suggestion, where there
// is no such target.
absl::StatusOr<const Backend*> FindBackend(std::string_view name_or_triple);

}  // namespace ingot::targets

#endif  // INGOT_TARGETS_BACKENDS_H_
