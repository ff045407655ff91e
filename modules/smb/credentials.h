// Whom a share is mapped for: what the server is told, and nobody else.
//
// Threads: a plain value. Owner: exactly one; overwritten when it is let go. Neither name nor
// password stands in any error.
#pragma once

#include <string>

#include "longshore/result.hpp"
#include "support/secret.h"

namespace longshore::smb {

class Credentials {
 public:
  // Nobody: for shares that are open to guests.
  Credentials() = default;

  // Takes both over: they are wiped, also on failure. `domain\user` is taken apart, `user@domain`
  // is the server's to understand. An empty name is nobody, whatever the password. INVALID_ARGUMENT
  // for what no server would see as it is: a NUL or control character in the name, a NUL in the
  // password, or too many bytes.
  static Result<Credentials> take(std::string& name, std::string& password);

  // Another owner of the same, to be wiped on its own.
  Credentials copy() const;

  bool is_nobody() const { return user_.empty(); }
  const std::string& user() const { return user_.text(); }
  const std::string& domain() const { return domain_.text(); }  // "" when none was given
  const std::string& password() const { return password_.text(); }

 private:
  support::Secret user_;
  support::Secret domain_;
  support::Secret password_;
};

}  // namespace longshore::smb
