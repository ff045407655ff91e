// FrameEnds of two pipes and an eventfd.
#pragma once

#include <memory>

#include "supervise/frame_ends.h"
#include "supervise/linux/descriptor.h"

namespace longshore::supervise {

// Both must not block.
Result<std::unique_ptr<FrameEnds>> frame_ends_of(Descriptor input, Descriptor output);

}  // namespace longshore::supervise
