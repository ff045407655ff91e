#include "config/http_address.h"

#include <catch2/catch.hpp>

#include "config/load.h"
#include "fake_catalog.h"

namespace longshore::config::test {
namespace {

Result<Configuration> load_http_section(const std::string& lines) {
  FakeCatalog catalog;
  return load_text("[agent.http]\n" + lines, "agent.toml", catalog);
}

}  // namespace

TEST_CASE("addresses for HTTP are numbers or localhost, with a port, or a Unix socket") {
  const struct {
    const char* text;
    const char* host;
    uint16_t port;
    bool is_loopback;
  } cases[] = {{"127.0.0.1:9809", "127.0.0.1", 9809, true}, {"localhost:0", "127.0.0.1", 0, true},
               {"127.1.2.3:1", "127.1.2.3", 1, true},       {"[::1]:65535", "::1", 65535, true},
               {"0.0.0.0:80", "0.0.0.0", 80, false},        {"[::]:80", "::", 80, false},
               {"192.0.2.1:80", "192.0.2.1", 80, false}};
  for (const auto& each : cases) {
    INFO(each.text);
    const auto address = parse_http_address(each.text);
    REQUIRE(address);
    CHECK(address->host == each.host);
    CHECK(address->port == each.port);
    CHECK(address->is_loopback == each.is_loopback);
    CHECK(address->unix_path.empty());
  }
  CHECK(parse_http_address("unix:///run/x.sock")->unix_path == "/run/x.sock");
}

TEST_CASE("what is no address for HTTP is refused") {
  for (const char* text : {"",
                           ":",
                           ":9809",
                           "9809",
                           "127.0.0.1",
                           "127.0.0.1:",
                           "127.0.0.1:x",
                           "127.0.0.1:-1",
                           "127.0.0.1:65536",
                           "127.0.0.1:80 ",
                           " 127.0.0.1:80",
                           "127.0.0.1:+80",
                           "127.0.0:80",
                           "::1:80",
                           "[::1]",
                           "[]:80",
                           "[127.0.0.1]:80",
                           "[localhost]:80",
                           "node.example:80",
                           "http://127.0.0.1:80",
                           "256.0.0.1:80",
                           "LOCALHOST:80"}) {
    INFO(text);
    CHECK_FALSE(parse_http_address(text));
  }
}

TEST_CASE("HTTP is off unless it is configured, and open to others only by their key") {
  CHECK(load_http_section("").value().agent.http.address.empty());
  CHECK(load_http_section("address = \"\"\n").value().agent.http.address.empty());
  CHECK(load_http_section("address = \"[::1]:0\"\n").value().agent.http.address == "[::1]:0");
  CHECK_FALSE(load_http_section("address = \"[::]:9809\"\n").ok());
  CHECK(load_http_section("address = \"[::]:9809\"\nallow_remote = true\n").ok());
  CHECK(load_http_section("address = \"127.0.0.1:9809\"\nallow_remote = true\n").ok());
}

TEST_CASE("metrics have a path of their own") {
  CHECK(load_http_section("").value().agent.http.metrics_path == "/metrics");
  CHECK(load_http_section("metrics_path = \"/m/x-1\"\n").value().agent.http.metrics_path ==
        "/m/x-1");
  for (const std::string path : {"", "metrics", "/", "/healthz", "/healthz/leader-election",
                                 "/readyz", "/status", "/a b", "/a?b", "/a#b", "/\u00fc"}) {
    CAPTURE(path);
    const auto refused = load_http_section("metrics_path = \"" + path + "\"\n");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message(), Catch::Contains("must be a path such as /metrics"));
  }
}

}  // namespace longshore::config::test
