// How a node and a target prove to each other who they are.
//
// Owner: one holder, for it has secrets in it; they are wiped with it. Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longshore/result.hpp"
#include "support/secret.h"

namespace longshore::iscsi {

// By csi-proxy's numbers.
enum class Authentication { kNone = 0, kOneWayChap = 1, kMutualChap = 2 };

// One side's name and secret (CHAP, RFC 1994).
struct Credentials {
  std::string username;
  support::Secret secret;
};

struct Login {
  std::optional<Credentials> initiator;  // this node's: none is no authentication
  // What the target has to prove; only with `initiator`. Empty where the system keeps it.
  std::optional<Credentials> target;
};

// INVALID_ARGUMENT for a number that csi-proxy does not define.
Result<Authentication> parse_authentication(int number);

// INVALID_ARGUMENT: no name, one of more than 255 bytes, or one that cannot stand in a line.
Result<void> check_username(const std::string& username);

// INVALID_ARGUMENT for a secret that has not 12 to 16 bytes (RFC 7143 asks for 12 where IPsec does
// not protect the connection, and Windows' initiator, whose API this is, takes no more than 16), or
// that cannot stand in a line. `whose` completes "the ... CHAP secret"; the secret itself is in no
// error.
Result<void> check_secret(const support::Secret& secret, const std::string& whose);

}  // namespace longshore::iscsi
