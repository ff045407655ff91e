#include <catch2/catch.hpp>
#include <utility>

#include "supervise/windows/child_pipe.h"
#include "supervise/windows/pipe_transport_windows.h"
#include "tests/unit/supervise/channel_ends.h"

namespace longshore::test {

using namespace supervise;

ChannelEnds make_channel_ends() {
  auto there = make_child_pipe(Direction::kToChild, Way::kOverlapped);
  auto back = make_child_pipe(Direction::kFromChild, Way::kOverlapped);
  REQUIRE(there);
  REQUIRE(back);
  return {pipe_transport_of(std::move(back->own), std::move(there->own)).value(),
          pipe_transport_of(std::move(there->its), std::move(back->its)).value()};
}

}  // namespace longshore::test
