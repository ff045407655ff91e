#include "support/linux/host_addresses.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

namespace longshore::support {

Error no_addresses(const std::string& host, const char* operation, int failure, int system_error) {
  switch (failure) {
    case EAI_NONAME:
    case EAI_NODATA:
      return Error(StatusCode::kUnavailable, operation, host)
          .because("this node knows no such name")
          .advise(
              "names of cluster services do not resolve on the node; use the address of the "
              "service or a name that the node's own name server knows");
    case EAI_AGAIN:
      return Error(StatusCode::kUnavailable, operation, host)
          .because("the node's name server does not answer")
          .advise("try again, or use the address in place of the name");
    case EAI_MEMORY:
      return Error(StatusCode::kResourceExhausted, operation, host)
          .because(::gai_strerror(failure));
    case EAI_SYSTEM:
      return Error(StatusCode::kUnavailable, operation, host)
          .because(std::error_code(system_error, std::generic_category()));
    default:
      return Error(StatusCode::kUnavailable, operation, host)
          .because(::gai_strerror(failure))
          .advise("try again, or use the address in place of the name");
  }
}

Result<std::vector<std::string>> addresses_of(const std::string& host, const char* operation) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int failure = ::getaddrinfo(host.c_str(), nullptr, &hints, &list); failure != 0) {
    return no_addresses(host, operation, failure, errno);
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    char text[NI_MAXHOST];
    if (::getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof(text), nullptr, 0,
                      NI_NUMERICHOST) == 0 &&
        std::ranges::find(addresses, text) == addresses.end()) {
      addresses.emplace_back(text);
    }
  }
  if (addresses.empty()) return no_addresses(host, operation, EAI_NONAME, 0);
  return addresses;
}

std::string shortest_address(const std::string& address) {
  in6_addr bytes{};
  char text[INET6_ADDRSTRLEN];
  const std::string plain = address.substr(0, address.find('%'));
  if (::inet_pton(AF_INET6, plain.c_str(), &bytes) != 1 ||
      ::inet_ntop(AF_INET6, &bytes, text, sizeof(text)) == nullptr) {
    return address;
  }
  return text;
}

}  // namespace longshore::support
