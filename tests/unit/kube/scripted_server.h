// An HTTP server, in TLS or plain, that does on each connection what a test has written down: also
// what no server should.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/unit/kube/certificates.h"

namespace longshore::test {

// The server's side of a connection. Threads: the connection's own.
class ServerSide {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  ServerSide(Socket& socket, int number) : socket_(socket), number_(number) {}

  // Which connection of the server it is, from 1 on.
  int number() const { return number_; }
  bool begin_tls(boost::asio::ssl::context& context);
  // Head and body; empty when the client has gone.
  std::string read_request();
  void write(std::string_view bytes);
  // Whether a write has failed.
  bool is_gone() const { return is_gone_; }
  // A whole answer.
  void answer(int status, std::string_view body, std::string_view headers = {});
  // Until the client closes the connection.
  void wait_for_end();

 private:
  bool receive();

  Socket& socket_;
  const int number_;
  std::optional<boost::asio::ssl::stream<Socket&>> tls_;
  std::string received_;
  bool is_gone_ = false;
};

// Threads: one for each connection; the functions any. Owner: the test.
class ScriptedServer {
 public:
  struct Options {
    std::optional<Certificate> certificate;  // none: plain http
    std::string client_authority;            // PEM; clients need a certificate of it
    bool shakes_hands = true;                // false: says nothing at all
  };
  using Script = std::function<void(ServerSide&)>;

  ScriptedServer(Options options, Script script);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  uint16_t port() const { return port_; }
  int connections() const;
  // Of these, how many the server has closed.
  int closed() const { return closed_; }

  // For scripts that answer, as long as the client asks.
  static Script answering(std::function<void(ServerSide&, const std::string& request)> answer);

 private:
  void accept();
  void serve(const std::shared_ptr<ServerSide::Socket>& socket, int number);

  const Options options_;
  const Script script_;
  boost::asio::io_context io_;
  std::optional<boost::asio::ssl::context> tls_;
  boost::asio::ip::tcp::acceptor acceptor_{io_};
  uint16_t port_ = 0;
  mutable std::mutex mutex_;
  bool is_ending_ = false;
  std::atomic<int> closed_ = 0;
  std::vector<std::shared_ptr<ServerSide::Socket>> sockets_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

}  // namespace longshore::test
