#include "kube/server_address.h"

#include <catch2/catch.hpp>

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("An API server's address is a scheme, a host, a port and maybe a path") {
  const auto address = parse_server_address("https://[::1]:6443/clusters/a/");
  REQUIRE(address);
  CHECK(address->has_tls);
  CHECK(address->host == "::1");
  CHECK(address->is_ip_address());
  CHECK(address->port == 6443);
  CHECK(address->path == "/clusters/a");
  CHECK(address->host_and_port() == "[::1]:6443");
  const auto plain = parse_server_address("http://localhost");
  REQUIRE(plain);
  CHECK_FALSE(plain->has_tls);
  CHECK_FALSE(plain->is_ip_address());
  CHECK(plain->text() == "http://localhost:80");
  CHECK(parse_server_address("https://api.example")->port == 443);
  CHECK(parse_server_address("https://[::1]")->port == 443);
}

TEST_CASE("Addresses that are none are refused, and what may be a password not repeated") {
  for (const char* bad : {"", "api.example:6443", "ftp://localhost"}) {
    INFO(bad);
    CHECK_FALSE(parse_server_address(bad));
  }
  const std::string scheme = "https://";
  for (const char* bad : {"", ":443", "[::1", "::1", "[localhost]", "a b", "localhost:0",
                          "localhost:65536", "localhost:", "localhost:1:2", "localhost?x=1",
                          "localhost/a\r\nHost: b", "localhost/a#b"}) {
    INFO(bad);
    CHECK_FALSE(parse_server_address(scheme + bad));
  }
  const auto refused = parse_server_address(scheme + "me:hunter2@localhost");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Contains("it has a user name") && !Contains("hunter2"));
}

}  // namespace
}  // namespace longshore::kube
