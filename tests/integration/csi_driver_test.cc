// The CSI driver that tests of attaching stand on: that it answers as CSI says, forgets nothing
// when it is killed, and fails as it is told to.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "tests/integration/csi_driver_process.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

const std::string kController = "csi.v1.Controller/";

std::string publish_request(const std::string& volume, const std::string& node, uint64_t mode = 1) {
  const std::string access_mode = WireWriter().number(1, mode);
  const std::string capability = WireWriter().text(2, "").text(3, access_mode);
  return WireWriter().text(1, volume).text(2, node).text(3, capability);
}

std::string unpublish_request(const std::string& volume, const std::string& node) {
  return WireWriter().text(1, volume).text(2, node);
}

// What a page of ListVolumes has: "volume: node node".
std::vector<std::string> listed(const std::string& page) {
  std::vector<std::string> lines;
  for (const std::string& entry : WireReader(page).texts(1)) {
    std::string line = WireReader(WireReader(entry).texts(1).at(0)).texts(2).at(0) + ':';
    for (const std::string& node : WireReader(WireReader(entry).texts(2).at(0)).texts(1)) {
      line += ' ' + node;
    }
    lines.push_back(line);
  }
  return lines;
}

struct World {
  explicit World(const std::vector<std::string>& more = {}) : driver(directory) {
    driver.controller = {"--volumes", directory / "volumes", "--faults", faults};
    driver.controller.insert(driver.controller.end(), more.begin(), more.end());
    driver.run();
  }

  StatusCode publish(const std::string& volume, const std::string& node, uint64_t mode = 1) const {
    return call("ControllerPublishVolume", publish_request(volume, node, mode))->code();
  }
  std::shared_ptr<Answer> call(const std::string& method, const std::string& request = {}) const {
    return TestClient(driver.socket).call(kController + method, request);
  }
  std::vector<std::string> volumes() const { return listed(call("ListVolumes")->messages.at(0)); }
  void fail(const std::string& line) const { std::ofstream(faults) << line << '\n'; }

  AgentDirectory directory;
  const std::string faults = directory / "faults";
  Driver driver;
};

}  // namespace

TEST_CASE("volumes are attached, detached and listed, and a second time changes nothing") {
  const World world;
  const auto published = world.call("ControllerPublishVolume", publish_request("v", "n"));
  REQUIRE(published->code() == StatusCode::kOk);
  CHECK(published->messages.at(0) ==
        WireWriter().text(1, WireWriter().text(1, "device").text(2, "/dev/v").bytes()).bytes());
  CHECK(world.publish("v", "n") == StatusCode::kOk);
  CHECK(world.publish("v", "m") == StatusCode::kFailedPrecondition);
  CHECK(world.publish("w", "n", 5) == StatusCode::kOk);
  CHECK(world.publish("w", "m", 5) == StatusCode::kOk);
  CHECK(world.volumes() == std::vector<std::string>{"v: n", "w: m n"});
  CHECK(world.driver.count("ControllerPublishVolume v n") == 2);

  for (int i = 0; i < 2; ++i) {
    CHECK(world.call("ControllerUnpublishVolume", unpublish_request("v", "n"))->code() ==
          StatusCode::kOk);
  }
  CHECK(world.call("ControllerUnpublishVolume", unpublish_request("w", ""))->code() ==
        StatusCode::kOk);
  CHECK(world.volumes().empty());
}

TEST_CASE("a list comes in pages, and no token of another driver is taken") {
  const World world;
  for (const std::string volume : {"a", "b", "c"})
    REQUIRE(world.publish(volume, "n") == StatusCode::kOk);
  const std::string first = world.call("ListVolumes", WireWriter().number(1, 2))->messages.at(0);
  CHECK(listed(first) == std::vector<std::string>{"a: n", "b: n"});
  const std::string token = WireReader(first).texts(2).at(0);
  const std::string second =
      world.call("ListVolumes", WireWriter().number(1, 2).text(2, token))->messages.at(0);
  CHECK(listed(second) == std::vector<std::string>{"c: n"});
  CHECK(WireReader(second).texts(2).empty());
  CHECK(world.call("ListVolumes", WireWriter().text(2, "zzz"))->code() == StatusCode::kAborted);
}

TEST_CASE("a driver that is killed knows its volumes") {
  World world;
  REQUIRE(world.publish("v", "n") == StatusCode::kOk);
  world.driver.kill();
  world.driver.run();
  CHECK(world.volumes() == std::vector<std::string>{"v: n"});
  world.fail("ControllerPublishVolume 1 done-crash");
  CHECK(world.publish("w", "n") == StatusCode::kUnavailable);
  world.driver.kill();
  world.driver.run();
  CHECK(world.volumes() == std::vector<std::string>{"v: n", "w: n"});
}

TEST_CASE("requests that miss something are refused") {
  const World world({"--secret", "key=hidden"});
  CHECK(world.publish("", "n") == StatusCode::kInvalidArgument);
  CHECK(world.publish("v", "") == StatusCode::kInvalidArgument);
  CHECK(world.publish("v", "n", 0) == StatusCode::kInvalidArgument);
  CHECK(world.publish("v", "n") == StatusCode::kUnauthenticated);
  CHECK(world.call("ControllerPublishVolume", "\xff")->code() == StatusCode::kInternal);
  CHECK(world.call("ControllerUnpublishVolume", unpublish_request("", "n"))->code() ==
        StatusCode::kInvalidArgument);
  CHECK(world.call("CreateVolume")->code() == StatusCode::kUnimplemented);
  const std::string secret = WireWriter().text(1, "key").text(2, "hidden");
  const std::string request = publish_request("v", "n");
  CHECK(world.call("ControllerPublishVolume", request + WireWriter().text(5, secret).bytes())
            ->code() == StatusCode::kOk);
}

TEST_CASE("a driver fails as it is told, at the call that is told") {
  const World world;
  world.fail("ControllerPublishVolume 2 error 8 full");
  CHECK(world.publish("a", "n") == StatusCode::kOk);
  const auto refused = world.call("ControllerPublishVolume", publish_request("b", "n"));
  CHECK(refused->code() == StatusCode::kResourceExhausted);
  CHECK(refused->text() == "full");
  CHECK(world.publish("b", "n") == StatusCode::kOk);
  world.fail("ControllerPublishVolume * done-error 4 late");
  CHECK(world.publish("c", "n") == StatusCode::kDeadlineExceeded);
  world.fail("ControllerPublishVolume * slow 1");
  CHECK(world.publish("d", "n") == StatusCode::kOk);
  CHECK(world.volumes() == std::vector<std::string>{"a: n", "b: n", "c: n", "d: n"});
  world.fail("ListVolumes * hang");
  CHECK(TestClient(world.driver.socket)
            .call(kController + "ListVolumes", {}, with_timeout(std::chrono::milliseconds(50)))
            ->code() == StatusCode::kDeadlineExceeded);
  CHECK(eventually([&] { return world.driver.count("cancelled") == 1; }));
}
