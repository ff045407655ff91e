#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "supervise/linux/pipe_transport_linux.h"
#include "tests/unit/supervise/channel_ends.h"

namespace longshore::test {

using supervise::pipe_transport_of;

namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    reader = FileDescriptor(ends[0]);
    writer = FileDescriptor(ends[1]);
  }
  FileDescriptor reader;
  FileDescriptor writer;
};

}  // namespace

ChannelEnds make_channel_ends() {
  signal(SIGPIPE, SIG_IGN);
  Pipe there;
  Pipe back;
  return {pipe_transport_of(std::move(back.reader), std::move(there.writer)).value(),
          pipe_transport_of(std::move(there.reader), std::move(back.writer)).value()};
}

}  // namespace longshore::test
