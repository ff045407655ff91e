// Names of services on Windows.
#include <catch2/catch.hpp>

#include "system/service_name.h"
#include "system/system_service.h"

namespace longshore::system {
namespace {

TEST_CASE("a service's name is taken as it is") {
  const std::string name = GENERATE(as<std::string>{}, "MSiSCSI", "W32Time", "a b", "a.service",
                                    "Dienst\xc3\xbc", "a*?:|<>\"", std::string(256, 'n'));
  for (const auto& taken : {service_name(name, "test"), dependant_name(name, "test")}) {
    REQUIRE((taken ? "" : taken.error().message()) == "");
    CHECK(*taken == name);
  }
}

TEST_CASE("what the manager would refuse is refused with the reason") {
  const auto [name, reason] = GENERATE(table<std::string, const char*>({
      {"", "the name is empty"},
      {"a/b", "no slash"},
      {"..\\a", "no backslash"},
      {"a\nb", "no control character"},
      {std::string("a\0b", 3), "no control character"},
      {"caf\xe9", "no UTF-8"},
      {"\xed\xa0\x80", "no UTF-8"},
      {std::string(257, 'n'), "longer than 256"},
      {std::string(5'000'000, 'n'), "longer than 256"},
  }));
  const auto refused = service_name(name, "look up");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(refused.error().message(), Catch::StartsWith("cannot look up"));
  CHECK_THAT(refused.error().message(), Catch::Contains(reason));
  CHECK(refused.error().message().size() < 500);
}

TEST_CASE("the list of allowed services does not look at letter case") {
  const auto allowed = *AllowedServices::from({"MSiSCSI", "Dienst \xc3\x9c"});
  CHECK(allowed.allows("msiscsi"));
  CHECK(allowed.allows("dienst \xc3\xbc"));
  CHECK_FALSE(allowed.allows("MSiSCSI.service"));
  CHECK_FALSE(allowed.allows("MSiSCS"));
  CHECK_FALSE(AllowedServices::from({})->allows("MSiSCSI"));
  CHECK(AllowedServices::from({"*"})->allows("anything"));
  CHECK_FALSE(AllowedServices::from({"a/b"}));
  CHECK_FALSE(AllowedServices::from({""}));
}

}  // namespace
}  // namespace longshore::system
