// Both ends of one way in this process.
#pragma once

#include <memory>

#include "supervise/frame_ends.h"

namespace longshore::test {

struct TwoEnds {
  std::unique_ptr<supervise::FrameEnds> first;
  std::unique_ptr<supervise::FrameEnds> second;
};

TwoEnds make_two_ends();

}  // namespace longshore::test
