#include "cache/remote/http/http_connection.h"

#include <curl/curl.h>
#include <nss.h>
#include <openssl/crypto.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_macros.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "cache/remote/http/http_url.h"
#include "cache/remote/remote_options.h"

namespace ingot::cache {
namespace {

constexpr int kOk = 200;
constexpr int kInternalError = 500;
constexpr int kBadGateway = 502;
constexpr int kUnavailable = 503;
constexpr int kGatewayTimeout = 504;

// A cache that redirects does it once, to where its blobs are; two more for an http server that
// sends everybody to https and for a renamed host.
constexpr int kMaxRedirects = 3;

// The body of a refusal or a redirect is read so that the connection stays usable, but not for
// ever.
constexpr size_t kMaxIgnoredBody = 64 << 10;

// What is set aside for a body before any of it has come: a server can announce any length.
constexpr int64_t kMaxReserved = 16 << 20;

constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kLongestPause = absl::Seconds(1);

// Where distributions other than the one whose libcurl this is keep the trusted authorities.
constexpr const char* kSystemAuthorities[] = {
    "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",    // Fedora, Red Hat
    "/etc/ssl/ca-bundle.pem",              // openSUSE
    "/etc/ssl/cert.pem",                   // Alpine, BSD
};

absl::Duration MonotonicNow() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

// Once, at the first request: a program that asks no remote pays nothing.
void InitializeLibraries() {
  static std::once_flag once;
  std::call_once(once, [] {
#ifdef __GLIBC__
    // A static program would load the name services that nsswitch.conf lists from the shared
    // libraries of this machine's glibc, which need not be the glibc that it was built with. These
    // two are part of the program.
    __nss_configure_lookup("hosts", "files dns");
#endif
    // openssl.cnf of this machine may name modules to load, for which the same is true.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    curl_global_init(CURL_GLOBAL_DEFAULT);
  });
}

// Those that Bazel repeats (RemoteRetrier): others of the 5xx say that the request can never work.
bool IsWorthRepeating(int status) {
  return status == kInternalError || status == kBadGateway || status == kUnavailable ||
         status == kGatewayTimeout;
}

// The connection was there and broke. One that could not be made is not repeated: nobody listens,
// or waiting for it took long enough.
bool IsBroken(CURLcode code) {
  return code == CURLE_PARTIAL_FILE || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR ||
         code == CURLE_SEND_ERROR;
}

bool IsToken(std::string_view text) {
  // RFC 9110, 5.6.2.
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
  });
}

bool IsFieldValue(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return (c < ' ' && c != '\t') || c == 127; });
}

struct SlistDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, SlistDeleter>;

void Append(HeaderList& list, const std::string& header) {
  curl_slist* const before = list.release();
  curl_slist* const longer = curl_slist_append(before, header.c_str());
  list.reset(longer != nullptr ? longer : before);
}

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

// How long a request may take, with its repetitions and redirects. Bytes earn the time that they
// need when they have moved: what is expected may be what a lying server has promised.
struct Allowance {
  absl::Duration without_bytes;  // until when, if none move
  int64_t bytes_expected = 0;
  int64_t bytes_moved = 0;

  absl::Duration Until(int64_t bytes) const {
    return without_bytes +
           absl::Seconds(1) * (static_cast<double>(bytes) / kSlowestUsefulBytesPerSecond);
  }
  absl::Duration Deadline() const { return Until(std::min(bytes_moved, bytes_expected)); }
};

// One request on its way. libcurl's callbacks get a pointer to it.
struct Transfer {
  CURL* easy = nullptr;
  const HttpRequest& request;
  Allowance& allowance;
  HttpResponse response;
  size_t sent = 0;
  size_t ignored = 0;
  bool cut_off = false;
  absl::Duration longest_pause;
  absl::Duration last_progress;  // when
  curl_off_t bytes_moved = 0;
  bool paused_too_long = false;
  bool out_of_time = false;
};

