// A node whose portal is known, on a stand-in for open-iscsi, and the logins that its tests use.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/iscsi/worlds.h"

namespace longshore::iscsi {

inline Login chap(const std::string& secret = kNodeSecret) {
  Login login;
  login.initiator = Credentials{"node", support::Secret::copy_of(secret)};
  return login;
}

inline Login mutual_chap(const std::string& target_secret = kTargetSecret) {
  Login login = chap();
  login.target = Credentials{the_target().name, support::Secret::copy_of(target_secret)};
  return login;
}

// A node whose portal is known.
class Connected {
 public:
  explicit Connected(const TargetSetup& setup = {}) {
    open_iscsi_.offer(the_target(), setup);
    REQUIRE(backend_.add_portal(the_target().portal, {}));
  }

  OpenIscsiStandIn& open_iscsi() { return open_iscsi_; }
  IscsiBackendLinux& backend() { return backend_; }
  Result<void> connect(const Login& login) { return backend_.connect(the_target(), login, {}); }
  Result<void> disconnect() { return backend_.disconnect(the_target(), {}); }
  // What was started since the last time it was asked.
  std::vector<std::string> new_calls() {
    std::vector<std::string> calls = open_iscsi_.calls();
    calls.erase(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(seen_));
    seen_ += calls.size();
    return calls;
  }

 private:
  OpenIscsiStandIn open_iscsi_;
  IscsiBackendLinux backend_{open_iscsi_.options()};
  size_t seen_ = 0;
};

}  // namespace longshore::iscsi
