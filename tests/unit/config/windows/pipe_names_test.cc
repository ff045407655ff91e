// The names of pipes that endpoints have, as configurations for Windows say them.
#include <catch2/catch.hpp>
#include <string>

#include "config/load.h"
#include "tests/unit/config/fake_catalog.h"

namespace longshore::config::test {
namespace {

std::string endpoint_at(const std::string& name, const std::string& pipe) {
  return "[endpoints." + name + "]\naddress = \"npipe:////./pipe/" + pipe +
         "\"\nservices = [\"v1.Disk\"]\n";
}

std::string finding_of_endpoints(const std::string& endpoints) {
  FakeCatalog catalog;
  const auto loaded = load_text(endpoints + "[modules.disk]\n", "agent.toml", catalog);
  return loaded ? std::string("none") : loaded.error().message();
}

}  // namespace

TEST_CASE("an endpoint has none of the agent's own pipes, in whatever letter case") {
  for (const std::string pipe : {"csi-proxy-disk-v1", "CSI-Proxy-Disk-V1"}) {
    CHECK(finding_of_endpoints(endpoint_at("a", pipe)) ==
          R"(agent.toml:2:11: the endpoint "a" has a pipe whose name begins with )"
          R"("\\\\.\\pipe\\csi-proxy-", as the agent's own; use another name)");
  }
  CHECK_THAT(finding_of_endpoints(endpoint_at("a", "Longshore/Control")),
             Catch::Contains(R"(begins with "\\\\.\\pipe\\longshore\\")"));
  CHECK(finding_of_endpoints(endpoint_at("a", "csi-proxy") + endpoint_at("b", "longshore")) ==
        "none");
  CHECK(finding_of_endpoints("[endpoints]\ncsi_proxy = false\n" +
                             endpoint_at("a", "csi-proxy-disk-v1")) == "none");
}

TEST_CASE("two endpoints have not one pipe, in whatever letter case") {
  CHECK_THAT(finding_of_endpoints(endpoint_at("a", "disks") + endpoint_at("b", "Disks")),
             Catch::Contains(R"(the endpoint "b" has the address of the endpoint "a")"));
}

}  // namespace longshore::config::test
