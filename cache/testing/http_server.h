// An HTTP server in this process that does what a test tells it: also what no decent server does.
//
//   HttpServer server([](const HttpServer::Request& request) {
//     return HttpServer::Response{.status = 503};
//   });
//   options.url = server.url();
//   ...
//   EXPECT_THAT(server.requests(), SizeIs(3));
//
// One thread for each connection; connections are kept open.

#ifndef INGOT_CACHE_TESTING_HTTP_SERVER_H_
#define INGOT_CACHE_TESTING_HTTP_SERVER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ingot::cache {

class HttpServer {
 public:
  struct Request {
    std::string method;
    std::string path;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
    int connection = 0;  // 0 for the first one that was made, and so on

    // "" if there is no such header.
    std::string Header(std::string_view lower_case_name) const;
    // "GET /ac/0123"
    std::string Line() const { return method + " " + path; }
  };

  struct Response {
    int status = 200;
    std::map<std::string, std::string> headers;
    std::string body;

    // What is announced; the length of `body` where this is not set. Of HEAD, all that is said.
    std::optional<int64_t> content_length;
    // Ends the connection after this many bytes of the body.
    std::optional<size_t> cut_after;
    // Says nothing more, after `cut_after` bytes of the body or else instead of an answer, until
    // the client hangs up or the server goes.
    bool stall = false;
    // Ends the connection without an answer.
    bool hang_up = false;
    // Sends `body` again and again, in chunks, until the client hangs up.
    bool endless = false;
    // Called before each of those times, to make a slow server.
    std::function<void()> pace;
    // Bytes in place of an answer.
    std::string raw;
  };

  using Handler = std::function<Response(const Request&)>;

  enum class Security {
    kPlain,
    kTls,
    kMutualTls,  // and the client must show the server's own certificate
  };

  // Listens on a free port of 127.0.0.1. `handler` is called by several threads at once. With TLS
  // the server has a new certificate for 127.0.0.1 and localhost that nobody trusts yet.
  explicit HttpServer(Handler handler, Security security = Security::kPlain);
  // Listens on a socket in the file system.
  HttpServer(Handler handler, const std::string& socket_path);
  // Ends all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  // "http://127.0.0.1:PORT", or https.
  std::string url() const;
  // "127.0.0.1:PORT"
  std::string authority() const;
  // PEM; for those who are to trust the server. Empty without TLS.
  const std::string& certificate() const { return certificate_; }
  const std::string& private_key() const { return private_key_; }

  // All requests so far, in the order in which they were read.
  std::vector<Request> requests() const;
  // "GET /ac/0123" of each.
  std::vector<std::string> lines() const;
  int connections() const;

 private:
  class Stream;

  void UseTls(Security security);
  void Accept();
  void Serve(int socket, int number);
  bool ServeOne(Stream& stream, std::string& buffer, int number);

  const Handler handler_;
  struct Tls;
  std::unique_ptr<Tls> tls_;
  std::string certificate_;
  std::string private_key_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  bool stopping_ = false;
  std::vector<Request> requests_;
  std::map<int, int> sockets_;  // by number of connection
  std::list<std::thread> threads_;
  int connections_ = 0;
  std::thread acceptor_;
};

// The handler of a cache that works: what is stored is there. `prefix` comes before "/ac" and
// "/cas".
class HttpCacheContents {
 public:
  explicit HttpCacheContents(std::string prefix = "") : prefix_(std::move(prefix)) {}

  HttpServer::Response Answer(const HttpServer::Request& request);
  void Set(const std::string& path, std::string_view bytes);
  std::optional<std::string> Get(const std::string& path) const;

 private:
  const std::string prefix_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> contents_;
};

}  // namespace ingot::cache

#endif  // INGOT_CACHE_TESTING_HTTP_SERVER_H_