int StatusOf(CURL* easy) {
  long status = 0;  // NOLINT(google-runtime-int): libcurl's type
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

int64_t ContentLengthOf(CURL* easy) {
  curl_off_t length = -1;
  curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  return length;
}

size_t Receive(const char* bytes, size_t /*always 1*/, size_t count, void* transfer_pointer) {
  Transfer& transfer = *static_cast<Transfer*>(transfer_pointer);
  HttpResponse& response = transfer.response;
  if (transfer.request.method != HttpMethod::kGet || StatusOf(transfer.easy) != kOk) {
    transfer.ignored += count;
    if (transfer.ignored <= kMaxIgnoredBody) return count;
    transfer.cut_off = true;
    return CURL_WRITEFUNC_ERROR;
  }
  const int64_t left =
      transfer.request.max_response_bytes - static_cast<int64_t>(response.body.size());
  if (static_cast<int64_t>(count) > left) {
    response.too_long = true;
    transfer.cut_off = true;
    return CURL_WRITEFUNC_ERROR;
  }
  if (response.body.empty()) {
    const int64_t announced =
        std::min(ContentLengthOf(transfer.easy), transfer.request.expected_response_bytes);
    response.body.reserve(static_cast<size_t>(std::clamp<int64_t>(announced, 0, kMaxReserved)));
  }
  response.body.append(bytes, count);
  return count;
}

size_t Give(char* buffer, size_t size, size_t count, void* transfer_pointer) {
  Transfer& transfer = *static_cast<Transfer*>(transfer_pointer);
  const std::string_view rest = transfer.request.body.substr(transfer.sent);
  const size_t given = std::min(rest.size(), size * count);
  if (given > 0) std::memcpy(buffer, rest.data(), given);
  transfer.sent += given;
  return given;
}

// libcurl starts again when a connection that it had kept turns out to be closed.
int Rewind(void* transfer_pointer, curl_off_t offset, int origin) {
  Transfer& transfer = *static_cast<Transfer*>(transfer_pointer);
  if (origin != SEEK_SET || offset < 0 ||
      static_cast<size_t>(offset) > transfer.request.body.size()) {
    return CURL_SEEKFUNC_CANTSEEK;
  }
  transfer.sent = static_cast<size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

// libcurl calls this while bytes move, and every second while none do.
int Watch(void* transfer_pointer, curl_off_t /*download_size*/, curl_off_t downloaded,
          curl_off_t /*upload_size*/, curl_off_t uploaded) {
  Transfer& transfer = *static_cast<Transfer*>(transfer_pointer);
  const absl::Duration now = MonotonicNow();
  const curl_off_t moved = downloaded + uploaded;
  if (moved != transfer.bytes_moved) {
    transfer.allowance.bytes_moved += std::max<curl_off_t>(0, moved - transfer.bytes_moved);
    transfer.bytes_moved = moved;
    transfer.last_progress = now;
  }
  transfer.paused_too_long = now - transfer.last_progress > transfer.longest_pause;
  transfer.out_of_time = now >= transfer.allowance.Deadline();
  return transfer.paused_too_long || transfer.out_of_time ? 1 : 0;
}

class CurlConnection final : public HttpConnection {
 public:
  CurlConnection(RemoteOptions options, HttpTiming timing, HttpUrl url)
      : options_(std::move(options)), timing_(std::move(timing)), url_(std::move(url)) {
    for (HeaderList* list : {&own_headers_, &foreign_headers_}) {
      // libcurl would wait for "100 Continue" before larger bodies; few caches say that.
      Append(*list, "Expect:");
    }
    for (const RemoteHeader& header : options_.headers) {
      // A header without a value is written with a semicolon (CURLOPT_HTTPHEADER).
      Append(own_headers_, header.value.empty() ? absl::StrCat(header.name, ";")
                                                : absl::StrCat(header.name, ": ", header.value));
    }
    if (options_.tls_certificate.empty()) {
      for (const char* file : kSystemAuthorities) {
        if (access(file, R_OK) != 0) continue;
        authorities_ = file;
        break;
      }
    }
  }

  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override;
  std::string AddressOf(std::string_view path) const override {
    return absl::StrCat(url_.base, path);
  }

 private:
  // What one attempt ended with.
  struct Attempt {
    absl::StatusOr<HttpResponse> result;
    bool worth_repeating = false;
  };

  Easy TakeHandle();
  void GiveBack(Easy handle);
  // Follows redirects.
  Attempt Try(CURL* easy, const HttpRequest& request, Allowance& allowance);
  void SetOptions(CURL* easy, Transfer& transfer, const std::string& address, bool is_own,
                  std::string_view scheme, absl::Duration time_left) const;
  absl::Status TransportError(CURL* easy, CURLcode code, std::string_view detail,
                              std::string_view address) const;
  bool HoldsSecret(std::string_view text) const;

  const RemoteOptions options_;
  const HttpTiming timing_;
  const HttpUrl url_;
  HeaderList own_headers_;      // for the server itself
  HeaderList foreign_headers_;  // for where it redirects to
  std::string authorities_;     // empty: libcurl's own default

  // Handles that nobody uses now, each with its open connections. As many as there were requests at
  // the same time. The last one given back is the next one taken, so that the others grow old.
  std::mutex mutex_;
  std::vector<Easy> idle_;
};

Easy CurlConnection::TakeHandle() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Easy handle = std::move(idle_.back());
      idle_.pop_back();
      return handle;
    }
  }
  InitializeLibraries();
  return Easy(curl_easy_init());
}

