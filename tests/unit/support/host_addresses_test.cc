#include "support/linux/host_addresses.h"

#include <netdb.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <tuple>
#include <vector>

namespace longshore::support {
namespace {

TEST_CASE("addresses are their own addresses") {
  const auto address = GENERATE(as<std::string>(), "127.0.0.1", "::1", "192.0.2.7");
  const auto addresses = addresses_of(address, "find the server");
  REQUIRE(addresses);
  CHECK(*addresses == std::vector<std::string>{address});
}

TEST_CASE("why a host has no address is a sentence with advice") {
  const auto [answer, code, words] = GENERATE(table<int, std::string, std::string>({
      {EAI_NONAME, "UNAVAILABLE", "names of cluster services do not resolve on the node"},
      {EAI_AGAIN, "UNAVAILABLE", "name server does not answer"},
      {EAI_FAIL, "UNAVAILABLE", "use the address"},
      {EAI_MEMORY, "RESOURCE_EXHAUSTED", "emory"},
      {EAI_SYSTEM, "UNAVAILABLE", "Too many open files"},
  }));
  const Error error = no_addresses("files", "find the server", answer, EMFILE);
  CHECK(status_code_name(error.code()) == code);
  CHECK_THAT(error.message(), Catch::Contains(words) && Catch::Contains("\"files\""));
}

TEST_CASE("addresses are compared in their shortest spelling") {
  const auto [text, shortest] = GENERATE(table<std::string, std::string>({
      {"192.0.2.7", "192.0.2.7"},
      {"fe80:0000:0000:0000:0000:0000:0000:0001", "fe80::1"},
      {"fe80:0000:0000:0000:0000:0000:0000:0001%2", "fe80::1"},
      {"", ""},
      {"files", "files"},
  }));
  CHECK(shortest_address(text) == shortest);
}

}  // namespace
}  // namespace longshore::support
