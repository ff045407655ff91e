// Both ends of one way in this process.
#pragma once

#include <memory>

#include "supervise/pipe_transport.h"

namespace longshore::test {

struct ChannelEnds {
  std::unique_ptr<supervise::PipeTransport> first;
  std::unique_ptr<supervise::PipeTransport> second;
};

ChannelEnds make_channel_ends();

}  // namespace longshore::test