void CurlConnection::GiveBack(Easy handle) {
  // Takes back all options, and with them the pointers into this call; connections stay.
  curl_easy_reset(handle.get());
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(handle));
}

absl::StatusOr<HttpResponse> CurlConnection::Send(const HttpRequest& request) {
  const absl::Duration patience = timing_.patience ? timing_.patience() : options_.budget;
  const int64_t bytes = request.method == HttpMethod::kPut
                            ? static_cast<int64_t>(request.body.size())
                            : request.expected_response_bytes;
  Allowance allowance{.without_bytes = MonotonicNow() + patience, .bytes_expected = bytes};
  Easy handle = TakeHandle();
  if (handle == nullptr) return absl::ResourceExhaustedError("libcurl is out of memory");
  Attempt attempt;
  for (int repetition = 0;; ++repetition) {
    attempt = Try(handle.get(), request, allowance);
    if (!attempt.worth_repeating || repetition >= options_.retries) break;
    // Half to all of a time that doubles, so that many clients do not come back at once.
    thread_local std::minstd_rand random(std::random_device{}());
    const absl::Duration longest = std::min(kLongestPause, kFirstPause * std::exp2(repetition));
    const absl::Duration pause = longest * std::uniform_real_distribution<>(0.5, 1)(random);
    if (MonotonicNow() + pause >= allowance.Deadline()) break;
    timing_.pause(pause);
  }
  GiveBack(std::move(handle));
  return std::move(attempt.result);
}

