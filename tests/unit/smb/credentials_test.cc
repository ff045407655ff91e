// User names and passwords: how they are read, and that they do not stay.
#include "smb/credentials.h"

#include <catch2/catch.hpp>
#include <new>

namespace longshore::smb {
namespace {

Result<Credentials> take(std::string name, std::string password) {
  Result<Credentials> credentials = Credentials::take(name, password);
  CHECK(name.empty());
  CHECK(password.empty());
  return credentials;
}

TEST_CASE("a user name is taken apart") {
  const auto [name, domain, user] = GENERATE(table<std::string, std::string, std::string>({
      {"smbu", "", "smbu"},
      {"domain\\smbu", "domain", "smbu"},
      {"AZURE\\account", "AZURE", "account"},
      {"smbu@example.org", "", "smbu@example.org"},
      {"\\smbu", "", "smbu"},
      {"a\\b\\c", "a", "b\\c"},
  }));
  const auto credentials = take(name, "P@ss,w0rd\\x:y");
  REQUIRE(credentials);
  CHECK(credentials->domain() == domain);
  CHECK(credentials->user() == user);
  CHECK(credentials->password() == "P@ss,w0rd\\x:y");
  CHECK_FALSE(credentials->is_nobody());
}

TEST_CASE("the longest that Linux takes is taken") {
  const auto credentials =
      take(std::string(255, 'd') + "\\" + std::string(255, 'u'), std::string(255, 'p'));
  REQUIRE(credentials);
  CHECK(credentials->password().size() == 255);
}

TEST_CASE("a copy has all of it") {
  const auto credentials = take("domain\\smbu", "password");
  const Credentials copy = credentials->copy();
  CHECK(copy.user() == "smbu");
  CHECK(copy.domain() == "domain");
  CHECK(copy.password() == "password");
}

TEST_CASE("without a name it is nobody") {
  CHECK(take("", "")->is_nobody());
  CHECK(take("", "password")->is_nobody());
  CHECK_FALSE(take("smbu", "")->is_nobody());
}

TEST_CASE("what a server would not see as it is, is refused without repeating it") {
  const auto [name, password] = GENERATE(table<std::string, std::string>({
      {std::string("sm\0bu", 5), "t0psecret"},
      {"smbu\n", "t0psecret"},
      {"domain\\", "t0psecret"},
      {std::string(256, 'u'), "t0psecret"},
      {std::string(256, 'd') + "\\smbu", "t0psecret"},
      {"smbu", std::string("t0psecret\0", 10)},
      {"smbu", "t0psecret" + std::string(247, 'p')},
  }));
  const auto credentials = take(name, password);
  REQUIRE_FALSE(credentials);
  CHECK(credentials.error().code() == StatusCode::kInvalidArgument);
  CHECK(credentials.error().message().find("t0psecret") == std::string::npos);
  CHECK(credentials.error().message().find("smbu") == std::string::npos);
}

// Reads what is left in the memory of an object that has ended.
template <typename Length>
std::string left_by_a_secret(Length length) {
  alignas(support::Secret) static unsigned char place[sizeof(support::Secret)];
  std::string original(length, 's');
  auto* const secret = new (place) support::Secret(original);
  REQUIRE(secret->text() == std::string(length, 's'));
  secret->~Secret();
  return {reinterpret_cast<const char*>(place), sizeof(place)};
}

TEST_CASE("a short secret leaves nothing in its place") {
  CHECK(left_by_a_secret(size_t{12}).find("ss") == std::string::npos);
}

TEST_CASE("wiping a text clears all that it had room for") {
  std::string text = "a long text that does not fit into the object itself";
  const char* const bytes = text.data();
  const size_t room = text.capacity();
  support::wipe(text);
  CHECK(text.empty());
  REQUIRE(text.data() == bytes);
  CHECK(std::string(bytes, room) == std::string(room, '\0'));
}

TEST_CASE("moving a secret wipes where it was") {
  std::string original = "short";
  support::Secret first(original);
  CHECK(original.empty());
  const support::Secret second(std::move(first));
  CHECK(second.text() == "short");
  CHECK(std::string(first.text().data(), 15).find("short") == std::string::npos);  // NOLINT
  support::Secret third;
  third = support::Secret(original = "other");
  CHECK(third.text() == "other");
}

}  // namespace
}  // namespace longshore::smb
