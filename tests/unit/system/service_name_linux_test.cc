#include <catch2/catch.hpp>

#include "system/service_name.h"
#include "system/system_service.h"

namespace longshore::system {
namespace {

TEST_CASE("a name without a suffix is a service's") {
  CHECK(*service_name("iscsid", "test") == "iscsid.service");
  CHECK(*service_name("iscsid.service", "test") == "iscsid.service");
  CHECK(*service_name("MSiSCSI", "test") == "MSiSCSI.service");
  CHECK(*service_name("org.example.Thing", "test") == "org.example.Thing.service");
  CHECK(*service_name("getty@tty1", "test") == "getty@tty1.service");
  CHECK(*service_name("a-b_c:d\\x2de.1", "test") == "a-b_c:d\\x2de.1.service");
  CHECK(*service_name(std::string(247, 'n'), "test") == std::string(247, 'n') + ".service");
}

TEST_CASE("what is no service's name is refused with the reason") {
  struct Case {
    std::string name;
    const char* reason;
  };
  const auto [name, reason] = GENERATE(values<Case>({
      {"", "the name is empty"},
      {".service", "the name is empty"},
      {"@x.service", "begins with"},
      {".hidden", "begins with"},
      {"getty@", "template"},
      {"getty@.service", "template"},
      {"two words", "only letters"},
      {"/etc/passwd", "only letters"},
      {"a*", "only letters"},
      {"a;b", "only letters"},
      {std::string("a\0b", 3), "only letters"},
      {"-.mount", "another kind of unit"},
      {"iscsid.socket", "another kind of unit"},
      {"multi-user.target", "another kind of unit"},
      {"dev-sda.swap", "another kind of unit"},
      {std::string(248, 'n'), "longer than 255"},
      {std::string(5'000'000, 'n'), "longer than 255"},
      {std::string(300, 'n') + ".service", "longer than 255"},
  }));
  const auto unit = service_name(name, "look up");
  REQUIRE_FALSE(unit);
  CHECK(unit.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(unit.error().message(), Catch::StartsWith("cannot look up"));
  CHECK_THAT(unit.error().message(), Catch::Contains(reason));
  CHECK(unit.error().message().size() < 500);
}

TEST_CASE("units of other kinds may be allowed by their whole name") {
  CHECK(*dependant_name("x.target", "test") == "x.target");
  CHECK(*dependant_name("x", "test") == "x.service");
  CHECK_FALSE(dependant_name("x y", "test"));
}

TEST_CASE("the list of allowed services goes by whole names") {
  const auto allowed = *AllowedServices::from({"iscsid", "b.service", "c.target"});
  CHECK(allowed.allows("iscsid.service"));
  CHECK(allowed.allows("b.service"));
  CHECK(allowed.allows("c.target"));
  CHECK_FALSE(allowed.allows("c.service"));
  CHECK_FALSE(allowed.allows("iscsi.service"));
  CHECK_FALSE(allowed.allows("iscsid.socket"));
  CHECK_FALSE(allowed.allows("ISCSID.service"));
  CHECK_FALSE(AllowedServices::from({})->allows("iscsid.service"));
  CHECK(AllowedServices::from({"*"})->allows("anything.service"));
  CHECK_FALSE(AllowedServices::from({"iscsid", "a b"}));
  CHECK_FALSE(AllowedServices::from({""}));
}

}  // namespace
}  // namespace longshore::system