CurlConnection::Attempt CurlConnection::Try(CURL* easy, const HttpRequest& request,
                                            Allowance& allowance) {
  std::string address = AddressOf(request.path);
  HttpUrl target = url_;
  // What errors name: paths of a server that we were redirected to may hold access tokens.
  std::string shown = address;
  for (int redirects = 0;; ++redirects) {
    const absl::Duration now = MonotonicNow();
    if (now >= allowance.Deadline()) {
      return {absl::DeadlineExceededError(absl::StrCat(shown, ": no time left to ask"))};
    }
    Transfer transfer{.easy = easy, .request = request, .allowance = allowance};
    curl_easy_reset(easy);
    SetOptions(easy, transfer, address, url_.MayShareCredentialsWith(target), target.scheme,
               allowance.Until(allowance.bytes_expected) - now);
    char detail[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, detail);
    const CURLcode code = curl_easy_perform(easy);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, nullptr);
    if (transfer.paused_too_long) {
      return {absl::DeadlineExceededError(absl::StrCat(shown, ": the server has been silent for ",
                                                       absl::FormatDuration(options_.timeout)))};
    }
    if (transfer.out_of_time) {
      return {absl::DeadlineExceededError(absl::StrCat(shown, ": the server is slower than ",
                                                       kSlowestUsefulBytesPerSecond >> 10,
                                                       " KiB per second"))};
    }
    if (code != CURLE_OK && !transfer.cut_off) {
      const bool refused_by_proxy = [&] {
        long status = 0;  // NOLINT(google-runtime-int): libcurl's type
        curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
        return status >= 300;
      }();
      return {TransportError(easy, code, detail, shown), IsBroken(code) && !refused_by_proxy};
    }
    HttpResponse& response = transfer.response;
    response.status = StatusOf(easy);
    response.content_length = ContentLengthOf(easy);
    const char* location = nullptr;
    curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &location);
    if (location == nullptr || response.status < 300 || response.status >= 400) {
      const bool repeat = IsWorthRepeating(response.status);
      return {std::move(response), repeat};
    }
    absl::StatusOr<HttpUrl> next = HttpUrl::Parse(HttpUrl::WithoutQuery(location));
    std::string problem;
    if (request.method == HttpMethod::kPut) {
      problem = "only reading follows redirects";
    } else if (redirects >= kMaxRedirects) {
      problem = absl::StrCat("that is redirect number ", redirects + 1);
    } else if (!next.ok()) {
      problem = "that is no http or https address";
    } else if (target.scheme == "https" && next->scheme != "https") {
      problem = "that leads from https to http";
    }
    if (!problem.empty()) {
      return {absl::FailedPreconditionError(absl::StrCat(
          shown, ": the server redirects to ", next.ok() ? next->Origin() : "somewhere", "; ",
          problem, ". Name the right server with --remote_cache"))};
    }
    address = location;
    target = *std::move(next);
    shown = absl::StrCat(AddressOf(request.path), " (redirected to ", target.Origin(), ")");
  }
}

void CurlConnection::SetOptions(CURL* easy, Transfer& transfer, const std::string& address,
                                bool is_own, std::string_view scheme,
                                absl::Duration time_left) const {
  const HttpRequest& request = transfer.request;
  const auto milliseconds = [](absl::Duration duration) {
    // 0 would mean "no limit", and a larger number does not fit everywhere.
    return static_cast<long>(  // NOLINT(google-runtime-int): libcurl's type
        std::clamp<int64_t>(absl::ToInt64Milliseconds(duration), 1, 1'000'000'000));
  };
  curl_easy_setopt(easy, CURLOPT_URL, address.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));  // NOLINT
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "ingot");
  // No signals: other threads and the driver's own handlers would notice.
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // Does not wait for a name that is still being resolved after the time is up.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);

  // One more, so that all of the time has passed when libcurl says that it has.
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds(time_left + absl::Milliseconds(1)));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   milliseconds(std::min({time_left, options_.timeout, options_.connect_timeout})));
  // libcurl's own limit for slow transfers counts in seconds and averages over several.
  transfer.longest_pause = options_.timeout;
  transfer.last_progress = MonotonicNow();
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &Watch);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);

  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Receive);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  switch (request.method) {
    case HttpMethod::kGet:
      curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
      break;
    case HttpMethod::kHead:
      curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
      break;
    case HttpMethod::kPut:
      curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
      curl_easy_setopt(easy, CURLOPT_READFUNCTION, &Give);
      curl_easy_setopt(easy, CURLOPT_READDATA, &transfer);
      curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &Rewind);
      curl_easy_setopt(easy, CURLOPT_SEEKDATA, &transfer);
      curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
                       static_cast<curl_off_t>(request.body.size()));
      break;
  }

  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, (is_own ? own_headers_ : foreign_headers_).get());
  if (is_own && !url_.user.empty()) {
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));  // NOLINT
    curl_easy_setopt(easy, CURLOPT_USERNAME, url_.user.c_str());
    curl_easy_setopt(easy, CURLOPT_PASSWORD, url_.password.c_str());
  } else if (is_own && !options_.netrc_path.empty()) {
    curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));  // NOLINT
    curl_easy_setopt(easy, CURLOPT_NETRC_FILE, options_.netrc_path.c_str());
  }
  if (is_own && !options_.tls_client_certificate.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLCERT, options_.tls_client_certificate.c_str());
    curl_easy_setopt(easy, CURLOPT_SSLKEY, options_.tls_client_key.c_str());
  }
  if (!options_.tls_certificate.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, options_.tls_certificate.c_str());
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  } else if (!authorities_.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, authorities_.c_str());
  }

  // Both are always set: libcurl would ask the environment for what is not.
  std::string_view proxy = options_.proxy;
  if (absl::ConsumePrefix(&proxy, "unix:")) {
    absl::ConsumePrefix(&proxy, "//");
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, std::string(proxy).c_str());
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  } else if (!proxy.empty()) {
    curl_easy_setopt(easy, CURLOPT_PROXY, options_.proxy.c_str());
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  } else {
    curl_easy_setopt(easy, CURLOPT_PROXY,
                     (scheme == "https" ? options_.https_proxy : options_.http_proxy).c_str());
    curl_easy_setopt(easy, CURLOPT_NOPROXY, options_.no_proxy.c_str());
  }
}

