// What the service control manager's controls ask of the agent. A shutdown of the system cannot be
// asked for as a stop can, and Wine tells services of none.
#include "main/windows/windows_control.h"

#include <catch2/catch.hpp>
#include <string>

namespace longshore {
namespace {

constexpr DWORD kOfOurOwn = 128;  // the first that a service may have for itself

}  // namespace

TEST_CASE("a stop of the service and a shutdown of the system end the agent in order") {
  const auto [control, reason] = GENERATE(table<DWORD, std::string>({
      {SERVICE_CONTROL_STOP, "the service is stopped"},
      {SERVICE_CONTROL_SHUTDOWN, "the system is shut down"},
      {SERVICE_CONTROL_PRESHUTDOWN, "the system is shut down"},
  }));
  const AskedByControl asked = asked_by(control);
  REQUIRE(asked.end);
  CHECK(asked.end == reason);
  CHECK_FALSE(asked.reload);
  CHECK(asked.answer == NO_ERROR);
}

TEST_CASE("other controls reload the configuration, ask, or are refused") {
  const auto [control, reloads, answer] = GENERATE(table<DWORD, bool, DWORD>({
      {SERVICE_CONTROL_PARAMCHANGE, true, NO_ERROR},
      {SERVICE_CONTROL_INTERROGATE, false, NO_ERROR},
      {SERVICE_CONTROL_PAUSE, false, ERROR_CALL_NOT_IMPLEMENTED},
      {kOfOurOwn, false, ERROR_CALL_NOT_IMPLEMENTED},
  }));
  const AskedByControl asked = asked_by(control);
  CHECK(asked.end == nullptr);
  CHECK(asked.reload == reloads);
  CHECK(asked.answer == answer);
}

}  // namespace longshore
