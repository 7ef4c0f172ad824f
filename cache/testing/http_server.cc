#include "cache/testing/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/log/check.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace ingot::cache {
namespace {

constexpr int kNoContent = 204;
constexpr int kNotModified = 304;

// A key and a certificate that it has signed itself, for the loopback addresses.
std::pair<EVP_PKEY*, X509*> NewCertificate() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  CHECK(key != nullptr);
  X509* certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_NAME_new();
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_subject_name(certificate, name);
  X509_set_issuer_name(certificate, name);
  X509_NAME_free(name);
  for (const auto& [id, value] : {std::pair{NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost"},
                                  std::pair{NID_basic_constraints, "critical,CA:TRUE"}}) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value);
    CHECK(extension != nullptr);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  CHECK(X509_sign(certificate, key, EVP_sha256()) != 0);
  return {key, certificate};
}

std::string Pem(absl::FunctionRef<int(BIO*)> write) {
  BIO* memory = BIO_new(BIO_s_mem());
  CHECK(write(memory) == 1);
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(memory, &bytes);
  std::string pem(bytes, static_cast<size_t>(size));
  BIO_free(memory);
  return pem;
}

}  // namespace

struct HttpServer::Tls {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  ~Tls() { SSL_CTX_free(context); }
};

// A connection, with or without TLS.
class HttpServer::Stream {
 public:
  Stream(int socket, SSL_CTX* context) : socket_(socket) {
    if (context == nullptr) return;
    tls_ = SSL_new(context);
    SSL_set_fd(tls_, socket);
    usable_ = SSL_accept(tls_) == 1;
  }
  ~Stream() { SSL_free(tls_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  bool usable() const { return usable_; }

  bool ReadSome(std::string& buffer) {
    char bytes[64 << 10];
    const auto count = tls_ != nullptr ? SSL_read(tls_, bytes, sizeof bytes)
                                       : recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    buffer.append(bytes, static_cast<size_t>(count));
    return true;
  }

  bool Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto count = tls_ != nullptr
                             ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                             : send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  void WaitForEnd() {
    std::string ignored;
    while (ReadSome(ignored)) ignored.clear();
  }

 private:
  const int socket_;
  SSL* tls_ = nullptr;
  bool usable_ = true;
};

std::string HttpServer::Request::Header(std::string_view lower_case_name) const {
  const auto found = headers.find(std::string(lower_case_name));
  return found == headers.end() ? "" : found->second;
}

void HttpServer::UseTls(Security security) {
  const auto [key, certificate] = NewCertificate();
  certificate_ = Pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
  private_key_ = Pem([&](BIO* out) {
    return PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
  tls_ = std::make_unique<Tls>();
  CHECK(SSL_CTX_use_certificate(tls_->context, certificate) == 1);
  CHECK(SSL_CTX_use_PrivateKey(tls_->context, key) == 1);
  if (security == Security::kMutualTls) {
    CHECK(X509_STORE_add_cert(SSL_CTX_get_cert_store(tls_->context), certificate) == 1);
    SSL_CTX_set_verify(tls_->context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  X509_free(certificate);
  EVP_PKEY_free(key);
}

HttpServer::HttpServer(Handler handler, Security security) : handler_(std::move(handler)) {
  if (security != Security::kPlain) UseTls(security);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(listener_ >= 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  CHECK(listen(listener_, 64) == 0);
  CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

HttpServer::HttpServer(Handler handler, const std::string& socket_path)
    : handler_(std::move(handler)) {
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(listener_ >= 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  CHECK_LT(socket_path.size(), sizeof address.sun_path) << "too long: " << socket_path;
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(listen(listener_, 64) == 0);
  acceptor_ = std::thread([this] { Accept(); });
}

HttpServer::~HttpServer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [number, socket] : sockets_) shutdown(socket, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  for (std::thread& thread : threads_) thread.join();
}

std::string HttpServer::authority() const { return absl::StrCat("127.0.0.1:", port_); }

std::string HttpServer::url() const {
  return absl::StrCat(tls_ == nullptr ? "http://" : "https://", authority());
}

std::vector<HttpServer::Request> HttpServer::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<std::string> HttpServer::lines() const {
  std::vector<std::string> lines;
  for (const Request& request : requests()) lines.push_back(request.Line());
  return lines;
}

int HttpServer::connections() const {
  std::lock_guard lock(mutex_);
  return connections_;
}

void HttpServer::Accept() {
  for (;;) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    std::lock_guard lock(mutex_);
    if (stopping_ || socket < 0) {
      if (socket >= 0) close(socket);
      return;
    }
    const int number = connections_++;
    sockets_[number] = socket;
    threads_.emplace_back([this, socket, number] { Serve(socket, number); });
  }
}

void HttpServer::Serve(int socket, int number) {
  // OpenSSL writes to connections that the client has closed.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  {
    Stream stream(socket, tls_ == nullptr ? nullptr : tls_->context);
    std::string buffer;
    while (stream.usable() && ServeOne(stream, buffer, number)) {
    }
  }
  std::lock_guard lock(mutex_);
  sockets_.erase(number);
  close(socket);
}

// False when the connection is to end.
bool HttpServer::ServeOne(Stream& stream, std::string& buffer, int number) {
  constexpr std::string_view kEndOfHead = "\r\n\r\n";
  size_t end;
  while ((end = buffer.find(kEndOfHead)) == std::string::npos) {
    if (!stream.ReadSome(buffer)) return false;
    if (!absl::ascii_isupper(static_cast<unsigned char>(buffer[0]))) {
      // Somebody speaks TLS; real servers answer so.
      stream.Write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
      return false;
    }
  }
  Request request;
  request.connection = number;
  std::vector<std::string> lines;
  for (size_t start = 0; start <= end;) {
    const size_t line_end = buffer.find("\r\n", start);
    lines.push_back(buffer.substr(start, line_end - start));
    start = line_end + 2;
  }
  buffer.erase(0, end + kEndOfHead.size());
  const size_t space = lines[0].find(' ');
  request.method = lines[0].substr(0, space);
  request.path = lines[0].substr(space + 1, lines[0].rfind(' ') - space - 1);
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t colon = lines[i].find(':');
    request.headers[absl::AsciiStrToLower(lines[i].substr(0, colon))] =
        std::string(absl::StripAsciiWhitespace(lines[i].substr(colon + 1)));
  }
  size_t length = 0;
  if (!request.Header("content-length").empty()) {
    CHECK(absl::SimpleAtoi(request.Header("content-length"), &length));
  }
  while (buffer.size() < length) {
    if (!stream.ReadSome(buffer)) return false;
  }
  request.body = buffer.substr(0, length);
  buffer.erase(0, length);
  {
    std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }

  const Response response = handler_(request);
  if (response.hang_up) return false;
  if (!response.raw.empty()) {
    stream.Write(response.raw);
    return false;
  }
  if (response.stall && !response.cut_after) {
    stream.WaitForEnd();
    return false;
  }
  std::string head = absl::StrCat("HTTP/1.1 ", response.status, " Scripted\r\n");
  for (const auto& [name, value] : response.headers)
    absl::StrAppend(&head, name, ": ", value, "\r\n");
  const bool no_body = response.status == kNoContent || response.status == kNotModified;
  if (response.endless) {
    absl::StrAppend(&head, "Transfer-Encoding: chunked\r\n\r\n");
    if (!stream.Write(head)) return false;
    const std::string chunk =
        absl::StrCat(absl::Hex(response.body.size()), "\r\n", response.body, "\r\n");
    do {
      if (response.pace) response.pace();
    } while (stream.Write(chunk));
    return false;
  }
  if (!no_body) {
    absl::StrAppend(&head, "Content-Length: ",
                    response.content_length.value_or(static_cast<int64_t>(response.body.size())),
                    "\r\n");
  }
  absl::StrAppend(&head, "\r\n");
  if (!no_body && request.method != "HEAD") {
    absl::StrAppend(&head,
                    response.body.substr(0, response.cut_after.value_or(response.body.size())));
  }
  // At once: a second write would wait for the client's acknowledgement of the first.
  if (!stream.Write(head)) return false;
  if (response.stall) stream.WaitForEnd();
  return !response.cut_after;
}

HttpServer::Response HttpCacheContents::Answer(const HttpServer::Request& request) {
  std::string_view path = request.path;
  if (!absl::ConsumePrefix(&path, prefix_) ||
      !(absl::StartsWith(path, "/ac/") || absl::StartsWith(path, "/cas/"))) {
    return {.status = 400};
  }
  std::lock_guard lock(mutex_);
  if (request.method == "PUT") {
    const bool added = contents_.insert_or_assign(std::string(path), request.body).second;
    return {.status = added ? 201 : 204};
  }
  const auto found = contents_.find(std::string(path));
  if (found == contents_.end()) return {.status = 404, .body = "<html>not here</html>"};
  return {.status = 200, .body = found->second};
}

void HttpCacheContents::Set(const std::string& path, std::string_view bytes) {
  std::lock_guard lock(mutex_);
  contents_[path] = std::string(bytes);
}

std::optional<std::string> HttpCacheContents::Get(const std::string& path) const {
  std::lock_guard lock(mutex_);
  const auto found = contents_.find(path);
  if (found == contents_.end()) return std::nullopt;
  return found->second;
}

}  // namespace ingot::cache
