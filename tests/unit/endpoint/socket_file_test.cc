// The sockets' files: what is in the way of one.
#include "endpoint/socket_file.h"

#include <catch2/catch.hpp>

#include "tests/support/held_process.h"
#include "tests/support/temporary_directory.h"

namespace longshore::endpoint {
namespace {

using Catch::Contains;

struct Place {
  Result<SocketFile> listen() const {
    SocketFileOptions options;
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

}  // namespace
}  // namespace longshore::endpoint
