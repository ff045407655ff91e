// Answers of the service control manager's put together by hand: whole, cut, and lying.
#include "system/windows/service_answers.h"

#include <catch2/catch.hpp>

#include "system/windows/service_structures.h"
#include "tests/support/windows/pointed_bytes.h"

namespace longshore::system {
namespace {

using test::PointedBytes;
using Names = std::vector<std::string>;

constexpr uint32_t kDisabledStart = 4, kStoppedState = 1, kRunningState = 4;

struct Config {
  explicit Config(const char16_t* display_name) {
    place = bytes.add(config);
    config.start_type = kDisabledStart;
    config.program = bytes.add(u"C:\\service.exe");
    config.display_name = bytes.add(display_name);
    bytes.put(place, config);
  }
  auto read(size_t cut_to = SIZE_MAX) {
    bytes.put(place, config);
    return config_of(bytes.answer(cut_to));
  }

  PointedBytes bytes;
  uint64_t place;
  ServiceConfigAnswer config{};
};

TEST_CASE("a configuration is read with the text that it points at") {
  const auto config = Config(u"Dienst f\u00fcr \U0001f4be").read();
  REQUIRE(config);
  CHECK(config->display_name == "Dienst f\xc3\xbcr \xf0\x9f\x92\xbe");
  CHECK(config->start_type == kDisabledStart);
}

TEST_CASE("a configuration that is cut anywhere is none") {
  Config config(u"name");
  for (size_t size = 0; size < config.bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(config.read(size));
  }
}

TEST_CASE("a display name outside of the configuration is not read, and no one is an empty one") {
  Config config(u"name");
  config.config.display_name = 0;
  REQUIRE(config.read());
  CHECK(config.read()->display_name.empty());
  for (const uint64_t bad : {uint64_t{1}, PointedBytes::kAddress - 2, config.bytes.end(),
                             config.bytes.end() - 3, UINT64_MAX}) {
    CAPTURE(bad);
    config.config.display_name = bad;
    CHECK_FALSE(config.read());
  }
}

// Two services, and the text of the second one's name at the end.
struct Services {
  Services() {
    for (ServiceStatusAnswer& each : services) places.push_back(bytes.add(each));
    services[0] = {.name = bytes.add(u"first"), .state = kRunningState};
    services[1] = {.name = bytes.add(u"second"), .state = kRunningState};
  }
  auto read(uint64_t count = 2, size_t cut_to = SIZE_MAX) {
    for (size_t i = 0; i < places.size(); ++i) bytes.put(places[i], services[i]);
    return active_services_of(bytes.answer(cut_to), count);
  }

  PointedBytes bytes;
  std::vector<uint64_t> places;
  ServiceStatusAnswer services[2]{};
};

TEST_CASE("services that are not stopped are read") {
  Services services;
  CHECK(services.read() == Names{"first", "second"});
  CHECK(services.read(1) == Names{"first"});
  CHECK(services.read(0) == Names{});
  services.services[0].state = kStoppedState;
  CHECK(services.read() == Names{"second"});
}

TEST_CASE("services that are cut anywhere are none") {
  Services services;
  for (size_t size = 0; size < services.bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(services.read(2, size));
  }
}

TEST_CASE("counts and names of services that lie are not believed") {
  Services services;
  for (const uint64_t lie : {uint64_t{3}, uint64_t{1'000}, uint64_t{0xffffffff}}) {
    CHECK_FALSE(services.read(lie));
  }
  for (const uint64_t bad : {uint64_t{0}, PointedBytes::kAddress - 2, services.bytes.end(),
                             services.bytes.end() - 2, services.places[1] + 1, UINT64_MAX - 1}) {
    CAPTURE(bad);
    services.services[1].name = bad;
    CHECK_FALSE(services.read());
  }
}

}  // namespace
}  // namespace longshore::system
