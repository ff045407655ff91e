// The lines of the audit log, and which calls have one.
#if !defined(_WIN32)
#include <sys/stat.h>
#endif

#include <catch2/catch.hpp>

#include "audit_world.h"

namespace longshore::router {
namespace {

using World = AuditWorld;

// By which the lines of a call belong together.
std::string call_of(const std::string& line) {
  const size_t at = line.find("\"call\":\"");
  return at == std::string::npos ? std::string() : line.substr(at + 8, line.find('"', at + 8) - at);
}

}  // namespace

TEST_CASE(
    "a call that may change something has a line before it and one after it, without its secrets") {
  World world;
  world.call();
  world.call(StatusCode::kNotFound, "there is no \"server\"\n");
  const auto lines = world.lines();
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("{\"time\":\"2"));
  const std::string handle = call_of(lines[0]);
  CHECK_FALSE(handle.empty());
  CHECK(call_of(lines[1]) == handle);
  CHECK(call_of(lines[2]) == call_of(lines[3]));
  CHECK(call_of(lines[2]) != handle);
  CHECK(has(lines[0],
            R"(","request_id":"r1","caller":"uid:7","on_behalf_of":"uid:7","process":4711,)"
            R"("module":"smb","method":"v1.Smb/Mount","object":"/x","request":{"path":"/x"},)"));
  CHECK(has(lines[0], R"(Z","event":"begin","call":")"));
  CHECK(has(lines[1], R"(Z","event":"end","call":")"));
  CHECK(has(lines[1], R"(","request_id":"r1","module":"smb","method":"v1.Smb/Mount","object":"/x",)"
                      R"("code":"OK","duration_ms":)"));
  CHECK(has(lines[3], R"("code":"NOT_FOUND","message":"there is no \"server\"\n","duration_ms":)"));
  CHECK(lines[3].back() == '}');
  CHECK_FALSE(has(lines[0] + lines[1] + lines[2] + lines[3], "hushed"));
  CHECK(world.audit->figures().written == 4);
#if !defined(_WIN32)
  const mode_t mask = umask(0);
  umask(mask);
  struct stat status {};
  REQUIRE(stat(world.file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == (0640 & ~mask));
#endif
}

TEST_CASE("what a module warns of is told with the call's outcome: the first, cut") {
  World world;
  const auto call = world.begin();
  call->run();
  call->warn("it is still mounted elsewhere" + std::string(2000, '.'));
  call->warn("a second one");
  call->send("");
  call->finish(StatusCode::kOk, "");
  call->warn("too late");
  const auto lines = world.lines();
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[1], R"("code":"OK","warning":"it is still mounted elsewhere...)"));
  CHECK(lines[1].size() < 1500);
  CHECK_FALSE(has(lines[1], "a second one"));
}

TEST_CASE("a caller's program is told where it is known, and cut where it is long") {
  World world;
  Caller known{"uid:7", "uid:7", nullptr, ids_of(7), 4711};
  known.program = R"(C:\"drivers"\driver.exe)";
  Caller long_named = known;
  long_named.program = std::string(2000, 'p');
  for (const Caller& caller : {known, long_named}) {
    world.audit->add({0,
                      mutating_method(),
                      std::make_shared<Caller>(caller),
                      "r9",
                      "",
                      Clock::now(),
                      {},
                      StatusCode::kNotFound,
                      "no"},
                     false);
  }
  const auto lines = world.lines();
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[0], R"("process":4711,"program":"C:\\\"drivers\"\\driver.exe","module")"));
  CHECK(has(lines[1], R"("program":")" + std::string(1024, 'p') + R"(","module")"));
}

TEST_CASE("methods that only read, and what no description names, have no line") {
  World world;
  auto reads = mutating_method();
  reads->reads_only = true;
  world.set_method(reads);
  world.call();
  auto undescribed = mutating_method();
  undescribed->request_schema = nullptr;
  world.set_method(undescribed);
  world.call();
  CHECK(world.lines().empty());
}

