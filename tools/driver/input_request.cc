#include "tools/driver/input_request.h"

#include <sys/stat.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "compiler/invocation/invocation.h"
#include "compiler/invocation/language.h"
#include "compiler/plan/canonical_request.h"
#include "compiler/plan/compile_action.h"
#include "tools/driver/files.h"
#include "tools/driver/toolchain.h"

namespace ingot::driver {
namespace {

bool IsFile(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

}  // namespace

absl::StatusOr<InputRequest> ReadRequest(const compiler::Invocation& invocation,
                                         const Toolchain& toolchain) {
  InputRequest request;
  absl::StatusOr<compiler::CanonicalRequest> canonical = compiler::Canonicalise(invocation, IsFile);
  if (!canonical.ok()) return canonical.status();
  request.canonical = *std::move(canonical);
  absl::StatusOr<std::string> text = ReadInput(request.canonical.user_source);
  if (!text.ok()) return text.status();
  request.text = *std::move(text);
  request.source = cache::Sha256(request.text);
  request.may_include = compiler::UsesFrontEnd(*invocation.language);
  if (request.may_include) {
    request.digest =
        compiler::RequestDigest(request.canonical, request.source, toolchain.directory.digest);
  }
  return request;
}

}  // namespace ingot::driver
