// That nobody reads any more is told on Linux while nothing is sent; on Windows only then.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "supervise/frame_channel.h"
#include "supervise/linux/pipe_transport_linux.h"

using namespace longshore;
using namespace longshore::supervise;

TEST_CASE("The end of the other side's reading ends serving") {
  int there[2];
  int back[2];
  REQUIRE(pipe2(there, O_CLOEXEC | O_NONBLOCK) == 0);
  REQUIRE(pipe2(back, O_CLOEXEC | O_NONBLOCK) == 0);
  const FileDescriptor writer(there[1]);
  FileDescriptor reader(back[0]);
  FrameChannel receiver(
      pipe_transport_of(FileDescriptor(there[0]), FileDescriptor(back[1])).value(), {1000});
  reader = {};
  CHECK(receiver.serve([](const Frame&) { return true; }));
}
