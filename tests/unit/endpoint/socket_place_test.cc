// What is in the way of a socket that is not made yet.
#include "endpoint/socket_place.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

#include "endpoint/linux/socket_file.h"
#include "files/state_lock.h"
#include "tests/support/live_process.h"
#include "tests/support/temporary_directory.h"

namespace longshore::endpoint {
namespace {

using Catch::Contains;

struct WantedPlace {
  Result<void> check() const { return check_socket_place(path, directory / "state"); }
  ListenerOptions options() const {
    ListenerOptions options;
    options.path = path;
    return options;
  }

  test::TemporaryDirectory directory;
  std::string path = directory / "a/a.sock";
};

TEST_CASE("Where nothing is, a socket can be made, and nothing is made by looking") {
  const WantedPlace place;
  CHECK(place.check());
  CHECK_FALSE(std::filesystem::exists(place.directory / "a"));
}

TEST_CASE("A link, a file and a folder of others are told before they are in the way") {
  const WantedPlace place;
  std::filesystem::create_directory(place.directory / "a");
  std::string told;
  SECTION("a link") {
    std::filesystem::create_symlink("elsewhere", place.path);
    told = "there is a link, which is not followed";
  }
  SECTION("a file") {
    test::write_file(place.path, "precious");
    told = "there is something that is not a socket";
  }
  SECTION("a folder") {
    REQUIRE(::chmod((place.directory / "a").c_str(), 0777) == 0);
    told = "others may write to it";
  }
  const auto free = place.check();
  REQUIRE_FALSE(free);
  CHECK_THAT(free.error().message(), Contains(told));
}

TEST_CASE("Who listens is in the way unless it is the agent that has the state") {
  const WantedPlace place;
  const bool is_agent = GENERATE(false, true);
  const test::LiveProcess other([&] {
    auto socket = SocketFile::listen(place.options());
    if (!socket) ::_exit(1);
    static_cast<void>(new SocketFile(std::move(*socket)));  // which it keeps
    if (!is_agent) return;
    auto state = files::StateLock::take(place.directory / "state");
    if (!state) ::_exit(1);
    static_cast<void>(new files::StateLock(std::move(*state)));
  });
  const auto free = place.check();
  CHECK(static_cast<bool>(free) == is_agent);
  if (free) return;
  CHECK_THAT(free.error().message(),
             Contains("process " + std::to_string(other.id())) && Contains("listens on it"));
}

TEST_CASE("What an ordinary user may not look at is not in the way") {
  const WantedPlace place;
  std::filesystem::create_directory(place.directory / "a");
  std::filesystem::create_symlink("elsewhere", place.path);
  const std::string closed = GENERATE("a", "");
  REQUIRE(::chmod(place.directory.path().c_str(), 0755) == 0);
  REQUIRE(::chmod((place.directory / "a").c_str(), 0755) == 0);
  const auto is_free_for_user = [&] {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::setuid(65534) == 0 && place.check() ? 0 : 1);
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status == 0;
  };
  CHECK_FALSE(is_free_for_user());
  REQUIRE(::chmod((place.directory / closed).c_str(), 0700) == 0);
  CHECK(is_free_for_user());
  CHECK_FALSE(place.check());
}

TEST_CASE("A socket that a dead process left is not in the way") {
  const WantedPlace place;
  std::optional<SocketFile> left(SocketFile::listen(place.options()).value());
  // Its file stays: nobody listens on it any more.
  ::close(left->release_descriptor());
  REQUIRE(std::filesystem::is_socket(place.path));
  CHECK(place.check());
}

}  // namespace
}  // namespace longshore::endpoint
