// What the files of a dependency record hold now.
//
//   const std::optional<bool> is_changed = Refresh(record, request.roots);
//   if (is_changed.has_value()) ... the key of the Action with these files ...
//
// A file whose identity (device, inode, size, mtime, ctime) is the recorded one is not read again;
// see cache/file_digest_memo.h for why a file that was young when it was read is.

#ifndef INGOT_TOOLS_DRIVER_DEPENDENCY_CHECK_H_
#define INGOT_TOOLS_DRIVER_DEPENDENCY_CHECK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "compiler/invocation/dependencies.h"

namespace ingot::driver {

// Gives `record` the digests and identities of now; whether that changes it. Nothing, and no record
// that is of use, if it does not apply any more: a file is gone or cannot be read, or something is
// where nothing was.
std::optional<bool> Refresh(compiler::Dependencies& record,
                            const std::vector<compiler::HostRoot>& roots);

// Whether the files are still the ones that `record` was made of, and what was absent still is.
// Otherwise somebody changed them while the compiler read them.
bool IsCurrent(const compiler::Dependencies& record, const std::vector<compiler::HostRoot>& roots);

// `record` to be kept: files that changed less than the minimum age before `read` lose their
// identity, since a later change could leave it the same.
compiler::Dependencies Lasting(compiler::Dependencies record, absl::Time read);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_DEPENDENCY_CHECK_H_
