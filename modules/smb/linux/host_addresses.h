// The addresses of a file server, which the kernel has to be told: it looks up no names.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::smb {

// In the order in which they are to be tried, without repetitions. Takes as long as the node's
// resolver does.
Result<std::vector<std::string>> addresses_of(const std::string& host);

// The address as addresses_of() writes it, without a zone: "fe80::1" for
// "fe80:0000:0000:0000:0000:0000:0000:0001". What is no address stays as it is.
std::string shortest_address(const std::string& address);

// Why a host has no addresses, by getaddrinfo's answer and, for EAI_SYSTEM, errno.
Error no_addresses(const std::string& host, int answer, int system_error);

}  // namespace longshore::smb
