// The flags that name a remote cache, with Bazel's names and meanings.

#ifndef INGOT_TOOLS_DRIVER_REMOTE_FLAGS_H_
#define INGOT_TOOLS_DRIVER_REMOTE_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/remote/remote_options.h"
#include "tools/driver/environment.h"
#include "tools/driver/option_table.h"

namespace ingot::driver {

// Must outlive the parsing of the command line that they were added to.
struct RemoteFlags {
  std::optional<std::string> cache;
  std::vector<std::string> headers;  // NAME=VALUE
  std::optional<std::string> timeout;
  std::optional<std::string> retries;
  std::optional<std::string> budget;
  std::optional<std::string> proxy;
  std::optional<std::string> tls_certificate;
  std::optional<std::string> tls_client_certificate;
  std::optional<std::string> tls_client_key;
  bool upload_local_results = true;
};

void AppendRemoteFlags(RemoteFlags& flags, std::vector<OptionRow>& rows);

// What the flags say, or nothing where they name no cache. Proxies and the netrc file are those of
// the environment, as for curl: http_proxy, https_proxy, no_proxy (also in capitals, except
// HTTP_PROXY), NETRC, HOME. InvalidArgument, naming the flag, for a value that cannot be.
absl::StatusOr<std::optional<cache::RemoteOptions>> FindRemote(const Environment& environment,
                                                               const RemoteFlags& flags);

}  // namespace ingot::driver

#endif  // INGOT_TOOLS_DRIVER_REMOTE_FLAGS_H_
