// The system group on a real service manager. "csi-proxy 20" is the case with that number in
// csi-proxy's integration tests.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "system/v1alpha1.pb.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/systemctl.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

// A unit file of a test's own, for this start of the guest only.
class Unit {
 public:
  Unit(std::string name, const std::string& text) : name_(std::move(name)) {
    write_file(path(), text);
    REQUIRE(systemctl({"daemon-reload"}).exit_code == 0);
  }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  ~Unit() {
    systemctl({"stop", name_});
    systemctl({"reset-failed", name_});
    std::error_code ignored;
    fs::remove(path(), ignored);  // the next unit's reading of all of them heeds it
  }

  std::string state() const {
    std::string output = systemctl({"is-active", name_}).output;
    if (output.ends_with('\n')) output.pop_back();
    return output;
  }

 private:
  std::string path() const { return "/run/systemd/system/" + name_; }

  const std::string name_;
};

const std::string kSleeps = "[Unit]\nDescription=A service that waits\n";
const std::string kRun = "[Service]\nExecStart=/usr/bin/sleep infinity\n";

v1alpha1::GetServiceResponse look_up(GuestAgent& agent, const std::string& name) {
  v1alpha1::GetServiceRequest request;
  request.set_name(name);
  return agent.get<v1alpha1::GetServiceResponse>("system", "v1alpha1.System/GetService", request);
}

std::shared_ptr<Answer> start(GuestAgent& agent, const std::string& name) {
  v1alpha1::StartServiceRequest request;
  request.set_name(name);
  return agent.call("system", "v1alpha1.System/StartService", request);
}

std::shared_ptr<Answer> stop(GuestAgent& agent, const std::string& name, bool force = false) {
  v1alpha1::StopServiceRequest request;
  request.set_name(name);
  request.set_force(force);
  return agent.call("system", "v1alpha1.System/StopService", request);
}

}  // namespace

TEST_CASE("csi-proxy 20: the serial number is the one in the firmware's tables") {
  std::ifstream file("/sys/class/dmi/id/product_serial");
  std::string expected;
  if (!std::getline(file, expected)) {
    std::cout << "SKIPPED: this guest has no firmware tables\n";
    SUCCEED();
    return;
  }
  GuestAgent agent;
  CHECK(agent
            .get<v1alpha1::GetBIOSSerialNumberResponse>("system",
                                                        "v1alpha1.System/GetBIOSSerialNumber",
                                                        v1alpha1::GetBIOSSerialNumberRequest())
            .serial_number() == expected);
}

TEST_CASE("csi-proxy 21: a service that is stopped, as its manager describes it") {
  const Unit unit("guest-waits.service", kSleeps + kRun);
  GuestAgent agent;
  const auto found = look_up(agent, "guest-waits");
  CHECK(found.display_name() == "A service that waits");
  CHECK(found.status() == v1alpha1::STOPPED);
  CHECK(found.start_type() == v1alpha1::MANUAL);
}

TEST_CASE("csi-proxy 22: a service is started and stopped, also when it is so already") {
  const Unit unit("guest-waits.service", kSleeps + kRun);
  GuestAgent agent;
  for (int round = 0; round < 2; ++round) {
    const auto started = start(agent, "guest-waits");
    INFO(started->text());
    CHECK(started->code() == StatusCode::kOk);
    CHECK(unit.state() == "active");
    CHECK(look_up(agent, "guest-waits").status() == v1alpha1::RUNNING);
  }
  for (int round = 0; round < 2; ++round) {
    CHECK(stop(agent, "guest-waits")->code() == StatusCode::kOk);
    CHECK(unit.state() == "inactive");
    CHECK(look_up(agent, "guest-waits").status() == v1alpha1::STOPPED);
  }
}

TEST_CASE("A service that others need is stopped with them, if that is asked for", "[thorough]") {
  const Unit needed("guest-needed.service", kSleeps + kRun);
  const Unit needs("guest-needs.service",
                   "[Unit]\nRequires=guest-needed.service\nAfter=guest-needed.service\n" + kRun);
  GuestAgent agent;
  REQUIRE(start(agent, "guest-needs")->code() == StatusCode::kOk);
  CHECK(needed.state() == "active");

  const auto refused = stop(agent, "guest-needed");
  CHECK(refused->code() == StatusCode::kFailedPrecondition);
  CHECK(refused->text().find("guest-needs.service") != std::string::npos);
  CHECK(needed.state() == "active");
  CHECK(needs.state() == "active");

  CHECK(stop(agent, "guest-needed", true)->code() == StatusCode::kOk);
  CHECK(needed.state() == "inactive");
  CHECK(needs.state() == "inactive");
}

TEST_CASE("A service that fails at its start is an error that says so", "[thorough]") {
  const Unit unit("guest-fails.service", "[Service]\nType=oneshot\nExecStart=/usr/bin/false\n");
  GuestAgent agent;
  const auto started = start(agent, "guest-fails");
  CAPTURE(started->text());
  CHECK(started->code() == StatusCode::kFailedPrecondition);
  CHECK(started->text().find("guest-fails.service") != std::string::npos);
  CHECK(look_up(agent, "guest-fails").status() == v1alpha1::STOPPED);
}

TEST_CASE("A masked service is disabled and cannot be started", "[thorough]") {
  const std::string path = "/run/systemd/system/guest-masked.service";
  fs::create_symlink("/dev/null", path);
  REQUIRE(systemctl({"daemon-reload"}).exit_code == 0);
  GuestAgent agent;
  CHECK(look_up(agent, "guest-masked").start_type() == v1alpha1::DISABLED);
  const auto started = start(agent, "guest-masked");
  CHECK(started->code() == StatusCode::kFailedPrecondition);
  CHECK(started->text().find("unmask") != std::string::npos);
  fs::remove(path);
}

TEST_CASE("A service that there is not, is not found") {
  GuestAgent agent;
  for (const auto& answer : {start(agent, "guest-unknown"), stop(agent, "guest-unknown")}) {
    CAPTURE(answer->text());
    CHECK(answer->code() == StatusCode::kNotFound);
  }
}
