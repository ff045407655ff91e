// What a driver's capabilities mean for attaching, from bytes that are written by CSI's numbers.
#include "plugins/external-attacher/driver_capabilities.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/wire_writer.h"

namespace longshore::external_attacher {
namespace {

using test::WireWriter;

csi::v1::GetPluginCapabilitiesResponse plugin(const std::vector<uint64_t>& services) {
  WireWriter bytes;
  for (const uint64_t service : services) {
    bytes.text(1, WireWriter().text(1, WireWriter().number(1, service).bytes()).bytes());
  }
  csi::v1::GetPluginCapabilitiesResponse response;
  REQUIRE(response.ParseFromString(bytes.bytes()));
  return response;
}

csi::v1::ControllerGetCapabilitiesResponse controller(const std::vector<uint64_t>& rpcs) {
  WireWriter bytes;
  for (const uint64_t rpc : rpcs) {
    bytes.text(1, WireWriter().text(1, WireWriter().number(1, rpc).bytes()).bytes());
  }
  csi::v1::ControllerGetCapabilitiesResponse response;
  REQUIRE(response.ParseFromString(bytes.bytes()));
  return response;
}

TEST_CASE("Each capability is known by CSI's number") {
  const auto service = plugin({1});
  const auto of = [&](const std::vector<uint64_t>& rpcs) {
    return driver_capabilities(service, controller(rpcs));
  };
  CHECK(of({2}) == DriverCapabilities{.publishes_volumes = true});
  CHECK(of({8}) == DriverCapabilities{.publishes_read_only = true});
  CHECK(of({3, 10}) == DriverCapabilities{.lists_published_nodes = true});
  CHECK(of({13}) == DriverCapabilities{.has_single_node_multi_writer = true});
}

TEST_CASE("Half a capability, one of another kind, and one nobody knows are none") {
  CHECK(driver_capabilities(plugin({}), controller({2, 8, 13})) == DriverCapabilities{});
  CHECK(driver_capabilities(plugin({2, 77}), controller({2})) == DriverCapabilities{});
  CHECK(driver_capabilities(plugin({1}), controller({3})) == DriverCapabilities{});
  CHECK(driver_capabilities(plugin({1}), controller({10})) == DriverCapabilities{});
  CHECK(driver_capabilities(plugin({77, 1}), controller({99, 2})).publishes_volumes);
  // A capability without anything in it.
  csi::v1::ControllerGetCapabilitiesResponse empty;
  empty.add_capabilities();
  CHECK(driver_capabilities(plugin({1}), empty) == DriverCapabilities{});
}

}  // namespace
}  // namespace longshore::external_attacher