bool CurlConnection::HoldsSecret(std::string_view text) const {
  if (!url_.password.empty() && absl::StrContains(text, url_.password)) return true;
  for (const RemoteHeader& header : options_.headers) {
    if (!header.value.empty() && absl::StrContains(text, header.value)) return true;
  }
  for (const std::string* proxy : {&options_.proxy, &options_.http_proxy, &options_.https_proxy}) {
    if (absl::StrContains(*proxy, '@') && absl::StrContains(text, *proxy)) return true;
  }
  return false;
}

absl::Status CurlConnection::TransportError(CURL* easy, CURLcode code, std::string_view detail,
                                            std::string_view address) const {
  if (detail.empty() || HoldsSecret(detail)) detail = curl_easy_strerror(code);
  const std::string message = absl::StrCat(address, ": ", detail);
  long proxy_status = 0;  // NOLINT(google-runtime-int): libcurl's type
  curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
  if (proxy_status >= 300) {
    return absl::FailedPreconditionError(
        absl::StrCat(message, ". Check the proxy (--remote_proxy, https_proxy, no_proxy)"));
  }
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return absl::DeadlineExceededError(message);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return absl::FailedPreconditionError(
          absl::StrCat(message,
                       ". If the server is the right one, name the file with the authority of its "
                       "certificate: --tls_certificate=FILE"));
    case CURLE_SSL_CERTPROBLEM:
      return absl::FailedPreconditionError(
          absl::StrCat(message, ". Check --tls_client_certificate and --tls_client_key"));
    case CURLE_READ_ERROR:
      // The body comes from memory, so what could not be read is the file of credentials.
      return absl::FailedPreconditionError(absl::StrCat(message, ". Check ", options_.netrc_path));
    case CURLE_OUT_OF_MEMORY:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::UnavailableError(message);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpConnection>> HttpConnection::Create(const RemoteOptions& options,
                                                                       HttpTiming timing) {
  ABSL_ASSIGN_OR_RETURN(HttpUrl url, HttpUrl::Parse(options.url));
  for (const RemoteHeader& header : options.headers) {
    if (!IsToken(header.name)) {
      return absl::InvalidArgumentError(
          "--remote_header: the name of a header may hold only letters, digits and -_.~ and the "
          "like; the form is --remote_header=NAME=VALUE");
    }
    if (!IsFieldValue(header.value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--remote_header: the value of ", header.name,
                       " holds a line break or another control character"));
    }
  }
  if (options.tls_client_certificate.empty() != options.tls_client_key.empty()) {
    return absl::InvalidArgumentError(
        "--tls_client_certificate and --tls_client_key are needed both or not at all");
  }
  if (options.proxy == "unix:" || options.proxy == "unix://") {
    return absl::InvalidArgumentError("--remote_proxy=unix: names no socket");
  }
  if (!timing.pause) {
    timing.pause = [](absl::Duration pause) {
      std::this_thread::sleep_for(absl::ToChronoNanoseconds(pause));
    };
  }
  return std::make_unique<CurlConnection>(options, std::move(timing), std::move(url));
}

}  // namespace ingot::cache
