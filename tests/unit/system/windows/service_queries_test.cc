// Answers of the service control manager's that take some asking, and what comes of those that lie.
// What is read of them: service_answers_test.cc.
#include "system/windows/service_queries.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "tests/support/outcome.h"
#include "tests/unit/system/windows/service_manager_stand_in.h"

namespace longshore::system {
namespace {

using test::outcome;
using Names = std::vector<std::string>;

struct Asked {
  explicit Asked(StandInService service = {}) {
    manager.put("a", std::move(service));
    REQUIRE(manager.open_manager(whole) == ERROR_SUCCESS);
    REQUIRE(manager.open_service(whole, L"a", 0, service_handle) == ERROR_SUCCESS);
  }

  Result<ServiceConfig> config() { return read_config(manager, service_handle, purpose); }
  Result<Names> dependants() { return read_dependants(manager, service_handle, purpose); }

  ServiceManagerStandIn manager;
  SC_HANDLE whole = nullptr;
  SC_HANDLE service_handle = nullptr;
  const ServicePurpose purpose{"look at the service", "a"};
};

// Overwrites a field of the structure at the front of the buffer.
template <typename Struct, typename Field>
ServiceManagerStandIn::Spoil set_field(Field Struct::*field, Field value) {
  return [=](std::span<std::byte> buffer, DWORD&, DWORD&, DWORD&) {
    Struct front;
    std::memcpy(&front, buffer.data(), sizeof(front));
    front.*field = value;
    std::memcpy(buffer.data(), &front, sizeof(front));
  };
}

TEST_CASE("a configuration is read, with letters of all kinds") {
  Asked asked({.display_name = "Dienst für \xf0\x9f\x92\xbe", .start_type = SERVICE_DISABLED});
  const auto config = asked.config();
  REQUIRE(config);
  CHECK(config->display_name == "Dienst für \xf0\x9f\x92\xbe");
  CHECK(config->start_type == SERVICE_DISABLED);
}

TEST_CASE("an answer that is larger than expected is asked for again") {
  Asked asked({.display_name = std::string(20'000, 'n')});
  CHECK(asked.config()->display_name == std::string(20'000, 'n'));

  Names many;
  for (int i = 0; i < 500; ++i) {
    many.push_back("service " + std::to_string(i));
    asked.manager.put(many.back(), {.display_name = "A longer name", .state = SERVICE_RUNNING});
  }
  asked.manager.put("a", {.dependants = many});
  CHECK(*asked.dependants() == many);
}

TEST_CASE("texts that lie outside of a configuration are not read") {
  Asked asked({.display_name = "x"});
  static wchar_t elsewhere[] = L"elsewhere";
  asked.manager.spoil_answers(set_field(&QUERY_SERVICE_CONFIGW::lpDisplayName, &elsewhere[0]));
  const auto config = asked.config();
  REQUIRE(outcome(config) == "INTERNAL");
  CHECK_THAT(config.error().message(), Catch::Contains("makes no sense"));
}

TEST_CASE("room that is never enough ends with an error") {
  Asked asked;
  const auto [needed, code, answer] = GENERATE(table<DWORD, DWORD, std::string>({
      {16, ERROR_INSUFFICIENT_BUFFER, "UNAVAILABLE"},
      {0, ERROR_INSUFFICIENT_BUFFER, "INTERNAL"},
      {0xffffffff, ERROR_INSUFFICIENT_BUFFER, "INTERNAL"},
      {16, ERROR_MORE_DATA, "UNAVAILABLE"},
      {0, ERROR_MORE_DATA, "INTERNAL"},
      {0xffffffff, ERROR_MORE_DATA, "INTERNAL"},
  }));
  CAPTURE(needed, code);
  int asks = 0;
  asked.manager.spoil_answers([&, needed = needed, code = code](std::span<std::byte>, DWORD& room,
                                                                DWORD&, DWORD& answered) {
    ++asks;
    room = needed;
    answered = code;
  });
  CHECK((code == ERROR_MORE_DATA ? outcome(asked.dependants()) : outcome(asked.config())) ==
        answer);
  CHECK(asks <= 8);
}

TEST_CASE("a count of dependants that lies is not believed") {
  Asked asked({.dependants = {"b"}});
  asked.manager.put("b", {.state = SERVICE_RUNNING});
  REQUIRE(*asked.dependants() == Names{"b"});
  const DWORD lie = GENERATE(1'000, 0xffffffff);
  asked.manager.spoil_answers(
      [&](std::span<std::byte>, DWORD&, DWORD& count, DWORD&) { count = lie; });
  CHECK(outcome(asked.dependants()) == "INTERNAL");
}

}  // namespace
}  // namespace longshore::system
