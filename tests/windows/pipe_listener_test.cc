// The listener of a named pipe, without an agent around it.
#include <windows.h>

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <string>

#include "endpoint/listener.h"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"

using namespace longshore;

TEST_CASE("a client that opens a pipe while its listener stops is told of") {
  const std::string path = R"(\\.\pipe\longshore-test-)" + std::to_string(GetCurrentProcessId());
  boost::asio::io_context io;
  endpoint::ListenerOptions options;
  options.path = path;
  options.sddl = "D:P(A;;FA;;;WD)";
  auto listener = endpoint::Listener::open(io, options);
  REQUIRE(listener);
  (*listener)->accept([](auto, auto) { FAIL("it was told of before the stop"); });
  int told = 0;
  (*listener)->stop([&](std::error_code error, auto client) {
    CHECK_FALSE(error);
    REQUIRE(client);
    CHECK(client->transport != nullptr);
    ++told;
  });
  // The instances are there until the I/O thread comes to it.
  const Handle client(CreateFileW(wide(path).c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr,
                                  OPEN_EXISTING, 0, nullptr));
  REQUIRE(client);
  io.run();
  CHECK(told == 1);
}
