// Clients of other users than the test's own, which is root.
#pragma once

#include <grp.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/test_client.h"

namespace longshore::test {

inline constexpr unsigned kNobody = 65534;
inline constexpr unsigned kDaemon = 1;
inline constexpr unsigned kGames = 60;

// A client as another user sees it: the system notes who connects at the moment of connecting.
inline std::unique_ptr<TestClient> client_of(const std::string& socket, unsigned user,
                                             unsigned group,
                                             const std::vector<gid_t>& more_groups = {}) {
  const int process_groups = getgroups(0, nullptr);
  std::vector<gid_t> before(static_cast<size_t>(process_groups));
  REQUIRE(getgroups(process_groups, before.data()) == process_groups);
  REQUIRE(setgroups(more_groups.size(), more_groups.data()) == 0);
  REQUIRE(setegid(group) == 0);
  REQUIRE(seteuid(user) == 0);
  std::unique_ptr<TestClient> client;
  try {
    client = std::make_unique<TestClient>(socket);
  } catch (const std::exception& error) {
    UNSCOPED_INFO(error.what());
  }
  REQUIRE(seteuid(0) == 0);
  REQUIRE(setegid(0) == 0);
  REQUIRE(setgroups(before.size(), before.data()) == 0);
  REQUIRE(client);
  return client;
}

}  // namespace longshore::test
