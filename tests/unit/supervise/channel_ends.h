// Both ends of one way in this process.
#pragma once

#include <memory>

#include "supervise/pipe_transport.h"

namespace longshore::test {

struct TwoEnds {
  std::unique_ptr<supervise::PipeTransport> first;
  std::unique_ptr<supervise::PipeTransport> second;
};

TwoEnds make_two_ends();

}  // namespace longshore::test
