// The header that says who asks, and what it is made of: tokens, files that change, base64.
#include "kube/credentials.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "kube/base64.h"
#include "tests/support/temporary_directory.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using test::TemporaryDirectory;
using test::write_file;

std::string header_of(Credentials& credentials) {
  auto header = credentials.authorization();
  REQUIRE(header);
  return header->text();
}

TEST_CASE("Base64 comes back as it went in, and what is none is refused") {
  const std::string bytes("\0\xff any bytes", 12);
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const std::string part = bytes.substr(0, size);
    const auto decoded = base64_decoded(base64_encoded(part).text());
    REQUIRE(decoded);
    CHECK(decoded->text() == part);
  }
  CHECK(base64_decoded("Q\n0 E=\n")->text() == "CA");
  for (const char* bad : {"Q", "Q0E", "Q===", "====", "Q0E=Q0E=", "Q0E=x", "Q0-E", "Q=E="}) {
    INFO(bad);
    CHECK_FALSE(base64_decoded(bad));
  }
}

TEST_CASE("A token, a password or nothing is what the header says") {
  Configuration configuration;
  CHECK(header_of(*std::make_unique<Credentials>(configuration)).empty());
  configuration.token = Secret::copy_of("abc.def");
  Credentials token(configuration);
  CHECK(header_of(token) == "Bearer abc.def");
  CHECK(configuration.token.empty());
  configuration.user_name = "me";
  configuration.password = Secret::copy_of("secret");
  Credentials password(configuration);
  CHECK(header_of(password) == "Basic bWU6c2VjcmV0");
}

TEST_CASE("A token that would begin another header is refused, and not repeated") {
  const TemporaryDirectory directory;
  Configuration configuration;
  configuration.source = "the kubeconfig";
  configuration.token = Secret::copy_of("abc\r\nX-Remote-User: root");
  auto header = Credentials(configuration).authorization();
  REQUIRE_FALSE(header);
  CHECK_THAT(header.error().message(), Contains("the token in the kubeconfig") && !Contains("abc"));
  configuration.token_file = directory / "token";
  for (const std::string& bad :
       {std::string("a b"), std::string("\n"), std::string(40'000, 'x'), std::string("a\0b", 3)}) {
    write_file(directory / "token", bad);
    CHECK_FALSE(Credentials(configuration).authorization());
  }
}

TEST_CASE("A token's file is read again when there is another, and the last one stays without") {
  const TemporaryDirectory directory;
  Configuration configuration;
  configuration.token_file = directory / "token";
  Credentials credentials(configuration);
  auto header = credentials.authorization();
  REQUIRE_FALSE(header);
  CHECK_THAT(header.error().message(), Contains("/token\""));
  write_file(directory / "token", "first\n");
  CHECK(header_of(credentials) == "Bearer first");
  write_file(directory / "next", "second");
  std::filesystem::rename(directory / "next", directory / "token");
  CHECK(header_of(credentials) == "Bearer second");
  std::filesystem::remove(directory / "token");
  CHECK(header_of(credentials) == "Bearer second");
}

}  // namespace
}  // namespace longshore::kube
