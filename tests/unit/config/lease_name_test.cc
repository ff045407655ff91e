#include "config/lease_name.h"

#include <catch2/catch.hpp>

namespace longshore::config {

TEST_CASE("Names of leases are those that upstream's sidecars make") {
  CHECK(sanitized_lease_name("external-attacher-leader-hostpath.csi.k8s.io") ==
        "external-attacher-leader-hostpath-csi-k8s-io");
  CHECK(sanitized_lease_name("A/b_\xc3\xa4") == "A-b--X");
  CHECK(sanitized_lease_name("a-") == "a-X");
  CHECK(sanitized_lease_name("").empty());
}

}  // namespace longshore::config
