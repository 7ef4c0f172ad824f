// The compile tool that the driver runs, and its identity: the digest of its files' contents.

#ifndef INGOT_TOOLS_DRIVER_TOOLCHAIN_H_
#define INGOT_TOOLS_DRIVER_TOOLCHAIN_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "cache/file_digest_memo.h"
#include "cache/merkle_tree.h"
#include "tools/driver/environment.h"

namespace ingot::driver {

struct Toolchain {
  std::string compile_tool;           // absolute path
  cache::Digest file_digest;          // of the compile tool
  cache::EncodedDirectory directory;  // the Directory `toolchain/` of an input root
  struct stat identity = {};          // of the compile tool, from before it was digested
};

// Finds the toolchain in `directory` if that is not empty, else beside the running `ingot`
// (PREFIX/lib/ingot/toolchain of an installation, or the build tree), and digests it through
// `memo`. Internal names the places it looked in.
absl::StatusOr<Toolchain> LoadToolchain(const Environment& environment,
                                        const std::string& directory, cache::FileDigestMemo& memo);

// Whether the compile tool is still the file that was digested. False for one replaced or written
// to since, even by the same bytes.
bool IsUnchanged(const Toolchain& toolchain);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_TOOLCHAIN_H_
