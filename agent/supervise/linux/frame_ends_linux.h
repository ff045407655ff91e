// FrameEnds of two pipes and an eventfd.
#pragma once

#include <memory>

#include "longshore/linux/file_descriptor.hpp"
#include "supervise/frame_ends.h"

namespace longshore::supervise {

// Both must not block.
Result<std::unique_ptr<FrameEnds>> frame_ends_of(FileDescriptor input, FileDescriptor output);

}  // namespace longshore::supervise
