#include "targets/backends.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/avr/avr_backend.h"
#include "targets/nvptx/nvptx_backend.h"
#include "targets/registry.h"

namespace ingot::targets {

// Add a backend here; targets/README.md says what else it needs.
std::vector<const Backend*> AllBackends() { return {&Nvptx64Backend(), &AvrBackend()}; }

absl::StatusOr<const Backend*> FindBackend(std::string_view name_or_triple) {
  absl::StatusOr<const TargetRecord*> target = FindTarget(name_or_triple);
  if (!target.ok()) return target.status();
  for (const Backend* backend : AllBackends()) {
    if (&backend->record() == *target) return backend;
  }
  return absl::InternalError(
      absl::StrCat("target ", (*target)->name, " has a record but no backend in this build"));
}

}  // namespace ingot::targets
