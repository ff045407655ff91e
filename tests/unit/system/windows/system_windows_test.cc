// What only the backend for Windows has: states and start types by their numbers, waits with hints,
// the manager's codes.
#include <catch2/catch.hpp>
#include <cstring>

#include "system/windows/system_backend_windows.h"
#include "tests/support/eventually.h"
#include "tests/support/outcome.h"
#include "tests/unit/system/windows/service_manager_stand_in.h"

namespace longshore::system {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::outcome;
using Names = std::vector<std::string>;

// A firmware's table of the test's own.
class MadeUpTable final : public FirmwareTable {
 public:
  explicit MadeUpTable(std::string bytes, DWORD code = ERROR_SUCCESS)
      : bytes_(std::move(bytes)), code_(code) {}

  DWORD read(std::span<std::byte> buffer, DWORD& code) override {
    code = code_;
    if (bytes_.size() <= buffer.size()) std::memcpy(buffer.data(), bytes_.data(), bytes_.size());
    return static_cast<DWORD>(bytes_.size());
  }

 private:
  std::string bytes_;
  DWORD code_;
};

struct Managed {
  explicit Managed(const StandInService& service = {}) { manager->put("a", service); }
  // A call that was given up lets go of its handle when it comes back.
  ~Managed() {
    CHECK(test::eventually([&] { return manager->open_handles() == 0; }));
  }

