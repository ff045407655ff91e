// What the iscsi group lets through of a caller's words: portals, names, user names, secrets.
#include <catch2/catch.hpp>
#include <string>

#include "iscsi/login.h"
#include "iscsi/portal.h"
#include "iscsi/target_name.h"

namespace longshore::iscsi {
namespace {

using support::Secret;

std::string text_of(const std::string& address, uint32_t port = 0) {
  const Result<Portal> portal = parse_portal(address, port, "use the portal");
  return portal ? portal->text() : status_code_name(portal.error().code());
}

TEST_CASE("every portal is written in one way") {
  CHECK(text_of("192.0.2.1") == "192.0.2.1:3260");
  CHECK(text_of("192.0.2.1", 1) == "192.0.2.1:1");
  CHECK(text_of("192.0.2.1", 65535) == "192.0.2.1:65535");
  CHECK(text_of("::1") == "[::1]:3260");
  CHECK(text_of("2001:DB8:0:0::1", 860) == "[2001:db8::1]:860");
  CHECK(text_of("::ffff:192.0.2.1") == "[::ffff:192.0.2.1]:3260");
  CHECK(text_of("Storage-1.Example.ORG") == "storage-1.example.org:3260");
  CHECK(text_of("storage") == "storage:3260");
  CHECK(text_of("3par.example") == "3par.example:3260");
  CHECK(text_of(std::string(63, 'a')) == std::string(63, 'a') + ":3260");
}

TEST_CASE("what is no portal is INVALID_ARGUMENT") {
  const std::string address = GENERATE(
      as<std::string>(), "", " ", "-", "-p", "--help", "-1.2.3.4", "a b", " a", "a ", "a/b",
      "../../etc", "192.0.2.256", "192.0.2", "192.0.2.1.", "192.0.2.1:3260", "192.0.2.01", "[::1]",
      "::1]", "fe80::1%eth0", ":::", "1::2::3", "a..b", ".a", "a.", "a-", "-a.b", "a.-b", "a_b",
      "a,b", "a;b", "a\nb", "$(a)", "k\xc3\xa4se", "\xff", "http:a");
  CAPTURE(address);
  CHECK(text_of(address) == "INVALID_ARGUMENT");
  CHECK(text_of(std::string("a\0b", 3)) == "INVALID_ARGUMENT");
  CHECK(text_of(std::string("192.0.2.1\0", 10)) == "INVALID_ARGUMENT");
  CHECK(text_of(std::string(64, 'a')) == "INVALID_ARGUMENT");
  CHECK(text_of(std::string(1 << 20, 'a')) == "INVALID_ARGUMENT");
}

TEST_CASE("a port over 65535 is refused, not cut off") {
  const uint32_t port = GENERATE(65536U, 65536U + 3260, 4294967295U);
  const Result<Portal> portal = parse_portal("192.0.2.1", port, "use the portal");
  REQUIRE_FALSE(portal);
  CHECK(portal.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(portal.error().message(), Catch::Contains(std::to_string(port)));
}

TEST_CASE("names of targets are those of RFC 3720") {
  const std::string name = GENERATE(
      as<std::string>(), "iqn.2001-04.com.example", "iqn.2001-04.com.example:storage.disk2",
      "iqn.1992-08.com.netapp:sn.84183797:vs.3", "iqn.2004-08.jp.buffalo:TS_XEL-1:array1",
      "eui.02004567A425678D", "naa.52004567BA64678D", "naa.62004567BA64678D0123456789ABCDEF");
  CAPTURE(name);
  CHECK(check_target_name(name, "use the target"));
  const std::string start = "iqn.2001-04.org.example:";
  CHECK(check_target_name(start + std::string(223 - start.size(), 'x'), "use the target"));
  CHECK_FALSE(check_target_name(start + std::string(224 - start.size(), 'x'), "use the target"));
}

TEST_CASE("what is no target's name is INVALID_ARGUMENT") {
  const std::string name = GENERATE(
      as<std::string>(), "", "disk", "-T", "iqn", "iqn.", "iqn.2001", "iqn.2001-04", "iqn.2001-04.",
      "iqn.2001-13.org.example", "iqn.2001-00.org.example", "iqn.20x1-04.org.example",
      "iqn.2001/04.org.example", "iqn.2001-04..example", "iqn.2001-04.-a",
      "IQN.2001-04.org.example", "iqn.2001-04.org.example:a b", "iqn.2001-04.org.example:../..",
      "iqn.2001-04.org.example:a,b", "iqn.2001-04.org.example:a\n", "iqn.2001-04.org.example:*",
      "eui.02004567A425678", "eui.02004567A425678DD", "eui.02004567A425678G", "naa.5200",
      "naa.62004567BA64678D01", " iqn.2001-04.org.example", "iqn.2001-04.org.example:\xff");
  CAPTURE(name);
  const Result<void> valid = check_target_name(name, "use the target");
  REQUIRE_FALSE(valid);
  CHECK(valid.error().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("secrets have 12 to 16 bytes, and are in no error") {
  const auto check = [](const std::string& secret) {
    return check_secret(Secret::copy_of(secret), "initiator's");
  };
  CHECK(check("123456789012"));
  CHECK(check("1234567890123456"));
  CHECK(check("a secret # = \"'$"));
  for (const std::string bad : {"", "12345678901", "12345678901234567", "12345678901\n",
                                " 23456789012", "12345678901 ", "\t23456789012",
                                "123456\x7f"
                                "89012"}) {
    CAPTURE(bad);
    const Result<void> valid = check(bad);
    REQUIRE_FALSE(valid);
    CHECK(valid.error().code() == StatusCode::kInvalidArgument);
    CHECK_THAT(valid.error().message(), Catch::Contains("the initiator's CHAP secret"));
    if (bad.size() > 5) CHECK_THAT(valid.error().message(), !Catch::Contains(bad.substr(1, 10)));
  }
}

TEST_CASE("user names are a line's worth of bytes") {
  CHECK(check_username("node"));
  CHECK(check_username("iqn.2001-04.org.example:node"));
  CHECK(check_username("a b"));
  CHECK(check_username(std::string(255, 'x')));
  for (const std::string& bad : {std::string(), std::string(256, 'x'), std::string("a\nb"),
                                 std::string(" a"), std::string("a\0b", 3)}) {
    CHECK_FALSE(check_username(bad));
  }
}

TEST_CASE("an authentication type is one of csi-proxy's three") {
  CHECK(*parse_authentication(0) == Authentication::kNone);
  CHECK(*parse_authentication(1) == Authentication::kOneWayChap);
  CHECK(*parse_authentication(2) == Authentication::kMutualChap);
  const int number = GENERATE(-1, 3, 2147483647);
  const Result<Authentication> parsed = parse_authentication(number);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(parsed.error().message(), Catch::Contains("invalid authentication type"));
}

}  // namespace
}  // namespace longshore::iscsi