TEST_CASE("refused calls have a line as well") {
  World world;
  auto method = mutating_method();
  method->callers = std::make_shared<CallerSet>();
  world.set_method(method);
  CHECK_FALSE(world.begin());
  method = mutating_method();
  method->denied = true;
  world.set_method(method);
  CHECK_FALSE(world.begin());
  world.set_method(mutating_method());
  world.target->refuses = true;
  world.begin();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 4);
  CHECK(has(lines[0], R"("event":"refused")"));
  CHECK(has(lines[0], R"("object":"/x","code":"PERMISSION_DENIED","message":"uid:7 may )"));
  CHECK(has(lines[1], R"("code":"PERMISSION_DENIED")"));
  CHECK(has(lines[2], R"("event":"begin")"));
  CHECK(has(lines[3], R"("code":"UNAVAILABLE")"));
}

TEST_CASE("a call that is given up while the module is at it is told as unfinished, once") {
  World world;
  const auto running = world.begin();
  running->run();
  running->cancel();
  running->finish(StatusCode::kOk, {});
  const auto queued = world.begin();
  queued->cancel();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 4);
  CHECK(has(lines[1], R"("code":"CANCELLED")"));
  CHECK(has(lines[1], R"("unfinished":true,)"));
  CHECK(has(lines[3], R"("code":"CANCELLED")"));
  CHECK_FALSE(has(lines[3], "unfinished"));
}

TEST_CASE("of a request that is long or broken is told what there is") {
  World world;
  const std::string long_path(AuditLog::kMaxRequestBytes, 'p');
  world.begin("\x0a\x80\x40" + long_path)->cancel();
  world.begin("\x0a\x02/x\x0a\x70")->cancel();
  world.begin("\xa3\x06\xa4\x06\x0a\x02/x")->cancel();  // a group, which modules pass over
  const auto lines = world.lines();
  REQUIRE(lines.size() == 6);
  CHECK(has(lines[0], R"("request":{"path":"pppp)"));
  CHECK(has(lines[0], R"("},"request_cut":true,"request_bytes":8195,)"));
  CHECK(lines[0].size() < AuditLog::kMaxRequestBytes + 2000);
  CHECK(has(lines[2], R"("request":{"path":"/x"},"request_cut":true,"request_bytes":6,)"));
  CHECK(has(lines[4], R"("object":"/x","request":{"path":"/x"},"number")"));
}

TEST_CASE("one who may do nothing does not fill the disk, and is counted") {
  World world;
  auto method = mutating_method();
  method->callers = std::make_shared<CallerSet>();
  world.set_method(method);
  const uint64_t count = RefusalLimit::kLinesPerMinute;
  for (uint64_t i = 0; i < count + 5; ++i) CHECK_FALSE(world.begin());
  CHECK(world.lines().size() == count);
  world.set_method(mutating_method());
  world.call(StatusCode::kPermissionDenied, "says the module");
  REQUIRE(world.lines().size() == count + 2);
  CHECK(has(world.lines().back(), R"("event":"end")"));
  CHECK(has(world.lines().back(), R"("code":"PERMISSION_DENIED")"));
  REQUIRE(world.audit->reopen());
  CHECK(has(world.lines().back(), R"("event":"suppressed","caller":"uid:7","suppressed":5,)"));
  REQUIRE(world.audit->reopen());
  CHECK(world.lines().size() == count + 3);
}

TEST_CASE("the first line is written before any target has the call") {
  World world;
  const auto running = world.begin();
  REQUIRE(running);
  const auto lines = world.lines();
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], R"("event":"begin")"));
  CHECK(world.target->count("execute") == 0);
  running->run();
  running->finish(StatusCode::kInternal, "over");
  CHECK(world.lines().size() == 2);
}

TEST_CASE("a call that is refused at its head has one line, without request and object") {
  World world;
  const std::shared_ptr<const Method> method = mutating_method();
  const std::shared_ptr<const Caller> caller =
      std::make_shared<Caller>(Caller{"uid:7", "uid:7", nullptr, ids_of(7), 4711});
  world.audit->add({0,
                    method,
                    caller,
                    "r9",
                    "",
                    Clock::now(),
                    {},
                    StatusCode::kPermissionDenied,
                    "uid:7 may not"},
                   false);
  const auto lines = world.lines();
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], R"("event":"refused","request_id":"r9","caller":"uid:7")"));
  CHECK_FALSE(has(lines[0], "\"object\""));
  CHECK_FALSE(has(lines[0], "\"request\""));
}

}  // namespace longshore::router
