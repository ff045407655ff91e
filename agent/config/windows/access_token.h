// Who a process or a thread acts for, as its access token says it.
//
// Threads: like any value, one at a time.
#pragma once

#include <windows.h>

#include <optional>
#include <string>
#include <vector>

#include "config/user_id.h"
#include "longshore/windows/handle.hpp"

namespace longshore::config {

// "S-1-5-18"; "" for what is no identifier.
std::string text_of_sid(PSID sid);

class AccessToken {
 public:
  // Nothing where the system does not give it: GetLastError() says why.
  static std::optional<AccessToken> of_process(HANDLE process);
  // That of the client whom this thread impersonates.
  static std::optional<AccessToken> of_this_thread();

  // "" where the system does not tell.
  UserId user() const;
  // Those that are enabled. A group that is there only to be denied something is none.
  std::vector<UserId> groups() const;
  // Nobody: a client that does not let itself be impersonated.
  bool is_anonymous() const;
  // The system's account, or a member of Administrators who is elevated.
  bool is_privileged() const;

 private:
  explicit AccessToken(Handle token) : token_(std::move(token)) {}
  std::vector<char> ask(TOKEN_INFORMATION_CLASS what) const;

  Handle token_;
};

}  // namespace longshore::config
