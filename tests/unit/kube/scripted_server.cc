#include "tests/unit/kube/scripted_server.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace longshore::test {

namespace asio = boost::asio;
using boost::system::error_code;

bool ServerSide::begin_tls(asio::ssl::context& context) {
  tls_.emplace(socket_, context);
  error_code error;
  tls_->handshake(asio::ssl::stream_base::server, error);
  return !error;
}

bool ServerSide::receive() {
  std::array<char, 4096> bytes;
  error_code error;
  const size_t size = tls_ ? tls_->read_some(asio::buffer(bytes), error)
                           : socket_.read_some(asio::buffer(bytes), error);
  received_.append(bytes.data(), size);
  return !error;
}

std::string ServerSide::read_request() {
  size_t end = std::string::npos;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive()) return {};
  }
  end += 4;
  const std::string length = "Content-Length: ";
  const size_t at = received_.find(length);
  if (at < end) end += std::stoul(received_.substr(at + length.size()));
  while (received_.size() < end) {
    if (!receive()) return {};
  }
  std::string request = received_.substr(0, end);
  received_.erase(0, end);
  return request;
}

void ServerSide::write(std::string_view bytes) {
  error_code error;
  if (tls_) {
    asio::write(*tls_, asio::buffer(bytes), error);
  } else {
    asio::write(socket_, asio::buffer(bytes), error);
  }
  if (error) is_gone_ = true;
}

void ServerSide::answer(int status, std::string_view body, std::string_view headers) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " Text\r\n";
  text += headers;
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  write(text.append(body));
}

void ServerSide::wait_for_end() {
  while (receive()) received_.clear();
}

ScriptedServer::ScriptedServer(Options options, Script script)
    : options_(std::move(options)), script_(std::move(script)) {
  if (options_.certificate) {
    tls_.emplace(asio::ssl::context::tls_server);
    tls_->use_certificate_chain(asio::buffer(options_.certificate->pem()));
    tls_->use_private_key(asio::buffer(options_.certificate->key_pem()), asio::ssl::context::pem);
    if (!options_.client_authority.empty()) {
      tls_->add_certificate_authority(asio::buffer(options_.client_authority));
      tls_->set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    }
  }
  const asio::ip::tcp::endpoint any_port(asio::ip::address_v4::loopback(), 0);
  acceptor_.open(any_port.protocol());
  acceptor_.bind(any_port);
  acceptor_.listen();
  port_ = acceptor_.local_endpoint().port();
  accepting_ = std::thread([this] { accept(); });
}

ScriptedServer::~ScriptedServer() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
  accepting_.join();
  // Those that wait for something see the end; the sockets themselves are closed behind them.
  for (const auto& socket : sockets_) ::shutdown(socket->native_handle(), SHUT_RDWR);
  for (std::thread& thread : threads_) thread.join();
}

int ScriptedServer::connections() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(sockets_.size());
}

ScriptedServer::Script ScriptedServer::answering(
    std::function<void(ServerSide&, const std::string&)> answer) {
  return [answer = std::move(answer)](ServerSide& side) {
    for (std::string request; !(request = side.read_request()).empty();) answer(side, request);
  };
}

void ScriptedServer::accept() {
  for (;;) {
    auto socket = std::make_shared<ServerSide::Socket>(io_);
    error_code error;
    acceptor_.accept(*socket, error);
    const std::lock_guard lock(mutex_);
    if (is_ending_) return;
    if (error) continue;
    sockets_.push_back(socket);
    const int number = static_cast<int>(sockets_.size());
    threads_.emplace_back([this, socket, number] { serve(socket, number); });
  }
}

void ScriptedServer::serve(const std::shared_ptr<ServerSide::Socket>& socket, int number) {
  ServerSide side(*socket, number);
  if (!options_.shakes_hands) {
    side.wait_for_end();
  } else if (!tls_ || side.begin_tls(*tls_)) {
    script_(side);
  }
  // The client hears of it; the number stays taken until all threads have ended.
  ::shutdown(socket->native_handle(), SHUT_RDWR);
  ++closed_;
}

}  // namespace longshore::test
