// The sockets' files: what is in the way of one.
#include "endpoint/linux/socket_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/held_process.h"
#include "tests/support/temporary_directory.h"

namespace longshore::endpoint {
namespace {

using Catch::Contains;

struct Place {
  Result<SocketFile> listen() const {
    ListenerOptions options;
    options.path = path;
    return SocketFile::listen(options);
  }

  test::TemporaryDirectory directory;
  std::string path = directory / "a/a.sock";
};

TEST_CASE("A socket on which a process listens is not replaced, and the process is named") {
  const Place place;
  const auto first = place.listen();
  REQUIRE(first);
  const auto second = place.listen();
  REQUIRE_FALSE(second);
  CHECK(second.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(second.error().message(),
             Contains("process " + std::to_string(::getpid()) +
                      " (endpoint_test) listens on it; stop the other agent, or give this one "
                      "another run_dir"));
}

TEST_CASE("A killed agent that cannot end keeps its socket, and the next one says why") {
  const Place place;
  {
    const test::HeldProcess held([&] {
      static const auto socket = place.listen();  // it lives as long as the process
      if (!socket) ::_exit(1);
    });
    const auto next = place.listen();
    REQUIRE_FALSE(next);
    CHECK_THAT(next.error().message(), Contains("process " + std::to_string(held.id()) +
                                                " (endpoint_test) listens on it") &&
                                           Contains("the kernel keeps it from ending") &&
                                           Contains("or give this one another run_dir"));
  }
  CHECK(place.listen());
}

TEST_CASE("What is no socket is not replaced") {
  const Place place;
  REQUIRE(place.listen());
  test::write_file(place.path, "mine");
  const auto socket = place.listen();
  REQUIRE_FALSE(socket);
  CHECK_THAT(socket.error().message(), Contains("something that is not a socket"));
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

TEST_CASE("A link in the place of a socket is neither followed nor replaced") {
  const Place place;
  const std::string victim = place.directory / "victim";
  test::write_file(victim, "mine");
  REQUIRE(::chmod(victim.c_str(), 0600) == 0);
  std::filesystem::create_directory(place.directory / "a");
  std::filesystem::create_symlink(victim, place.path);
  const auto socket = place.listen();
  REQUIRE_FALSE(socket);
  CHECK_THAT(socket.error().message(), Contains("there is a link, which is not followed"));
  CHECK(mode_of(victim) == 0600);
  CHECK(std::filesystem::is_symlink(place.path));
}

TEST_CASE("A link that took the place of a socket gets neither its mode nor its owner") {
  const Place place;
  auto socket = place.listen();
  REQUIRE(socket);
  const std::string victim = place.directory / "victim";
  test::write_file(victim, "mine");
  REQUIRE(::chmod(victim.c_str(), 0600) == 0);
  std::filesystem::remove(place.path);
  std::filesystem::create_symlink(victim, place.path);
  ListenerOptions options;
  options.path = place.path;
  options.mode = 0666;
  const auto applied = socket->apply_access(options);
  REQUIRE_FALSE(applied);
  CHECK_THAT(applied.error().message(),
             Contains("somebody has removed or replaced the socket's file"));
  CHECK(mode_of(victim) == 0600);
  socket->remove_name();
  CHECK(std::filesystem::is_symlink(place.path));
}

TEST_CASE("No socket is made in a folder that others can change, or by way of one") {
  const Place place;
  const std::string folder = place.directory / "a";
  std::filesystem::create_directory(folder);
  SECTION("its group may write to it") { REQUIRE(::chmod(folder.c_str(), 0775) == 0); }
  SECTION("others may write to it, though it is sticky") {
    REQUIRE(::chmod(folder.c_str(), 01777) == 0);
  }
  SECTION("it belongs to another user") { REQUIRE(::chown(folder.c_str(), 65534, 0) == 0); }
  SECTION("a folder above it belongs to another user") {
    REQUIRE(::chown(place.directory.path().c_str(), 65534, 0) == 0);
  }
  SECTION("all may write to a folder above it") {
    REQUIRE(::chmod(place.directory.path().c_str(), 0777) == 0);
  }
  SECTION("it is another user's link to a folder that is fine") {
    std::filesystem::rename(folder, place.directory / "b");
    std::filesystem::create_symlink(place.directory / "b", folder);
    REQUIRE(::lchown(folder.c_str(), 65534, 0) == 0);
  }
  const auto socket = place.listen();
  REQUIRE_FALSE(socket);
  CHECK(socket.error().code() == StatusCode::kPermissionDenied);
  CHECK_THAT(socket.error().message(), Contains("cannot trust"));
}

TEST_CASE("A folder above that of a socket may be open to a group, as /var/log is, or be sticky") {
  const Place place;
  SECTION("a group's") { REQUIRE(::chmod(place.directory.path().c_str(), 0775) == 0); }
  SECTION("sticky") { REQUIRE(::chmod(place.directory.path().c_str(), 01777) == 0); }
  CHECK(place.listen());
}

TEST_CASE("A link of the agent's own user on the way to a socket is followed") {
  const Place place;
  std::filesystem::create_directory(place.directory / "b");
  std::filesystem::create_symlink("b", place.directory / "a");
  REQUIRE(place.listen());
}

}  // namespace
}  // namespace longshore::endpoint
