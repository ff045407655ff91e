// The addresses of a server, which the kernel and iscsiadm have to be told: they look up no names.
//
// Threads: any number at once.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::support {

// In the order in which they are to be tried, without repetitions. Takes as long as the node's
// resolver does: abandonable_calls.h bounds that. `operation` completes "cannot ...". UNAVAILABLE:
// the node knows no such name, or its name server does not say. Not NOT_FOUND, which callers take
// for the share or the target.
Result<std::vector<std::string>> addresses_of(const std::string& host, const char* operation);

// The address as addresses_of() writes it, without a zone: "fe80::1" for
// "fe80:0000:0000:0000:0000:0000:0000:0001". What is no address stays as it is.
std::string shortest_address(const std::string& address);

// Why a host has no addresses, by what getaddrinfo returned and, for EAI_SYSTEM, errno.
Error no_addresses(const std::string& host, const char* operation, int failure, int system_error);

}  // namespace longshore::support
