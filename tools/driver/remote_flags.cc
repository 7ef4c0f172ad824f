#include "tools/driver/remote_flags.h"

#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cache/remote/remote_options.h"
#include "tools/driver/environment.h"
#include "tools/driver/option_table.h"
#include "tools/driver/text_option.h"

namespace ingot::driver {
namespace {

// Bazel takes a number without a unit for seconds.
absl::StatusOr<absl::Duration> ParseTime(std::string_view flag, const std::string& text) {
  int seconds = 0;
  absl::Duration time;
  if (absl::SimpleAtoi(text, &seconds)) {
    time = absl::Seconds(seconds);
  } else if (!absl::ParseDuration(text, &time)) {
    time = absl::ZeroDuration();
  }
  if (time > absl::ZeroDuration() && time < absl::InfiniteDuration()) return time;
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": '", text, "' is no time; write seconds, or a unit, like 60 or 500ms"));
}

absl::StatusOr<cache::RemoteHeader> ParseHeader(const std::string& text) {
  const std::string::size_type equals = text.find('=');
  // The value may be a secret and is not repeated.
  if (equals == std::string::npos || equals == 0) {
    return absl::InvalidArgumentError("--remote_header: write it as NAME=VALUE");
  }
  return cache::RemoteHeader{text.substr(0, equals), text.substr(equals + 1)};
}

std::string VariableOr(const Environment& environment, std::string_view name,
                       std::string_view other_name) {
  if (const auto value = environment.variable(name)) return *value;
  return environment.variable(other_name).value_or("");
}

std::string NetrcPath(const Environment& environment) {
  if (const auto named = environment.variable("NETRC"); named && !named->empty()) return *named;
  const auto home = environment.variable("HOME");
  return home && !home->empty() ? absl::StrCat(*home, "/.netrc") : "";
}

}  // namespace

void AppendRemoteFlags(RemoteFlags& flags, std::vector<OptionRow>& rows) {
  const OptionRow remote[] = {
      {.names = "--remote_cache",
       .value = &flags.cache,
       .value_name = "URL",
       .help = "A cache to share with others: http://HOST[:PORT][/PATH] or https://…, as Bazel's "
               "flag of that name; empty: none"},
      {.names = "--remote_upload_local_results",
       .value = &flags.upload_local_results,
       .help = "Whether results made here go to the remote cache (default: yes)",
       .can_be_negated = true},
      {.names = "--remote_header",
       .value = &flags.headers,
       .value_name = "NAME=VALUE",
       .help = "A header for every request to the remote cache, such as "
               "'Authorization=Bearer TOKEN'; better kept in ~/.ingotrc than on a command line",
       .places = ListPlaces::kAddUp},
      {.names = "--remote_timeout",
       .value = &flags.timeout,
       .value_name = "TIME",
       .help = "How long to wait for a connection, and for the next byte (default 5s)",
       .default_text = "5s"},
      {.names = "--remote_retries",
       .value = &flags.retries,
       .value_name = "N",
       .help = "How often to repeat a request after a server's error 5xx or a broken connection "
               "(default 2)",
       .default_text = "2"},
      {.names = "--remote_budget",
       .value = &flags.budget,
       .value_name = "TIME",
       .help = "What a remote cache that is down, slow or wrong may cost one run before it is left "
               "alone (default 10s)",
       .default_text = "10s"},
      {.names = "--remote_proxy",
       .value = &flags.proxy,
       .value_name = "PROXY",
       .help = "How to reach the remote cache: unix:/PATH/OF/SOCKET or a proxy's URL "
               "(default: http_proxy, https_proxy and no_proxy)"},
      {.names = "--tls_certificate",
       .value = &flags.tls_certificate,
       .value_name = "FILE",
       .help = "The authorities to trust, as a PEM file (default: the system's)"},
      {.names = "--tls_client_certificate",
       .value = &flags.tls_client_certificate,
       .value_name = "FILE",
       .help = "The certificate to show to the remote cache, as a PEM file"},
      {.names = "--tls_client_key",
       .value = &flags.tls_client_key,
       .value_name = "FILE",
       .help = "The key of that certificate"},
  };
  rows.insert(rows.end(), std::begin(remote), std::end(remote));
}

absl::StatusOr<std::optional<cache::RemoteOptions>> FindRemote(const Environment& environment,
                                                               const RemoteFlags& flags) {
  if (!flags.cache.has_value() || flags.cache->empty()) return std::nullopt;
  cache::RemoteOptions options;
  options.url = *flags.cache;
  for (const std::string& text : flags.headers) {
    absl::StatusOr<cache::RemoteHeader> header = ParseHeader(text);
    if (!header.ok()) return header.status();
    options.headers.push_back(*std::move(header));
  }
  if (flags.timeout.has_value()) {
    const absl::StatusOr<absl::Duration> timeout = ParseTime("--remote_timeout", *flags.timeout);
    if (!timeout.ok()) return timeout.status();
    options.timeout = *timeout;
  }
  if (flags.budget.has_value()) {
    const absl::StatusOr<absl::Duration> budget = ParseTime("--remote_budget", *flags.budget);
    if (!budget.ok()) return budget.status();
    options.budget = *budget;
  }
  if (flags.retries.has_value() &&
      (!absl::SimpleAtoi(*flags.retries, &options.retries) || options.retries < 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--remote_retries: '", *flags.retries, "' is not a number from 0 up"));
  }
  options.netrc_path = NetrcPath(environment);
  options.proxy = flags.proxy.value_or("");
  // Not HTTP_PROXY, which a CGI server makes of a header that anybody can send (CVE-2016-5385).
  options.http_proxy = environment.variable("http_proxy").value_or("");
  options.https_proxy = VariableOr(environment, "https_proxy", "HTTPS_PROXY");
  options.no_proxy = VariableOr(environment, "no_proxy", "NO_PROXY");
  options.tls_certificate = flags.tls_certificate.value_or("");
  options.tls_client_certificate = flags.tls_client_certificate.value_or("");
  options.tls_client_key = flags.tls_client_key.value_or("");
  return options;
}

}  // namespace ingot::driver