  std::shared_ptr<ServiceManagerStandIn> manager = std::make_shared<ServiceManagerStandIn>();
  SystemBackendWindows backend{manager, std::make_shared<MadeUpTable>("")};
};

TEST_CASE("the manager's states become the group's") {
  const auto [state, status] = GENERATE(table<DWORD, ServiceStatus>({
      {SERVICE_STOPPED, ServiceStatus::kStopped},
      {SERVICE_START_PENDING, ServiceStatus::kStartPending},
      {SERVICE_STOP_PENDING, ServiceStatus::kStopPending},
      {SERVICE_RUNNING, ServiceStatus::kRunning},
      {SERVICE_CONTINUE_PENDING, ServiceStatus::kContinuePending},
      {SERVICE_PAUSE_PENDING, ServiceStatus::kPausePending},
      {SERVICE_PAUSED, ServiceStatus::kPaused},
      {0, ServiceStatus::kUnknown},
      {8, ServiceStatus::kUnknown},
  }));
  CAPTURE(state);
  Managed managed({.state = state, .looks = -1});
  CHECK(managed.backend.query("a", {})->status == status);
}

TEST_CASE("the manager's start types become the group's, and no others") {
  const auto [number, type] = GENERATE(table<DWORD, StartType>({
      {SERVICE_BOOT_START, StartType::kBoot},
      {SERVICE_SYSTEM_START, StartType::kSystem},
      {SERVICE_AUTO_START, StartType::kAutomatic},
      {SERVICE_DEMAND_START, StartType::kManual},
      {SERVICE_DISABLED, StartType::kDisabled},
  }));
  CAPTURE(number);
  Managed managed({.start_type = number});
  CHECK(managed.backend.query("a", {})->start_type == type);
  managed.manager->put("a", {.start_type = 5});
  CHECK(outcome(managed.backend.query("a", {})) == "INTERNAL");
}

TEST_CASE("a service that is about to stop is started when it has stopped") {
  Managed managed({.state = SERVICE_STOP_PENDING});
  CHECK(outcome(managed.backend.start("a", {})) == "OK");
  CHECK(managed.manager->done() == Names{"start a"});
  CHECK(managed.manager->state("a") == SERVICE_RUNNING);
}

TEST_CASE("a service that starts already is waited for") {
  Managed managed({.state = SERVICE_START_PENDING});
  CHECK(outcome(managed.backend.start("a", {})) == "OK");
  CHECK(managed.manager->done().empty());
}

TEST_CASE("a service that is about to start is stopped when it runs") {
  Managed managed({.state = SERVICE_START_PENDING});
  CHECK(outcome(managed.backend.stop("a", {})) == "OK");
  CHECK(managed.manager->done() == Names{"stop a"});
}

TEST_CASE("a service that stops already is waited for") {
  Managed managed({.state = SERVICE_STOP_PENDING});
  CHECK(outcome(managed.backend.stop("a", {})) == "OK");
  CHECK(managed.manager->done().empty());
}

TEST_CASE("a paused service is no running one, and can be stopped") {
  Managed managed({.state = SERVICE_PAUSED});
  const Result<void> started = managed.backend.start("a", {});
  CHECK(outcome(started) == "FAILED_PRECONDITION");
  CHECK_THAT(started.error().message(), Catch::Contains("paused"));
  CHECK(outcome(managed.backend.stop("a", {})) == "OK");
}

TEST_CASE("who comes first with a start or stop does it for all") {
  Managed managed({.start_code = ERROR_SERVICE_ALREADY_RUNNING});
  CHECK(outcome(managed.backend.start("a", {})) == "OK");
  managed.manager->put("a", {.state = SERVICE_RUNNING, .control_code = ERROR_SERVICE_NOT_ACTIVE});
  CHECK(outcome(managed.backend.stop("a", {})) == "OK");
}

TEST_CASE("a slow service is waited for as long as it makes progress") {
  // An hour in steps of a minute, which the stand-in does not take.
  Managed managed({.looks = 30'000, .wait_hint = 60'000});
  CHECK(outcome(managed.backend.start("a", {})) == "OK");
  CHECK(managed.manager->paused() >= seconds(3'000));
}

TEST_CASE("a service that makes no progress is given up after its hint, or half a minute") {
  const auto [hint, least, most] = GENERATE(table<DWORD, int, int>({
      {0, 30, 32},
      {2'000, 30, 32},
      {120'000, 120, 122},
  }));
  CAPTURE(hint);
  Managed managed({.looks = -1, .tells_progress = false, .wait_hint = hint});
  const Result<void> started = managed.backend.start("a", {});
  REQUIRE(outcome(started) == "DEADLINE_EXCEEDED");
  CHECK_THAT(started.error().message(),
             Catch::Contains("timed out waiting for service a to become running: it has made no "
                             "progress for"));
  CHECK(managed.manager->paused() >= seconds(least));
  CHECK(managed.manager->paused() <= seconds(most));
}

TEST_CASE("a stop that hangs ends with csi-proxy's words") {
  Managed managed({.state = SERVICE_RUNNING, .looks = -1});
  // Time enough to ask for the stop before it is over.
  const Result<void> stopped = managed.backend.stop("a", Deadline{}.within(milliseconds(500)));
  REQUIRE(outcome(stopped) == "DEADLINE_EXCEEDED");
  CHECK_THAT(stopped.error().message(),
             Catch::Contains("timed out waiting for service a to stop; Windows goes on"));
}

TEST_CASE("a service that stops right after its start says with what") {
  Managed managed({.exit_code = ERROR_SERVICE_SPECIFIC_ERROR, .specific_exit_code = 42});
  const Result<void> own = managed.backend.start("a", {});
  REQUIRE(outcome(own) == "FAILED_PRECONDITION");
  CHECK_THAT(own.error().message(), Catch::Contains("with a code of its own: 42"));
  managed.manager->put("a", {.exit_code = ERROR_PROCESS_ABORTED});
  CHECK_THAT(managed.backend.start("a", {}).error().message(),
             Catch::Contains("with the error 1067"));
}

TEST_CASE("a service whose program has ended before the manager looks says with what") {
  Managed managed({.start_code = ERROR_SERVICE_REQUEST_TIMEOUT,
                   .exit_code = ERROR_SERVICE_SPECIFIC_ERROR,
                   .specific_exit_code = 42});
  const Result<void> own = managed.backend.start("a", {});
  REQUIRE(outcome(own) == "FAILED_PRECONDITION");
  CHECK_THAT(own.error().message(), Catch::Contains("with a code of its own: 42"));
  // What the manager says of its own.
  managed.manager->put("a", {.start_code = ERROR_SERVICE_REQUEST_TIMEOUT,
                             .exit_code = ERROR_SERVICE_REQUEST_TIMEOUT});
  CHECK_THAT(managed.backend.start("a", {}).error().message(), Catch::Contains("does not answer"));
}

TEST_CASE("a start waits while the manager's database is locked, as long as the call may") {
  SECTION("it is unlocked") {
    Managed managed({.locked_starts = 3});
    CHECK(outcome(managed.backend.start("a", {})) == "OK");
  }
  SECTION("it stays locked") {
    Managed managed({.locked_starts = 1'000'000});
    CHECK(outcome(managed.backend.start("a", {})) == "UNAVAILABLE");
    CHECK(managed.manager->paused() >= milliseconds(30'000));
  }
  SECTION("the call is over first") {
    Managed managed({.locked_starts = 1'000'000});
    CHECK(outcome(managed.backend.start("a", Deadline{}.within(milliseconds(0)))) ==
          "DEADLINE_EXCEEDED");
    CHECK(managed.manager->state("a") == SERVICE_STOPPED);
  }
}

TEST_CASE("the manager's codes become gRPC's") {
  const auto [code, answer] = GENERATE(table<DWORD, std::string>({
      {ERROR_ACCESS_DENIED, "PERMISSION_DENIED"},
      {ERROR_SERVICE_DISABLED, "FAILED_PRECONDITION"},
      {ERROR_SERVICE_DEPENDENCY_FAIL, "FAILED_PRECONDITION"},
      {ERROR_SERVICE_DEPENDENCY_DELETED, "FAILED_PRECONDITION"},
      {ERROR_SERVICE_LOGON_FAILED, "FAILED_PRECONDITION"},
      {ERROR_SERVICE_REQUEST_TIMEOUT, "FAILED_PRECONDITION"},
      {ERROR_SERVICE_MARKED_FOR_DELETE, "FAILED_PRECONDITION"},
      {ERROR_FILE_NOT_FOUND, "FAILED_PRECONDITION"},
      {ERROR_SERVICE_DATABASE_LOCKED, "UNAVAILABLE"},
      {ERROR_SHUTDOWN_IN_PROGRESS, "UNAVAILABLE"},
      {RPC_S_SERVER_UNAVAILABLE, "UNAVAILABLE"},
  }));
  CAPTURE(code);
  Managed managed({.start_code = code});
  CHECK(outcome(managed.backend.start("a", {})) == answer);
  CHECK(managed.manager->state("a") == SERVICE_STOPPED);
}

TEST_CASE("a service that takes no stop is left as it is") {
  const auto [code, advice] = GENERATE(table<DWORD, std::string>({
      {ERROR_INVALID_SERVICE_CONTROL, "cannot be stopped"},
      {ERROR_SERVICE_CANNOT_ACCEPT_CTRL, "takes no request to stop"},
      // One that came while the dependants were stopped.
      {ERROR_DEPENDENT_SERVICES_RUNNING, "force"},
  }));
  Managed managed({.state = SERVICE_RUNNING, .control_code = code});
  const Result<void> stopped = managed.backend.stop("a", {});
  REQUIRE(outcome(stopped) == "FAILED_PRECONDITION");
  CHECK_THAT(stopped.error().message(), Catch::Contains(advice));
}

TEST_CASE("a manager or service that cannot be asked is an error of every call") {
  Managed managed;
  std::string answer = "PERMISSION_DENIED";
  SECTION("no manager") { managed.manager->refuse_manager(ERROR_ACCESS_DENIED); }
  SECTION("no access") { managed.manager->refuse_service(ERROR_ACCESS_DENIED); }
  SECTION("it goes away") {
    managed.manager->refuse_service(RPC_S_SERVER_UNAVAILABLE);
    answer = "UNAVAILABLE";
  }
  CHECK(outcome(managed.backend.query("a", {})) == answer);
  CHECK(outcome(managed.backend.running_dependants("a", {})) == answer);
  CHECK(outcome(managed.backend.start("a", {})) == answer);
  CHECK(outcome(managed.backend.stop("a", {})) == answer);
}

TEST_CASE("a service that is removed while it is waited for is not found") {
  Managed managed;
  managed.manager->refuse_status(ERROR_SERVICE_DOES_NOT_EXIST);
  CHECK(outcome(managed.backend.start("a", {})) == "NOT_FOUND");
  CHECK(outcome(managed.backend.stop("a", {})) == "NOT_FOUND");
}

TEST_CASE("a machine without a table, or with one that makes no sense, has no serial number") {
  const auto serial = [](std::string bytes, DWORD code) {
    SystemBackendWindows backend(std::make_shared<ServiceManagerStandIn>(),
                                 std::make_shared<MadeUpTable>(std::move(bytes), code));
    return backend.bios_serial_number();
  };
  CHECK_THAT(serial("", ERROR_INVALID_FUNCTION).error().message(), Catch::Contains("no table"));
  CHECK(outcome(serial("", ERROR_SUCCESS)) == "NOT_FOUND");
  CHECK(outcome(serial(std::string(7, '\1'), ERROR_SUCCESS)) == "NOT_FOUND");
  CHECK(outcome(serial(std::string(17 * 1024 * 1024, '\1'), ERROR_SUCCESS)) == "NOT_FOUND");
}

TEST_CASE("a table that is larger than expected is read whole") {
  using namespace std::string_literals;
  std::string structures;
  while (structures.size() < 100'000) structures += "\x02\x04\x10\x00\0\0"s;
  structures += "\x01\x08\x10\x00\x00\x00\x00\x01serial\0\0"s;
  std::string table = "\x00\x03\x04\x00"s;
  for (int shift = 0; shift < 32; shift += 8) {
    table += static_cast<char>(structures.size() >> shift & 0xff);
  }
  SystemBackendWindows backend(std::make_shared<ServiceManagerStandIn>(),
                               std::make_shared<MadeUpTable>(table + structures));
  CHECK(*backend.bios_serial_number() == "serial");
}

}  // namespace
}  // namespace longshore::system
