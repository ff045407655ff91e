// PipeTransport of two pipes and an event.
#pragma once

#include <memory>

#include "longshore/windows/handle.hpp"
#include "supervise/pipe_transport.h"

namespace longshore::supervise {

// Both have to be opened with FILE_FLAG_OVERLAPPED.
Result<std::unique_ptr<PipeTransport>> pipe_transport_of(Handle input, Handle output);

}  // namespace longshore::supervise
