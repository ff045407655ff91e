// Users and groups that a configuration names by their numbers.
#include "config/user_names.h"

#include <catch2/catch.hpp>

namespace longshore::config {
namespace {

TEST_CASE("A number is a user or a group, but for the one that the system takes for none") {
  CHECK(*user_id_of("4294967294") == 4294967294u);
  CHECK(*group_id_of("4294967294") == 4294967294u);
  for (const auto& found : {user_id_of("4294967295"), group_id_of("4294967295")}) {
    REQUIRE_FALSE(found);
    CHECK(found.error().code() == StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace longshore::config
