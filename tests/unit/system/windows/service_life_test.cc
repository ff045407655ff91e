// The backend on the service control manager that is there (Wine's, in CI), with services of the
// test's own, and the firmware's table that is there.
#include <catch2/catch.hpp>

#include "system/windows/system_backend_windows.h"
#include "tests/support/outcome.h"
#include "tests/unit/system/windows/trial_services.h"

namespace longshore::system {
namespace {

using test::outcome;

struct Native {
  SystemBackendWindows backend{native_service_control_manager(), native_firmware_table()};
  const Deadline deadline = Deadline{}.within(std::chrono::seconds(60));
};

ServiceStatus status_of(SystemBackendWindows& backend, const std::string& service) {
  const auto info = backend.query(service, {});
  REQUIRE(outcome(info) == "OK");
  return info->status;
}

TEST_CASE("a real service is taken through its life") {
  const TrialService service("longshore-trial");
  Native native;
  const auto info = native.backend.query("Longshore-Trial", native.deadline);
  REQUIRE(info);
  CHECK(info->display_name == "The service longshore-trial");
  CHECK(info->start_type == StartType::kManual);
  CHECK(info->status == ServiceStatus::kStopped);
  for (int round = 0; round < 2; ++round) {
    CHECK(outcome(native.backend.start("longshore-trial", native.deadline)) == "OK");
    CHECK(status_of(native.backend, "longshore-trial") == ServiceStatus::kRunning);
    CHECK(outcome(native.backend.start("longshore-trial", native.deadline)) == "OK");
    const auto dependants = native.backend.running_dependants("longshore-trial", native.deadline);
    REQUIRE(dependants);
    CHECK(dependants->empty());
    CHECK(outcome(native.backend.stop("longshore-trial", native.deadline)) == "OK");
    CHECK(status_of(native.backend, "longshore-trial") == ServiceStatus::kStopped);
    CHECK(outcome(native.backend.stop("longshore-trial", native.deadline)) == "OK");
  }
}

TEST_CASE("a real service that fails or is disabled says why") {
  Native native;
  {
    const TrialService service("longshore-failing", SERVICE_DEMAND_START, "fails");
    const Result<void> started = native.backend.start("longshore-failing", native.deadline);
    REQUIRE(outcome(started) == "FAILED_PRECONDITION");
    CHECK_THAT(started.error().message(), Catch::Contains("with a code of its own: 42"));
  }
  const TrialService service("longshore-disabled", SERVICE_DISABLED);
  const auto disabled = native.backend.query("longshore-disabled", {});
  REQUIRE(disabled);
  CHECK(disabled->start_type == StartType::kDisabled);
  CHECK(outcome(native.backend.start("longshore-disabled", native.deadline)) ==
        "FAILED_PRECONDITION");
}

TEST_CASE("a service that nobody installed is not found") {
  Native native;
  CHECK(outcome(native.backend.query("longshore-none", {})) == "NOT_FOUND");
  CHECK(outcome(native.backend.start("longshore-none", {})) == "NOT_FOUND");
  CHECK(outcome(native.backend.stop("longshore-none", {})) == "NOT_FOUND");
  CHECK(outcome(native.backend.running_dependants("longshore-none", {})) == "NOT_FOUND");
}

TEST_CASE("the firmware's table that is there is read") {
  Native native;
  const auto serial = native.backend.bios_serial_number();
  // The machine's, if Wine may read it.
  CHECK((serial ? !serial->empty() : serial.error().code() == StatusCode::kNotFound));
}

}  // namespace
}  // namespace longshore::system
