// FrameEnds of two pipes and an event.
#pragma once

#include <memory>

#include "supervise/frame_ends.h"
#include "supervise/windows/handle.h"

namespace longshore::supervise {

// Both have to be opened with FILE_FLAG_OVERLAPPED.
Result<std::unique_ptr<FrameEnds>> frame_ends_of(Handle input, Handle output);

}  // namespace longshore::supervise
