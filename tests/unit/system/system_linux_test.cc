// What only the real backend has: systemd's words, a bus that fails, the serial number's files.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <thread>

#include "system/linux/bios_serial.h"
#include "tests/support/outcome.h"
#include "tests/unit/system/worlds.h"

namespace longshore::system {
namespace {

using test::outcome;

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

Deadline limits_in(milliseconds time) { return {Deadline::Clock::now() + time, {}}; }

// A stand-in for systemd, and the backend on its bus.
struct OnBus {
  test::PrivateBus bus;
  std::optional<test::SystemdStandIn> systemd{std::in_place, bus.address()};
  SystemBackendLinux backend{bus.address(), "/nonexistent"};
};

TEST_CASE("systemd's states become the group's") {
  OnBus on;
  const auto [active_state, status] = GENERATE(table<std::string, ServiceStatus>({
      {"active", ServiceStatus::kRunning},
      {"reloading", ServiceStatus::kRunning},
      {"inactive", ServiceStatus::kStopped},
      {"failed", ServiceStatus::kStopped},
      {"activating", ServiceStatus::kStartPending},
      {"deactivating", ServiceStatus::kStopPending},
      {"something-new", ServiceStatus::kUnknown},
  }));
  CAPTURE(active_state);
  on.systemd->put("a.service", {.active_state = active_state});
  CHECK(on.backend.query("a.service", {})->status == status);
}

TEST_CASE("what makes a unit start becomes the group's start type") {
  OnBus on;
  const auto [state, type] = GENERATE(table<std::string, StartType>({
      {"enabled", StartType::kAutomatic},
      {"enabled-runtime", StartType::kAutomatic},
      {"disabled", StartType::kManual},
      {"static", StartType::kManual},
      {"indirect", StartType::kManual},
      {"generated", StartType::kManual},
      {"", StartType::kManual},
      {"masked", StartType::kDisabled},
      {"masked-runtime", StartType::kDisabled},
  }));
  CAPTURE(state);
  on.systemd->put("a.service", {.unit_file_state = state});
  CHECK(on.backend.query("a.service", {})->start_type == type);
}

TEST_CASE("a running unit whose file is gone is still there") {
  OnBus on;
  on.systemd->put("a.service", {.load_state = "not-found", .active_state = "active"});
  CHECK(on.backend.query("a.service", {})->status == ServiceStatus::kRunning);
  CHECK(outcome(on.backend.stop("a.service", {})) == "OK");
  CHECK(outcome(on.backend.query("a.service", {})) == "NOT_FOUND");
}

TEST_CASE("dependants are those that systemd stops along, each once") {
  OnBus on;
  on.systemd->put("a.service", {.active_state = "active",
                                .required_by = {"b.service", "stopped.service"},
                                .requisite_of = {"c.service"},
                                .bound_by = {"d.service", "b.service"},
                                .consists_of = {"e.service"},
                                .propagates_stop_to = {"f.service"},
                                .wanted_by = {"multi-user.target"}});
  for (const char* name :
       {"b.service", "d.service", "e.service", "f.service", "multi-user.target"}) {
    on.systemd->put(name, {.active_state = "active"});
  }
  on.systemd->put("c.service", {.active_state = "activating"});
  on.systemd->put("stopped.service", {.active_state = "failed"});
  auto names = *on.backend.running_dependants("a.service", {});
  std::sort(names.begin(), names.end());
  CHECK(names ==
        std::vector<std::string>{"b.service", "c.service", "d.service", "e.service", "f.service"});
}

TEST_CASE("a start that fails says what systemd made of it") {
  OnBus on;
  const std::string result = GENERATE("failed", "dependency", "skipped", "timeout", "unheard-of");
  on.systemd->put("a.service", {.start_result = result});
  const Result<void> started = on.backend.start("a.service", {});
  REQUIRE_FALSE(started);
  CHECK(started.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(started.error().message(), Catch::Contains("systemd's job ended as \"" + result));
  CHECK_THAT(started.error().message(), Catch::Contains("journalctl -u a.service"));
}

TEST_CASE("a program that fails right after its start has not started") {
  OnBus on;
  const std::string state = GENERATE("failed", "activating");
  on.systemd->put("a.service", {.started_state = state});
  CHECK(outcome(on.backend.start("a.service", {})) == "FAILED_PRECONDITION");
}

TEST_CASE("a service that runs to its end has been started") {
  OnBus on;
  on.systemd->put("a.service", {.started_state = "inactive"});
  CHECK(outcome(on.backend.start("a.service", {})) == "OK");
}

TEST_CASE("a job that somebody else cancels is ABORTED") {
  OnBus on;
  on.systemd->put("a.service", {.start_result = "canceled"});
  CHECK(outcome(on.backend.start("a.service", {})) == "ABORTED");
}

TEST_CASE("systemd's errors get codes and advice") {
  OnBus on;
  const auto [name, code] = GENERATE(table<std::string, std::string>({
      {"org.freedesktop.systemd1.NoSuchUnit", "NOT_FOUND"},
      {"org.freedesktop.systemd1.LoadFailed", "FAILED_PRECONDITION"},
      {"org.freedesktop.systemd1.OnlyByDependency", "FAILED_PRECONDITION"},
      {"org.freedesktop.systemd1.TransactionIsDestructive", "ABORTED"},
      {"org.freedesktop.DBus.Error.AccessDenied", "PERMISSION_DENIED"},
      {"org.freedesktop.DBus.Error.InvalidArgs", "INVALID_ARGUMENT"},
      {"org.freedesktop.DBus.Error.NoReply", "UNAVAILABLE"},
      {"org.example.Odd", "INTERNAL"},
  }));
  CAPTURE(name);
  on.systemd->put("a.service", {.error = name});
  const auto found = on.backend.query("a.service", {});
  // Loading a unit that there is not is no error to systemd: it has the state "not-found".
  CHECK(outcome(found) == code);
  on.systemd->put("b.service", {});
  CHECK(outcome(on.backend.query("b.service", {})) == "OK");
}

TEST_CASE("a start waits for its own job") {
  OnBus on;
  on.systemd->put("slow.service", {.holds_jobs = true});
  on.systemd->put("quick.service", {});
  std::atomic<bool> started = false;
  std::thread starter(
      [&] { started = on.backend.start("slow.service", limits_in(seconds(20))).ok(); });
  REQUIRE(on.systemd->wait_for_held_job());
  CHECK(outcome(on.backend.start("quick.service", {})) == "OK");
  CHECK_FALSE(started);
  on.systemd->release_jobs("done");
  starter.join();
  CHECK(started);
}

TEST_CASE("a start that takes too long is told as csi-proxy tells it") {
  OnBus on;
  on.systemd->put("a.service", {.holds_jobs = true});
  const Result<void> started = on.backend.start("a.service", limits_in(milliseconds(50)));
  REQUIRE_FALSE(started);
  CHECK(started.error().code() == StatusCode::kDeadlineExceeded);
  CHECK_THAT(started.error().message(),
             Catch::Contains("timed out waiting for service a.service to become running"));
  on.systemd->put("a.service", {.active_state = "active", .holds_jobs = true});
  const Result<void> stopped = on.backend.stop("a.service", limits_in(milliseconds(50)));
  REQUIRE_FALSE(stopped);
  CHECK_THAT(stopped.error().message(),
             Catch::Contains("timed out waiting for service a.service to stop"));
}

TEST_CASE("a finished job that somebody else on the bus makes up is not believed") {
  OnBus on;
  on.systemd->put("a.service", {.started_state = "inactive", .holds_jobs = true});
  std::string result;
  std::thread starter(
      [&] { result = outcome(on.backend.start("a.service", limits_in(seconds(5)))); });
  REQUIRE(on.systemd->wait_for_held_job());
  on.systemd->forge_job_removed();
  starter.join();
  CHECK(result == "DEADLINE_EXCEEDED");
}

TEST_CASE("without a bus the service manager is unavailable") {
  const test::TemporaryDirectory directory;
  SystemBackendLinux backend("unix:path=" + directory / "none", "/sys");
  const auto found = backend.query("a.service", {});
  REQUIRE_FALSE(found);
  CHECK(found.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(found.error().message(), Catch::Contains("the service manager is not available"));
  CHECK(outcome(backend.start("a.service", {})) == "UNAVAILABLE");
  SystemBackendLinux nonsense("no address", "/sys");
  CHECK(outcome(nonsense.query("a.service", {})) == "UNAVAILABLE");
}

TEST_CASE("a bus without systemd is told") {
  test::PrivateBus bus;
  SystemBackendLinux backend(bus.address(), "/sys");
  const auto found = backend.query("a.service", {});
  REQUIRE_FALSE(found);
  CHECK(found.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(found.error().message(), Catch::Contains("systemd is not on this bus"));
}

TEST_CASE("a lost bus is found again") {
  OnBus on;
  on.systemd->put("a.service", {});
  REQUIRE(on.backend.query("a.service", {}));
  on.systemd.reset();
  on.bus.stop();
  CHECK(outcome(on.backend.query("a.service", {})) == "UNAVAILABLE");
  on.bus.start();
  on.systemd.emplace(on.bus.address());
  on.systemd->put("a.service", {});
  CHECK(outcome(on.backend.query("a.service", {})) == "OK");
  CHECK(outcome(on.backend.start("a.service", {})) == "OK");
}

TEST_CASE("a bus lost while waiting ends the wait") {
  OnBus on;
  on.systemd->put("a.service", {.holds_jobs = true});
  std::string result;
  std::thread starter(
      [&] { result = outcome(on.backend.start("a.service", limits_in(seconds(20)))); });
  REQUIRE(on.systemd->wait_for_held_job());
  on.bus.stop();
  starter.join();
  CHECK(result == "UNAVAILABLE");
}

TEST_CASE("a bus that has gone deaf holds nobody past the deadline") {
  OnBus on;
  on.systemd->put("a.service", {});
  SECTION("on a connection that stands") { REQUIRE(on.backend.query("a.service", {})); }
  SECTION("before there is one") {}
  on.bus.freeze();
  CHECK(outcome(on.backend.query("a.service", limits_in(milliseconds(100)))) ==
        "DEADLINE_EXCEEDED");
  on.bus.resume();
  CHECK(outcome(on.backend.query("a.service", {})) == "OK");
}

TEST_CASE("many callers at once each get their own answer") {
  OnBus on;
  for (int number = 0; number < 8; ++number) {
    on.systemd->put(std::to_string(number) + ".service", {.description = std::to_string(number)});
  }
  std::atomic<int> right = 0;
  std::vector<std::thread> callers;
  for (int number = 0; number < 8; ++number) {
    callers.emplace_back([&, number] {
      const std::string unit = std::to_string(number) + ".service";
      for (int round = 0; round < 20; ++round) {
        right += on.backend.start(unit, {}).ok();
        const auto found = on.backend.query(unit, {});
        right += found && found->display_name == std::to_string(number) &&
                 found->status == ServiceStatus::kRunning;
        right += on.backend.stop(unit, {}).ok();
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(right == 8 * 20 * 3);
}

// A tree that looks like /sys.
struct SerialFiles {
  test::TemporaryDirectory sysfs;

  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((sysfs.path() / name).parent_path());
    test::write_file(sysfs / name, text);
  }
  Result<std::string> read() const { return read_bios_serial(sysfs.path()); }
};

// vSphere's driver does not register its node unless the text begins so and has 32 digits.
TEST_CASE("VMware's serial number is told letter by letter") {
  const SerialFiles files;
  const std::string serial = "VMware-42 29 92 4b 83 35 d9 77-f3 82 cf 46 56 61 ac 60";
  files.put("class/dmi/id/product_serial", serial + "\n");
  CHECK(*files.read() == serial);
}

TEST_CASE("the serial number comes from DMI, trimmed") {
  const SerialFiles files;
  files.put("class/dmi/id/product_serial", "  SN-E2E-0001 X \n");
  files.put("firmware/devicetree/base/serial-number", "other");
  CHECK(*files.read() == "SN-E2E-0001 X");
}

TEST_CASE("without DMI it comes from the device tree") {
  const SerialFiles files;
  const bool has_empty_dmi = GENERATE(false, true);
  if (has_empty_dmi) files.put("class/dmi/id/product_serial", " \n");
  files.put("firmware/devicetree/base/serial-number", std::string("10000000abcd\0", 13));
  CHECK(*files.read() == "10000000abcd");
}

TEST_CASE("a machine without a serial number is told from one that hides it") {
  const SerialFiles files;
  const auto none = files.read();
  REQUIRE_FALSE(none);
  CHECK(none.error().code() == StatusCode::kNotFound);
  CHECK(none.error().message() ==
        "cannot read the machine's serial number: neither its firmware (DMI) nor its device tree "
        "has one");
  fs::create_directories(files.sysfs / "class/dmi/id/product_serial");
  CHECK_FALSE(files.read());
  CHECK(files.read().error().code() != StatusCode::kNotFound);
}

}  // namespace
}  // namespace longshore::system
