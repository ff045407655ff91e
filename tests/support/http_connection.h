// An HTTP client's side of one connection, byte by byte: so that a test can do it wrongly.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace longshore::test {

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // the names in lower case
  std::string body;
};

// Threads: one. What is waited for comes within 30 seconds, or the functions throw.
class HttpConnection {
 public:
  // To a loopback port, from a loopback address, or to a Unix socket.
  explicit HttpConnection(uint16_t port, const std::string& from = "127.0.0.1");
  explicit HttpConnection(const std::string& path);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // False when the server has closed the connection.
  bool send(std::string_view bytes);
  void finish_sending();

  // The next response; one to HEAD has no body.
  HttpResponse read(bool to_head = false);
  // What comes until the server closes the connection.
  std::string read_to_end();
  // Whether the server closes the connection, or sends something, within this time.
  bool hears(std::chrono::milliseconds time) const;

  HttpResponse get(const std::string& path, const std::string& more_headers = {});

 private:
  // Reads some more; false at the end.
  bool receive();

  int socket_ = -1;
  std::string received_;
};

// One GET on a connection of its own.
inline HttpResponse http_get(uint16_t port, const std::string& path,
                             const std::string& more_headers = {}) {
  return HttpConnection(port).get(path, more_headers);
}

}  // namespace longshore::test
