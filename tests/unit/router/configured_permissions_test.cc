// Rules of the configuration as rules of the router: names become ids, words become sets.
#include "router/configured_permissions.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace longshore::router {
namespace {

using config::UserId;

// A user and a group by name, others by id, and the ids of the first two.
#if defined(_WIN32)
const std::string kUserName = "NT AUTHORITY\\SYSTEM", kGroupName = "BUILTIN\\Administrators";
const std::string kOtherUser = "S-1-5-19", kOtherGroup = "S-1-5-32-545";
const UserId kUserId = "S-1-5-18", kGroupId = "S-1-5-32-544";
const UserId kOtherUserId = kOtherUser, kOtherGroupId = kOtherGroup;
#else
const std::string kUserName = "root", kGroupName = "root", kOtherUser = "7", kOtherGroup = "50";
const UserId kUserId = 0, kGroupId = 0, kOtherUserId = 7, kOtherGroupId = 50;
#endif

}  // namespace

TEST_CASE("Users and groups become ids, and the words for all are no names") {
  const auto permissions = permissions_of(
      "modules.disk.permissions",
      {{"readers", {"*"}, {}, {"reads_only"}},
       {"staff", {kUserName, kOtherUser}, {kGroupName, kOtherGroup}, {"*", "v1.Disk"}}});
  REQUIRE(permissions);
  CHECK((*permissions)->key == "modules.disk.permissions");
  const auto& rules = (*permissions)->rules;
  REQUIRE(rules.size() == 2);
  CHECK(rules[0].callers.everybody);
  CHECK(rules[0].callers.users.empty());
  CHECK(rules[0].methods.reads_only);
  CHECK_FALSE(rules[0].methods.all);
  CHECK(rules[0].methods.names.empty());
  CHECK_FALSE(rules[1].callers.everybody);
  CHECK(rules[1].callers.users == std::set<UserId>{kUserId, kOtherUserId});
  CHECK(rules[1].callers.groups == std::set<UserId>{kGroupId, kOtherGroupId});
  CHECK(rules[1].methods.all);
  CHECK(rules[1].methods.names == std::set<std::string, std::less<>>{"v1.Disk"});
}

TEST_CASE("No rules are no rules, and a name that nobody knows is an error") {
  const auto none = permissions_of("modules.disk.permissions", {});
  REQUIRE(none);
  CHECK((*none)->rules.empty());
  CHECK_FALSE(permissions_of("k", {{"a", {"no-such-user-here"}, {}, {"*"}}}));
  CHECK_FALSE(permissions_of("k", {{"a", {}, {"no-such-group-here"}, {"*"}}}));
  CHECK_FALSE(permissions_of("k", {{"a", {}, {"*"}, {"*"}}}));
}

}  // namespace longshore::router
