// The lines of the audit log, and which calls have one.
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "audit_world.h"

namespace longshore::router {
namespace {

using World = AuditWorld;

}  // namespace

TEST_CASE("a call that may change something has one line, without its secrets") {
  World world;
  world.call();
  world.call(StatusCode::kNotFound, "there is no \"server\"\n");
  const auto lines = world.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("{\"time\":\"2"));
  CHECK(has(lines[0],
            R"(Z","request_id":"r1","caller":"uid:7","on_behalf_of":"uid:7","process":4711,)"
            R"("module":"smb","method":"v1.Smb/Mount","object":"/x","request":{"path":"/x"},)"
            R"("code":"OK","duration_ms":0.)"));
  CHECK(has(lines[1], R"("code":"NOT_FOUND","message":"there is no \"server\"\n","duration_ms":)"));
  CHECK(lines[1].back() == '}');
  CHECK_FALSE(has(lines[0] + lines[1], "hushed"));
  CHECK(world.audit->figures().written == 2);
  struct stat status {};
  REQUIRE(stat(world.file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
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
  REQUIRE(lines.size() == 3);
  CHECK(has(lines[0], R"("object":"/x","code":"PERMISSION_DENIED","message":"uid:7 may )"));
  CHECK(has(lines[1], R"("code":"PERMISSION_DENIED")"));
  CHECK(has(lines[2], R"("code":"UNAVAILABLE")"));
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
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[0], R"("code":"CANCELLED")"));
  CHECK(has(lines[0], R"("unfinished":true})"));
  CHECK_FALSE(has(lines[1], "unfinished"));
}

TEST_CASE("of a request that is long or broken is told what there is") {
  World world;
  const std::string long_path(AuditLog::kMaxRequestBytes, 'p');
  world.begin("\x0a\x80\x40" + long_path)->cancel();
  world.begin("\x0a\x02/x\x0a\x70")->cancel();
  world.begin("\xa3\x06\xa4\x06\x0a\x02/x")->cancel();  // a group, which modules pass over
  const auto lines = world.lines();
  REQUIRE(lines.size() == 3);
  CHECK(has(lines[0], R"("request":{"path":"pppp)"));
  CHECK(has(lines[0], R"("},"request_cut":true,"request_bytes":8195,)"));
  CHECK(lines[0].size() < AuditLog::kMaxRequestBytes + 2000);
  CHECK(has(lines[1], R"("request":{"path":"/x"},"request_cut":true,"request_bytes":6,)"));
  CHECK(has(lines[2], R"("object":"/x","request":{"path":"/x"},"code")"));
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
  REQUIRE(world.lines().size() == count + 1);
  CHECK(has(world.lines().back(), R"("request":{"path":"/x"},"code":"PERMISSION_DENIED")"));
  REQUIRE(world.audit->reopen());
  CHECK(world.lines().back().ends_with(R"(Z","caller":"uid:7","suppressed":5})"));
  REQUIRE(world.audit->reopen());
  CHECK(world.lines().size() == count + 2);
}

}  // namespace longshore::router
