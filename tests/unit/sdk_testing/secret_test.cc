// What holds secrets: texts that leave nothing behind where they were.
#include "longshore/secret.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/freed_memory.h"

using namespace longshore;
using namespace longshore::test;

TEST_CASE("A text that grows leaves nothing in memory that became too small") {
  const std::string whole = FreedMemory::secret_of(10'000);
  const std::string_view secret = whole;
  std::string text;
  Secret held;
  const FreedMemory freed;
  SECTION("by appending") {
    for (size_t at = 0; at < secret.size(); at += 7) append_apart(text, secret.substr(at, 7));
    CHECK(text == secret);
    CHECK(text.capacity() <= 2 * secret.size());
  }
  SECTION("by getting room") {
    text.reserve(100);
    text = secret.substr(0, 100);
    reserve_apart(text, 10'000);
    CHECK(text == secret.substr(0, 100));
    CHECK(text.capacity() == 10'000);
  }
  SECTION("as a secret, which is wiped at its end") {
    Secret own = Secret::copy_of(secret);
    own.append(secret);
    held = std::move(own);
    CHECK(held.text().size() == 2 * secret.size());
    CHECK(held.text().starts_with(secret));
    CHECK(held.text().ends_with(secret));
    held = Secret();
  }
  wipe(text);
  CHECK(freed.found() == 0);
}

TEST_CASE("The memory of other texts is found when it is let go") {
  const FreedMemory freed;
  { const std::string text = FreedMemory::secret_of(100); }
  CHECK(freed.found() == 1);
}

TEST_CASE("A text with memory of its own is handed over in it, however short") {
  std::string text;
  SECTION("made by appending") { append_apart(text, "a"); }
  SECTION("made by getting room") { reserve_apart(text, 0); }
  const char* const place = text.data();
  const std::string moved = std::move(text);
  CHECK(moved.data() == place);
}

TEST_CASE("A text grows by appending no more often than it doubles") {
  std::string text;
  int moves = 0;
  for (int i = 0; i < 100'000; ++i) {
    const char* const place = text.data();
    append_apart(text, "x");
    if (text.data() != place) ++moves;
  }
  CHECK(text.size() == 100'000);
  CHECK(moves <= 17);
  const size_t size = text.size();
  append_apart(text, {});
  CHECK(text.size() == size);
}
