// Rules of the configuration as rules of the router: names become ids, words become sets.
#include "router/configured_permissions.h"

#include <catch2/catch.hpp>

namespace longshore::router {

TEST_CASE("Users and groups become ids, and the words for all are no names") {
  const auto permissions = permissions_of(
      "modules.disk.permissions", {{"readers", {"*"}, {}, {"reads_only"}},
                                   {"staff", {"root", "7"}, {"root", "50"}, {"*", "v1.Disk"}}});
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
  CHECK(rules[1].callers.users == std::set<unsigned>{0, 7});
  CHECK(rules[1].callers.groups == std::set<unsigned>{0, 50});
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
