#include "tests/support/http_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace longshore::test {
namespace {

constexpr std::chrono::seconds kPatience{30};

template <typename Address>
int connected(int family, const Address& address, const Address* from = nullptr) {
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 ||
      (from && bind(descriptor, reinterpret_cast<const sockaddr*>(from), sizeof(*from)) != 0) ||
      connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    throw std::system_error(error, std::generic_category(), "connect for HTTP");
  }
  return descriptor;
}

HttpResponse parse_head(const std::string& head) {
  HttpResponse response;
  std::istringstream lines(head);
  std::string version;
  lines >> version >> response.status;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (line.ends_with('\r')) line.pop_back();
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) throw std::runtime_error("no header: " + line);
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    response.headers[name] = line.substr(colon + 2);
  }
  return response;
}

}  // namespace

HttpConnection::HttpConnection(uint16_t port, const std::string& from) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  if (inet_pton(AF_INET, from.c_str(), &own.sin_addr) != 1) {
    throw std::invalid_argument("no address of IPv4: " + from);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socket_ = connected(AF_INET, address, &own);
}

HttpConnection::HttpConnection(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  socket_ = connected(AF_UNIX, address);
}

HttpConnection::~HttpConnection() { close(socket_); }

bool HttpConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void HttpConnection::finish_sending() { shutdown(socket_, SHUT_WR); }

bool HttpConnection::hears(std::chrono::milliseconds time) const {
  pollfd wanted{socket_, POLLIN, 0};
  return poll(&wanted, 1, static_cast<int>(time.count())) > 0;
}

bool HttpConnection::receive() {
  if (!hears(kPatience)) throw std::runtime_error("the server says nothing");
  char bytes[65536];
  const ssize_t size = recv(socket_, bytes, sizeof(bytes), 0);
  if (size <= 0) return false;  // a reset is an end too
  received_.append(bytes, static_cast<size_t>(size));
  return true;
}

HttpResponse HttpConnection::read(bool to_head) {
  size_t head_end = 0;
  while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive()) throw std::runtime_error("the connection ended before an answer");
  }
  HttpResponse response = parse_head(received_.substr(0, head_end));
  received_.erase(0, head_end + 4);
  const auto length = response.headers.find("content-length");
  if (to_head || length == response.headers.end()) return response;
  const size_t size = std::stoul(length->second);
  while (received_.size() < size) {
    if (!receive()) throw std::runtime_error("the connection ended in an answer");
  }
  response.body = received_.substr(0, size);
  received_.erase(0, size);
  return response;
}

std::string HttpConnection::read_to_end() {
  while (receive()) {
  }
  return std::exchange(received_, {});
}

HttpResponse HttpConnection::get(const std::string& path, const std::string& more_headers) {
  send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more_headers + "\r\n");
  return read();
}

}  // namespace longshore::test
