// A process of longshore-modulehost behind a ChildConnection, spoken to by hand; on every system.
#include "supervise/child_connection.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "longshore/child/v1.pb.h"
#include "supervise/handshake.h"
#include "tests/support/build_tree.h"

using namespace longshore;
using namespace longshore::supervise;

namespace {

std::shared_ptr<ChildConnection> open_child(
    const std::string& image = longshore::test::built_module("echo")) {
  auto child = ChildConnection::open(
      {.program = std::filesystem::absolute(longshore::test::built_program("longshore-modulehost"))
                      .string(),
       .name = "echo",
       .image = std::filesystem::absolute(image).string(),
       .frames = {1 << 20},
       .limits = {},
       .groups = nullptr});
  INFO((child ? std::string() : child.error().message()));
  REQUIRE(child);
  return *child;
}

void ignore_line(std::string_view) {}

struct Course {
  std::optional<child::v1::Ready> ready;
  ProcessEnd end;
};

// Until the process has ended.
Course serve(ChildConnection& child) {
  Course course;
  course.end = child.serve(
      [&](const Frame& frame) {
        if (frame.type == FrameType::kReady) course.ready = head_of<child::v1::Ready>(frame);
        return true;
      },
      ignore_line);
  return course;
}

Course greet(const child::v1::Hello& hello,
             const std::string& image = longshore::test::built_module("echo")) {
  const auto child = open_child(image);
  child->frames().send(FrameType::kHello, 0, hello);
  return serve(*child);
}

}  // namespace

TEST_CASE("A module host that is told to destroy the module ends by itself") {
  const auto child = open_child();
  child->frames().send(FrameType::kHello, 0, with_own_versions<child::v1::Hello>());
  child->frames().send({FrameType::kDestroy});
  const Course course = serve(*child);
  REQUIRE(course.ready);
  CHECK(course.ready->refusal().empty());
  CHECK(course.ready->protocol() == kProtocolVersion);
  CHECK(course.end.words == "exited with code 0");
}

TEST_CASE("What a module host refuses it says, and ends") {
  auto hello = with_own_versions<child::v1::Hello>();
  std::string image = longshore::test::built_module("echo");
  std::string says;
  SECTION("another version") {
    hello.set_protocol(99);
    says = "the agent speaks version 99";
  }
  SECTION("what it cannot give up") {
    hello.mutable_restrictions()->set_files(uint64_t{1} << 60);
    says = "cannot ";
  }
  SECTION("an image that cannot be loaded") {
    image = longshore::test::built_program("longshore-modulehost");
    says = "cannot load the module";
  }
  const Course course = greet(hello, image);
  REQUIRE(course.ready);
  INFO(course.ready->refusal());
  CHECK(course.ready->refusal().find(says) != std::string::npos);
  CHECK(course.end.words == "exited with code 0");
}

TEST_CASE("A call before the greeting ends the process") {
  const auto child = open_child();
  child->frames().send({FrameType::kCall, 1});
  const Course course = serve(*child);
  CHECK_FALSE(course.ready);
  CHECK(course.end.words == "exited with code 0");
}

TEST_CASE("A process is killed at the time that was set last, and the reason is told") {
  const auto child = open_child();
  SECTION("at a time") {
    child->kill_at(router::Clock::now() + std::chrono::hours(1), "was killed too late");
    child->kill_at(router::Clock::now() + std::chrono::milliseconds(20), "was killed in the test");
  }
  SECTION("at once") { child->kill_now("was killed in the test"); }
  CHECK(serve(*child).end.words == "was killed in the test");
}

TEST_CASE("A program that is not there is told with its path") {
  const auto child = ChildConnection::open(
      {.program = "/nowhere/longshore-modulehost",
       .name = "echo",
       .image = std::filesystem::absolute(longshore::test::built_module("echo")).string(),
       .frames = {1 << 20},
       .limits = {},
       .groups = nullptr});
  REQUIRE_FALSE(child);
  CHECK(child.error().message().find("cannot start the module host "
                                     "\"/nowhere/longshore-modulehost\"") == 0);
}
