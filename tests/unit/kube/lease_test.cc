// What of a lease is read however it is written.
#include "kube/lease.h"

#include <catch2/catch.hpp>

namespace longshore::kube {

TEST_CASE("A lease whose record is missing or of other types is nobody's") {
  for (const std::string spec : {"", R"(,"spec":null)", R"(,"spec":[])", R"(,"spec":{})",
                                 R"(,"spec":{"holderIdentity":1,"leaseDurationSeconds":"15"})",
                                 R"(,"spec":{"holderIdentity":"","leaseDurationSeconds":-3})"}) {
    INFO(spec);
    const auto lease = parse_lease(R"({"kind":"Lease","metadata":{"name":"l"})" + spec + "}");
    REQUIRE(lease);
    CHECK(lease->holder.empty());
    CHECK(lease->duration.count() == 0);
    LeaseClaim claim;
    claim.holder = "me";
    const auto claimed = parse_lease(claimed_lease(*lease, claim, {}));
    REQUIRE(claimed);
    CHECK(claimed->holder == "me");
    CHECK(claimed->duration == claim.duration);
  }
  CHECK_FALSE(parse_lease("[]"));
  CHECK_FALSE(parse_lease(R"({"kind":"Lease","metadata":{}})"));
}

}  // namespace longshore::kube
