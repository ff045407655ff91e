// How far the chain of the audit log has come, told to the agent's own log while it grows.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "audit_world.h"
#include "observe/audit_chain.h"
#include "tests/support/eventually.h"

namespace longshore::router {

TEST_CASE("while lines are written, the agent's log tells now and then how far they have come") {
  AuditWorld world(false, 0, std::chrono::milliseconds(20));
  for (int i = 0; i < 3; ++i) {
    world.call();
    const std::string last = world.lines().back();
    const auto line = observe::read_sealed(last);
    REQUIRE(line);
    CHECK(test::eventually([&] { return world.anchors().back().number == line->number; }));
    CHECK(world.anchors().back().hash == line->hash);
  }
  // Each tells something new.
  const auto anchors = world.anchors();
  for (size_t i = 1; i < anchors.size(); ++i) CHECK(anchors[i - 1].number < anchors[i].number);
}

TEST_CASE("a minute passes between two anchors, however much is written") {
  CHECK(AuditOptions{}.between_anchors == std::chrono::minutes(1));
  AuditWorld world(false, 0, std::chrono::hours(1));
  for (int i = 0; i < 50; ++i) world.call();
  world.audit->settle();
  CHECK(world.anchors().size() == 1);  // of the file's first line
  world.audit->end();
  CHECK(world.anchors().size() == 2);
}

TEST_CASE("at each rotation the agent's log tells how far the chain has come") {
  constexpr size_t kRotations = 4;
  // Only rotations are told, and the file's first line.
  AuditWorld world(false, 2000, std::chrono::hours(1));
  while (!std::filesystem::exists(world.file + "." + std::to_string(kRotations))) {
    world.call();
    world.audit->settle();
  }
  const auto anchors = world.anchors();
  REQUIRE(anchors.size() == 1 + kRotations);
  for (size_t i = 1; i <= kRotations; ++i) {
    CAPTURE(i);
    // The line that the file before had no room for, behind the one that opens the next file.
    const size_t number = kRotations - i;
    std::ifstream stream(world.file + (number == 0 ? "" : "." + std::to_string(number)));
    std::string opened, line;
    REQUIRE(std::getline(std::getline(stream, opened), line));
    CHECK(has(opened, R"("event":"opened")"));
    const auto sealed_line = observe::read_sealed(line);
    REQUIRE(sealed_line);
    CHECK(anchors[i].number == sealed_line->number);
    CHECK(anchors[i].hash == sealed_line->hash);
  }
}

}  // namespace longshore::router
