// The listener of a named pipe, without an agent around it.
#include <windows.h>

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <string>

#include "endpoint/listener.h"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"

using namespace longshore;

namespace {

struct ListeningPipe {
  ListeningPipe() : listener(endpoint::Listener::open(io, options())) {
    REQUIRE(listener);
    (*listener)->accept([](auto, auto) { FAIL("it was told of before the stop"); });
  }

  endpoint::ListenerOptions options() const {
    endpoint::ListenerOptions options;
    options.path = path;
    options.sddl = "D:P(A;;FA;;;WD)";
    return options;
  }
  HANDLE open() const {
    return CreateFileW(wide(path).c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING,
                       0, nullptr);
  }
  // How many clients it tells of until the end.
  int told_of_at_stop() {
    int told = 0;
    (*listener)->stop([&](std::error_code error, auto client) {
      CHECK_FALSE(error);
      REQUIRE(client);
      CHECK(client->transport != nullptr);
      ++told;
    });
    late_client = Handle(open());
    error_of_late_client = GetLastError();
    io.run();
    return told;
  }

  const std::string path = R"(\\.\pipe\longshore-test-)" + std::to_string(GetCurrentProcessId());
  boost::asio::io_context io;
  Result<std::unique_ptr<endpoint::Listener>> listener;
  Handle late_client;
  DWORD error_of_late_client = 0;
};

}  // namespace

TEST_CASE("a client that has opened a pipe when its listener stops is told of") {
  ListeningPipe pipe;
  const Handle client(pipe.open());  // the I/O thread has not come to it
  REQUIRE(client);
  CHECK(pipe.told_of_at_stop() == 1);
  CHECK_FALSE(pipe.late_client);
  CHECK(pipe.error_of_late_client == ERROR_PIPE_BUSY);
}

TEST_CASE("nobody can open a pipe whose listener has been told to stop") {
  ListeningPipe pipe;
  CHECK(pipe.told_of_at_stop() == 0);
  CHECK_FALSE(pipe.late_client);
  CHECK(pipe.error_of_late_client == ERROR_FILE_NOT_FOUND);
}
