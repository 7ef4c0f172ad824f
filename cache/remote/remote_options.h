// How a remote cache is reached: what the flags --remote_* and --tls_* of the command line say, in
// one struct for every protocol. This folder reads no environment, so what users expect to be taken
// from there (proxies, netrc) is passed in too.
//
//   RemoteOptions options;
//   options.url = "https://cache.example.com/ingot";
//   options.headers = {{"Authorization", "Bearer 0123"}};
//   ABSL_ASSIGN_OR_RETURN(std::unique_ptr<RemoteStore> remote, OpenRemote(options));

#ifndef INGOT_CACHE_REMOTE_REMOTE_OPTIONS_H_
#define INGOT_CACHE_REMOTE_REMOTE_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace ingot::cache {

struct RemoteHeader {
  std::string name;
  std::string value;
};

struct RemoteOptions {
  // --remote_cache. `user:password@` before the host is sent as basic credentials, and is never
  // shown.
  std::string url;

  // --remote_header: sent with every request, but to no other host that a redirect names.
  std::vector<RemoteHeader> headers;

  // --remote_timeout, with Bazel's meaning for HTTP: the longest time until there is a connection,
  // and the longest pause between two bytes. Bazel's default is a minute; a compilation is over
  // sooner. Never more than what is left of `budget`.
  absl::Duration timeout = absl::Seconds(5);

  // A host that drops packets is noticed only by waiting, so this part of `timeout` is shorter.
  absl::Duration connect_timeout = absl::Seconds(3);

  // --remote_retries: how often a request is repeated after 500, 502, 503, 504 or a connection that
  // broke, with a growing pause in between. Everything else would fail again or has taken too long
  // already.
  int retries = 2;

  // What a dead, slow or lying server may cost one run, all calls together; after that it is not
  // asked any more (cache/decorators/outage_breaker.h).
  absl::Duration budget = absl::Seconds(10);

  // A netrc file for servers whose URL has no credentials. Empty: none. It need not exist.
  std::string netrc_path;

  // --remote_proxy: "unix:/path/to/socket", or a proxy's URL.
  std::string proxy;

  // http_proxy, https_proxy and no_proxy of the environment, for when `proxy` is empty: which of
  // the two counts depends on `url`.
  std::string http_proxy;
  std::string https_proxy;
  std::string no_proxy;

  // --tls_certificate: a PEM file with the authorities to trust. Empty: the system's.
  std::string tls_certificate;

  // --tls_client_certificate and --tls_client_key: PEM files, both or neither.
  std::string tls_client_certificate;
  std::string tls_client_key;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_REMOTE_REMOTE_OPTIONS_H_
