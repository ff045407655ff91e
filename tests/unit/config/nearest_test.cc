#include <algorithm>
#include <catch2/catch.hpp>

#include "config/schema.h"

namespace longshore::config {

TEST_CASE("the nearest key is the one with the fewest slips of the finger") {
  const std::vector<std::string> keys = {"enabled", "library", "isolation", "max_stuck_calls"};
  CHECK(nearest("enabeld", keys) == "enabled");
  CHECK(nearest("enable", keys) == "enabled");
  CHECK(nearest("librarry", keys) == "library");
  CHECK(nearest("Isolation", keys) == "isolation");
  CHECK(nearest("maxstuckcalls", keys) == "max_stuck_calls");
}

TEST_CASE("nothing is suggested for a key that is like no other") {
  const std::vector<std::string> keys = {"enabled", "library"};
  CHECK(nearest("colour", keys).empty());
  CHECK(nearest("", keys).empty());
  CHECK(nearest("x", {}).empty());
  CHECK(nearest(std::string(100'000, 'e'), keys).empty());
}

TEST_CASE("names of endpoints and modules are plain enough for a path and a key") {
  for (const auto* name : {"a", "disk", "disk-2", "disk_b"}) CHECK(is_name(name));
  for (const auto* name : {"", "Disk", "2disk", "-a", "_a", "a.b", "a/b", "a b", "\u00e4"}) {
    CAPTURE(name);
    CHECK_FALSE(is_name(name));
  }
}

TEST_CASE("every key of the schema has a name of its own and says what it means") {
  const auto check = [](const auto& keys) {
    std::vector<std::string> names;
    for (const auto& key : keys) {
      CAPTURE(key.schema.name);
      CHECK(key.schema.doc.ends_with('.'));
      CHECK(std::find(names.begin(), names.end(), key.schema.name) == names.end());
      names.push_back(key.schema.name);
    }
    CHECK_FALSE(names.empty());
  };
  check(section_keys(AgentSettings{}));
  check(section_keys(LogSettings{}));
  check(section_keys(HttpSettings{}));
  check(section_keys(AuditSettings{}));
  check(section_keys(SignatureSettings{}));
  check(section_keys(LimitSettings{}));
  check(section_keys(CsiProxySettings{}));
  check(section_keys(AccessSettings{}));
  check(section_keys(PermissionRule{}));
  check(section_keys(EndpointSettings{}));
  check(section_keys(ModuleSettings{}));
  check(section_keys(MethodSettings{}));
  check(section_keys(ProcessSettings{}));
}

}  // namespace longshore::config
